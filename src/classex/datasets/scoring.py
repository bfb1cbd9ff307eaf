"""Scores of scikit-learn's classifiers on a subset of the glyph classes.

A recogniser that is to be extrapolated must hand over its scores, not its decisions: for every test image, one
number per class, higher for a better match. The functions here train a classifier on the classes of a subset, and
on nothing else, and return that matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from classex._extras import needed_for
from classex._validation import as_class_numbers, as_generator, as_positive_int, as_scores
from classex.datasets.neighbours import NearestCentroidScorer, NearestNeighbourScorer, NeighbourCountScorer
from classex.datasets.telugu import TeluguGlyphs

__all__ = ["CLASSIFIERS", "NamedClassifier", "glyph_features", "glyph_scores"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class NamedClassifier:
    """A classifier of the ladder: how to make it, and what the theory may assume of it.

    Attributes
    ----------
    make : callable
        Returns a new, untrained scikit-learn classifier, the same at every call.
    marginal : bool
        Whether the score of a class depends on the training images of that class only (given the features). The
        extrapolation theorems are about marginal classifiers; the others are extrapolated in hope.
    description : str
        What the score is.

    Examples
    --------
    >>> from classex.datasets import CLASSIFIERS
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


def _naive_bayes() -> Any:
    with needed_for("this classifier"):
        from sklearn.naive_bayes import GaussianNB

    return GaussianNB(var_smoothing=1e-2)


def _gaussian_discriminant() -> Any:
    with needed_for("this classifier"):
        from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis(reg_param=0.3)


def _logistic_regression() -> Any:
    with needed_for("this classifier"):
        from sklearn.linear_model import LogisticRegression

    return _standardised(LogisticRegression(C=0.1, tol=1e-4, max_iter=1_000))


def _linear_svm() -> Any:
    with needed_for("this classifier"):
        from sklearn.linear_model import SGDClassifier

    # Averaged stochastic gradient: with hundreds of classes several times faster than coordinate descent, which it
    # matches in accuracy. A fixed number of epochs, hence no stopping rule that could fail.
    svm = SGDClassifier(
        loss="hinge",
        alpha=1e-4,
        learning_rate="constant",
        eta0=0.01,
        average=True,
        max_iter=4,
        tol=None,
        random_state=0,
    )
    return _standardised(svm)


def _neural_network() -> Any:
    with needed_for("this classifier"):
        from sklearn.neural_network import MLPClassifier

    network = MLPClassifier((256,), alpha=0.1, learning_rate_init=3e-3, tol=2e-2, n_iter_no_change=2, random_state=0)
    return _standardised(network)


def _standardised(classifier: Any) -> Any:
    with needed_for("this classifier"):
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), classifier)


CLASSIFIERS: Mapping[str, NamedClassifier] = MappingProxyType(
    {
        "naive Bayes": NamedClassifier(
            _naive_bayes, True, "log joint density of a normal distribution with independent features"
        ),
        "Gaussian discriminant": NamedClassifier(
            _gaussian_discriminant, True, "log density of a normal distribution, own covariance shrunk to the identity"
        ),
        "1-nearest neighbour": NamedClassifier(
            NearestNeighbourScorer, True, "minus the distance to the class's closest training point"
        ),
        "nearest centroid": NamedClassifier(NearestCentroidScorer, True, "minus the distance to the class's mean"),
        "eps-nearest neighbours": NamedClassifier(
            NeighbourCountScorer, False, "number of the class's points among the nearest 0.2 % of all; full of ties"
        ),
        "logistic regression": NamedClassifier(
            _logistic_regression, False, "linear predictor of multinomial logistic regression"
        ),
        "linear SVM": NamedClassifier(
            _linear_svm, False, "signed distance from the hyperplane between the class and the rest, hinge loss"
        ),
        "neural network": NamedClassifier(
            _neural_network, False, "output before the softmax, one hidden layer of 256 units"
        ),
    }
)


def glyph_features(
    glyphs: TeluguGlyphs,
    classes: ArrayLike,
    *,
    n_components: int = 50,
    n_train: int | None = None,
    rng: Any = None,
) -> tuple[FloatArray, NDArray[np.int64], FloatArray, NDArray[np.int64]]:
    """Principal components of the images of some classes.

    Images are averaged over blocks of 2 x 2 pixels; the components are those of the training images **of these
    classes**, so nothing is learnt from a class outside the subset. All components are divided by one common
    factor, chosen so that their mean variance over the training images is 1.

    Parameters
    ----------
    glyphs : TeluguGlyphs
        The images, both splits loaded.
    classes : int or array_like of int of shape (k,)
        The subset: class numbers of `glyphs`, no two equal, or a number k for the first k classes.
    n_components : int
        Number of principal components, at most the number of training images and at most 576.
    n_train : int, optional
        Number of training images a class, drawn at random without replacement; all by default.
    rng : seed or numpy.random.Generator, optional
        Randomness of that draw.

    Returns
    -------
    train : ndarray of shape (k n_train, n_components)
        Features of the training images.
    train_labels : ndarray of shape (k n_train,)
        Their classes, as positions in `classes`.
    test : ndarray of shape (n_test, n_components)
        Features of the test images.
    test_labels : ndarray of shape (n_test,)
        Their classes, as positions in `classes`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described, or a split is empty.

    Examples
    --------
    >>> from classex.datasets import load_telugu
    >>> train, train_labels, test, test_labels = glyph_features(
    ...     load_telugu(20), [3, 7, 11], n_components=10
    ... )
    >>> train.shape, test.shape, sorted(set(test_labels.tolist()))
    ((150, 10), (150, 10), [0, 1, 2])
    """
    with needed_for("glyph_features"):
        from sklearn.decomposition import PCA

    if not isinstance(glyphs, TeluguGlyphs):
        raise TypeError(f"glyphs must be what load_telugu returns, not {type(glyphs).__name__}")
    if not (glyphs.train_labels.size and glyphs.test_labels.size):
        raise ValueError('glyphs must hold both splits; load them with split="both"')
    subset = as_class_numbers(classes, glyphs.n_classes)
    train_rows, train_labels = _rows(glyphs.train_labels, subset)
    if n_train is not None:
        smallest = int(np.bincount(train_labels).min())
        size = as_positive_int(n_train, "n_train", maximum=smallest)
        chosen = _draw_per_class(train_labels, size, as_generator(rng))
        train_rows, train_labels = train_rows[chosen], train_labels[chosen]
    test_rows, test_labels = _rows(glyphs.test_labels, subset)
    train, test = (
        _averaged(images[rows]) for images, rows in ((glyphs.train_images, train_rows), (glyphs.test_images, test_rows))
    )
    limit = min(train.shape)
    pca = PCA(as_positive_int(n_components, "n_components", maximum=limit), svd_solver="covariance_eigh").fit(train)
    factor = 1 / np.sqrt(pca.explained_variance_.mean())
    return pca.transform(train) * factor, train_labels, pca.transform(test) * factor, test_labels


def glyph_scores(
    classifier: Any, glyphs: TeluguGlyphs, classes: ArrayLike, *, n_components: int = 50
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Train a classifier on some classes of the glyphs and return its scores of their test images.

    Parameters
    ----------
    classifier : str or scikit-learn classifier
        A name out of `CLASSIFIERS`, or an untrained classifier with ``decision_function`` or
        ``predict_joint_log_proba``. It is trained here, on the training images of the subset and on no others.
    glyphs : TeluguGlyphs
        The images, both splits loaded.
    classes : int or array_like of int of shape (k,)
        The subset: class numbers of `glyphs`, no two equal, or a number k for the first k classes.
    n_components : int
        Number of principal components that the classifier sees; see `glyph_features`.

    Returns
    -------
    scores : ndarray of shape (n_test, k)
        Score of every test image for every class of the subset, higher is better. Never a decision and never a
        probability, so nothing is rounded to 0 or 1.
    labels : ndarray of shape (n_test,)
        True class of each test image, as a position in `classes`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as described, or a score is not finite.

    Notes
    -----
    Even a marginal classifier is marginal only given the features, and the principal components come from the
    subset. With 20 classes or more the components change little from one subset to the next.

    Examples
    --------
    >>> from classex.datasets import load_telugu
    >>> scores, labels = glyph_scores("naive Bayes", load_telugu(20), 20)
    >>> scores.shape, bool((scores.argmax(axis=1) == labels).mean() > 0.7)
    ((1000, 20), True)
    """
    if isinstance(classifier, str):
        if classifier not in CLASSIFIERS:
            raise ValueError(f"classifier must be one of {', '.join(map(repr, CLASSIFIERS))}, not {classifier!r}")
        model = CLASSIFIERS[classifier].make()
    else:
        model = classifier
        if not hasattr(model, "fit"):
            raise TypeError(f"classifier must be a name or have a method fit, not {type(model).__name__}")
    train, train_labels, test, test_labels = glyph_features(glyphs, classes, n_components=n_components)
    model.fit(train, train_labels)
    scores = np.asarray(_scores(model, test), dtype=np.float64)
    if scores.ndim == 1:  # scikit-learn gives two classes one column, positive for the second
        scores = np.column_stack([-scores, scores])
    return as_scores(scores, "the classifier's scores"), test_labels


def _scores(model: Any, test: FloatArray) -> Any:
    """Return unrounded scores of a trained classifier, before any softmax."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import Pipeline

    if isinstance(model, Pipeline):
        return _scores(model[-1], model[:-1].transform(test))
    if isinstance(model, MLPClassifier):
        return _network_outputs(model, test)
    for name in ("decision_function", "predict_joint_log_proba"):
        if hasattr(model, name):
            return getattr(model, name)(test)
    raise TypeError(
        "classifier must have decision_function or predict_joint_log_proba (probabilities and decisions are too"
        f" coarse), and {type(model).__name__} has neither"
    )


def _network_outputs(model: Any, test: FloatArray) -> FloatArray:
    """Return what a multilayer perceptron feeds its softmax; its log-probabilities would underflow."""
    if model.activation != "relu":
        raise ValueError(f'a neural network must have activation "relu" here, not {model.activation!r}')
    values: FloatArray = test
    for weights, bias in zip(model.coefs_[:-1], model.intercepts_[:-1], strict=True):
        values = np.maximum(values @ weights + bias, 0)
    outputs: FloatArray = values @ model.coefs_[-1] + model.intercepts_[-1]
    return outputs[:, 0] if outputs.shape[1] == 1 else outputs


def _rows(labels: NDArray[np.int64], subset: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that belong to the subset, ordered by position in it, and those positions."""
    rows = [np.flatnonzero(labels == label) for label in subset]
    return np.concatenate(rows), np.repeat(np.arange(subset.size), [row.size for row in rows])


def _draw_per_class(labels: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return `size` rows of every class, drawn without replacement."""
    members = (np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1))
    return np.concatenate([np.sort(rng.choice(rows, size, replace=False)) for rows in members])


def _averaged(images: NDArray[np.uint8]) -> FloatArray:
    """Return images averaged over blocks of 2 x 2 pixels, one row each."""
    count, height, width = images.shape
    blocks = images.reshape(count, height // 2, 2, width // 2, 2)
    means: FloatArray = blocks.mean(axis=(2, 4), dtype=np.float64)
    return means.reshape(count, -1)
