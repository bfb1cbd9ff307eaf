"""What an accuracy says about information, and information about accuracy. Everything in nats.

`accuracy_ceiling` is the largest average Bayes accuracy that information allows; `error_floor` is one minus it, and
`information_bound` its inverse; `ExtremalChannel` attains it; `information_confidence_bound` allows for chance.
`identification_accuracy` is the accuracy that information gives in high dimension, `identification_information` its
inverse, and `implied_information` its estimate from ranks. `fano_bound` and `confusion_information` are the older
ways from accuracy or from a confusion matrix.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
