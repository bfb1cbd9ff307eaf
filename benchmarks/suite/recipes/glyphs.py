"""Telugu glyphs: 400 classes of 50 training and 10 test images, on 50 principal components learnt from all classes.

Every classifier is trained once on all the classes; its scores are kept as they are (the references are unit vectors).
"""

from __future__ import annotations

import numpy as np

from benchmarks.suite.recipes import Pair
from classex_book.data import glyph_scores, load_telugu

SOURCES = (("classex: telugu.npz", "OFL-1.1 and others, see TELUGU-LICENSES.md"),)
_CLASSES, _EACH = 400, 10


def recognisers() -> dict[str, Pair]:
    """Five classifiers."""
    glyphs = load_telugu(_CLASSES)
    first = np.arange(glyphs.test_labels.size).reshape(_CLASSES, -1)[:, :_EACH].ravel()
    names = ("nearest centroid", "naive Bayes", "1-nearest neighbour", "logistic regression", "linear SVM")
    return {name: (glyph_scores(name, glyphs, _CLASSES)[0][first], np.eye(_CLASSES)) for name in names}
