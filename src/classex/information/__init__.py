"""Mutual information and accuracy: bounds and estimates of one from the other, in nats.

`accuracy_ceiling` is the largest average Bayes accuracy that information allows, `information_bound` the inverse
function, and `ExtremalChannel` attains it. `curve_information_bound` is the bound from several accuracies together, and
`information_confidence_bound` a lower confidence bound from ranks.
`identification_accuracy` is the accuracy in high dimension, `identification_information` the inverse function, and
`implied_information` estimates information from ranks. `fano_bound` and `confusion_information` are the older methods,
from accuracy and from a confusion matrix.
"""

import lazy_loader

from classex._moved import or_moved

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = or_moved(__name__, _public)
