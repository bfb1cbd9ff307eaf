"""Telugu glyphs: 400 classes of 50 training and 10 test images, on 50 principal components learnt from all classes.

Every classifier is trained once on all the classes; its scores are kept as they are (the references are unit vectors).
"""

from __future__ import annotations

import numpy as np

from benchmarks.suite.recipes import Pair
from classex.datasets import CLASSIFIERS, glyph_features, load_telugu
from classex.datasets.scoring import _scores

SOURCES = (("classex: telugu.npz", "OFL-1.1 and others, see TELUGU-LICENSES.md"),)
_CLASSES, _EACH = 400, 10


def recognisers() -> dict[str, Pair]:
    """Five classifiers."""
    train, train_labels, test, test_labels = glyph_features(load_telugu(_CLASSES), _CLASSES)
    order = np.argsort(test_labels, kind="stable").reshape(_CLASSES, -1)[:, :_EACH].ravel()
    names = ("nearest centroid", "naive Bayes", "1-nearest neighbour", "logistic regression", "linear SVM")
    found = {}
    for name in names:
        model = CLASSIFIERS[name].make().fit(train, train_labels)
        found[name] = np.asarray(_scores(model, test[order])), np.eye(_CLASSES)
    return found
