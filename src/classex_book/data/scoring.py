"""Scores of scikit-learn's classifiers on a subset of the glyph classes.

A classifier that is to be extrapolated must return its scores and not only its decisions: for every test image one
number per class, higher for a better match. Each classifier is trained on the classes of the subset and on no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._checks import as_class_numbers, as_scores, one_of
from classex._optional import needed_for
from classex._types import FloatArray
from classex_book.data.neighbours import NearestCentroidScorer, NearestNeighbourScorer, NeighbourCountScorer
from classex_book.data.telugu import TeluguGlyphs

__all__ = ["CLASSIFIERS", "NamedClassifier", "glyph_features", "glyph_scores"]


_COMPONENTS = 50  # as many as a class has training images; 25 cost .07 of accuracy with 100 classes


@dataclass(frozen=True)
class NamedClassifier:
    """How to make a classifier, and whether the extrapolation theorems apply to it.

    Attributes
    ----------
    make : callable
        Returns a new, untrained scikit-learn classifier, the same at every call.
    marginal : bool
        Whether the score of a class depends on the training images of that class only, given the features. The
        extrapolation theorems assume it.
    description : str
        What the score is.

    Examples
    --------
    >>> from classex_book.data import CLASSIFIERS
    >>> named = CLASSIFIERS["nearest centroid"]
    >>> named.marginal, named.description
    (True, "minus the distance to the class's mean")
    >>> named.make().fit([[0.0], [1.0], [5.0]], [0, 0, 1]).decision_function(
    ...     [[2.0]]
    ... )
    array([[-1.5, -3. ]])
    """

    make: Callable[[], Any]
    marginal: bool
    description: str


def _make(module: str, name: str, *, standardise: bool = False, **options: Any) -> Any:
    """Import a classifier of scikit-learn when it is needed, and make one."""
    with needed_for("this classifier"):
        classifier = getattr(import_module(f"sklearn.{module}"), name)(**options)
        if not standardise:
            return classifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), classifier)


CLASSIFIERS: Mapping[str, NamedClassifier] = MappingProxyType(
    {
        "naive Bayes": NamedClassifier(
            partial(_make, "naive_bayes", "GaussianNB", var_smoothing=1e-2),
            True,
            "log joint density of a normal distribution with independent features",
        ),
        "Gaussian discriminant": NamedClassifier(
            partial(_make, "discriminant_analysis", "QuadraticDiscriminantAnalysis", reg_param=0.3),
            True,
            "log density of a normal distribution, own covariance shrunk to the identity",
        ),
        "1-nearest neighbour": NamedClassifier(
            NearestNeighbourScorer, True, "minus the distance to the class's closest training point"
        ),
        "nearest centroid": NamedClassifier(NearestCentroidScorer, True, "minus the distance to the class's mean"),
        "eps-nearest neighbours": NamedClassifier(
            NeighbourCountScorer, False, "number of the class's points among the nearest 0.2 % of all; full of ties"
        ),
        "logistic regression": NamedClassifier(
            partial(_make, "linear_model", "LogisticRegression", standardise=True, C=0.1, tol=1e-4, max_iter=1_000),
            False,
            "linear predictor of multinomial logistic regression",
        ),
        # Averaged stochastic gradient: with hundreds of classes several times faster than coordinate descent, which it
        # matches in accuracy. A fixed number of epochs needs no stopping rule.
        "linear SVM": NamedClassifier(
            partial(
                _make,
                "linear_model",
                "SGDClassifier",
                standardise=True,
                loss="hinge",
                alpha=1e-4,
                learning_rate="constant",
                eta0=0.01,
                average=True,
                max_iter=4,
                tol=None,
                random_state=0,
            ),
            False,
            "signed distance from the hyperplane between the class and the rest, hinge loss",
        ),
        "neural network": NamedClassifier(
            partial(
                _make,
                "neural_network",
                "MLPClassifier",
                standardise=True,
                hidden_layer_sizes=(256,),
                alpha=0.1,
                learning_rate_init=3e-3,
                tol=2e-2,
                n_iter_no_change=2,
                random_state=0,
            ),
            False,
            "output before the softmax, one hidden layer of 256 units",
        ),
    }
)


def glyph_features(
    glyphs: TeluguGlyphs, classes: ArrayLike
) -> tuple[FloatArray, NDArray[np.int64], FloatArray, NDArray[np.int64]]:
    """Fifty principal components of the images of some classes.

    Images are averaged over blocks of 2 x 2 pixels. The components are those of the training images **of these
    classes**, so nothing is learnt from a class outside the subset. All components are divided by one common
    factor, chosen so that their mean variance over the training images is 1.

    Parameters
    ----------
    glyphs : TeluguGlyphs
        The images.
    classes : int or array_like of int of shape (k,)
        The subset: class numbers of `glyphs`, no two equal, or a number k for the first k classes.

    Returns
    -------
    train : ndarray of shape (n_train, 50)
        Features of the training images.
    train_labels : ndarray of shape (n_train,)
        Their classes, as indices into `classes`.
    test : ndarray of shape (n_test, 50)
        Features of the test images.
    test_labels : ndarray of shape (n_test,)
        Their classes, as indices into `classes`.

    Raises
    ------
    TypeError, ValueError
        If `classes` is not as described.

    Examples
    --------
    >>> from classex_book.data import load_telugu
    >>> train, train_labels, test, test_labels = glyph_features(
    ...     load_telugu(20), [3, 7, 11]
    ... )
    >>> train.shape, test.shape, sorted(set(test_labels.tolist()))
    ((150, 50), (150, 50), [0, 1, 2])
    """
    with needed_for("glyph_features"):
        from sklearn.decomposition import PCA

    subset = as_class_numbers(classes, glyphs.n_classes)
    train_rows, train_labels = _rows(glyphs.train_labels, subset)
    test_rows, test_labels = _rows(glyphs.test_labels, subset)
    train, test = _averaged(glyphs.train_images[train_rows]), _averaged(glyphs.test_images[test_rows])
    pca = PCA(_COMPONENTS, svd_solver="covariance_eigh").fit(train)
    factor = 1 / np.sqrt(pca.explained_variance_.mean())
    return pca.transform(train) * factor, train_labels, pca.transform(test) * factor, test_labels


def glyph_scores(classifier: str, glyphs: TeluguGlyphs, classes: ArrayLike) -> tuple[FloatArray, NDArray[np.int64]]:
    """Train a classifier on some classes of the glyphs and return its scores of their test images.

    Parameters
    ----------
    classifier : str
        A name out of `CLASSIFIERS`.
    glyphs : TeluguGlyphs
        The images.
    classes : int or array_like of int of shape (k,)
        The subset: class numbers of `glyphs`, no two equal, or a number k for the first k classes.

    Returns
    -------
    scores : ndarray of shape (n_test, k)
        Score of every test image for every class of the subset, higher is better. Scores are neither decisions nor
        probabilities, so nothing is rounded to 0 or 1.
    labels : ndarray of shape (n_test,)
        True class of each test image, as an index into `classes`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described.

    Notes
    -----
    A marginal classifier is marginal only given the features, and the principal components come from the
    subset. With 20 classes or more the components change little from one subset to the next.

    Examples
    --------
    >>> from classex_book.data import load_telugu
    >>> scores, labels = glyph_scores("naive Bayes", load_telugu(20), 20)
    >>> scores.shape, bool((scores.argmax(axis=1) == labels).mean() > 0.7)
    ((1000, 20), True)
    """
    named = CLASSIFIERS[one_of(classifier, "classifier", tuple(CLASSIFIERS))]
    train, train_labels, test, test_labels = glyph_features(glyphs, classes)
    scores = _scores(named.make().fit(train, train_labels), test)
    if scores.ndim == 1:  # scikit-learn gives two classes one column, positive for the second
        scores = np.column_stack([-scores, scores])
    return as_scores(scores, "the classifier's scores"), test_labels


def _scores(model: Any, test: FloatArray) -> NDArray[Any]:
    """Return unrounded scores of a trained classifier, before any softmax."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import Pipeline

    if isinstance(model, Pipeline):
        return _scores(model[-1], model[:-1].transform(test))
    if isinstance(model, MLPClassifier):
        return _network_outputs(model, test)
    score = model.decision_function if hasattr(model, "decision_function") else model.predict_joint_log_proba
    return np.asarray(score(test), dtype=np.float64)


def _network_outputs(model: Any, test: FloatArray) -> FloatArray:
    """Return the inputs of the softmax of a multilayer perceptron; its log-probabilities would underflow."""
    values: FloatArray = test
    for weights, bias in zip(model.coefs_[:-1], model.intercepts_[:-1], strict=True):
        values = np.maximum(values @ weights + bias, 0)
    outputs: FloatArray = values @ model.coefs_[-1] + model.intercepts_[-1]
    return outputs[:, 0] if outputs.shape[1] == 1 else outputs


def _rows(labels: NDArray[np.int64], subset: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that belong to the subset, ordered by class, and the class of each as an index into it."""
    rows = [np.flatnonzero(labels == label) for label in subset]
    return np.concatenate(rows), np.repeat(np.arange(subset.size), [row.size for row in rows])


def _averaged(images: NDArray[np.uint8]) -> FloatArray:
    """Return images averaged over blocks of 2 x 2 pixels, one row each."""
    count, height, width = images.shape
    blocks = images.reshape(count, height // 2, 2, width // 2, 2)
    means: FloatArray = blocks.mean(axis=(2, 4), dtype=np.float64)
    return means.reshape(count, -1)
