"""Score matrices of the named classifiers on glyph subsets."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from classex_book.data import CLASSIFIERS, glyph_features, glyph_scores, load_telugu

NAMES = list(CLASSIFIERS)


@pytest.fixture(scope="module")
def glyphs():
    return load_telugu(40)


@pytest.fixture(scope="module")
def scored(glyphs):
    return {name: glyph_scores(name, glyphs, 30) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_a_finite_ranking_that_beats_chance(scored, name):
    scores, labels = scored[name]
    assert scores.shape == (1500, 30)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(labels, np.repeat(np.arange(30), 50))
    accuracy = (scores.argmax(axis=1) == labels).mean()
    # 12 families a class and 30 classes: the accuracies spread over .76 to .95 with a standard error of about .03.
    assert 0.65 < accuracy < 0.99


@pytest.mark.parametrize("name", [name for name in NAMES if name != "eps-nearest neighbours"])
def test_scores_are_neither_decisions_nor_rounded_probabilities(scored, name):
    scores, _ = scored[name]
    assert all(np.unique(row).size == 30 for row in scores[::10])


def test_neighbour_counts_abound_in_ties(scored):
    scores, _ = scored["eps-nearest neighbours"]
    np.testing.assert_array_equal(scores.sum(axis=1), 3)  # .2 % of 1,500


@pytest.mark.parametrize("name", ["naive Bayes", "logistic regression", "linear SVM", "neural network"])
def test_same_call_same_scores(glyphs, name):
    first, second = (glyph_scores(name, glyphs, [1, 4, 9])[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("name", NAMES)
def test_scores_rank_like_the_decisions_of_the_classifier(glyphs, name):
    train, train_labels, test, _ = glyph_features(glyphs, 12)
    model = CLASSIFIERS[name].make().fit(train, train_labels)
    scores, _ = glyph_scores(name, glyphs, 12)
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(scores.argmax(axis=1), model.predict(test))
    else:
        np.testing.assert_array_equal(scores, model.decision_function(test))


def test_network_scores_are_its_log_probabilities_up_to_a_constant_a_row(glyphs):
    train, train_labels, test, _ = glyph_features(glyphs, 6)
    model = CLASSIFIERS["neural network"].make().fit(train, train_labels)
    scores, _ = glyph_scores("neural network", glyphs, 6)
    difference = scores - np.log(np.maximum(model.predict_proba(test), 1e-290))
    np.testing.assert_allclose(difference, np.broadcast_to(difference[:, :1], difference.shape), atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_marginal_classifiers_ignore_the_other_classes(glyphs, name):
    """Given the features, dropping classes leaves a marginal classifier's other columns as they are."""
    train, labels, test, _ = glyph_features(glyphs, 12)
    few = labels < 6
    every, part = CLASSIFIERS[name].make().fit(train, labels), CLASSIFIERS[name].make().fit(train[few], labels[few])
    method = "predict_joint_log_proba" if name == "naive Bayes" else "decision_function"
    if name == "neural network":
        method = "predict_log_proba"
    before, after = getattr(every, method)(test)[:, :6], getattr(part, method)(test)
    # The prior 1 / k and the floor of the naive variances are common to all classes: compare differences.
    before, after = before - before[:, :1], after - after[:, :1]
    same = np.allclose(before, after, rtol=0.02, atol=0.5)
    assert same == CLASSIFIERS[name].marginal


def test_two_classes_give_two_columns(glyphs):
    for name in ("logistic regression", "linear SVM", "neural network", "Gaussian discriminant"):
        scores, labels = glyph_scores(name, glyphs, [7, 2])
        assert scores.shape == (100, 2)
        assert (scores.argmax(axis=1) == labels).mean() > 0.9, name


def test_features_are_scaled_principal_components(glyphs):
    train, train_labels, test, test_labels = glyph_features(glyphs, [5, 0, 17])
    np.testing.assert_array_equal(train_labels, np.repeat([0, 1, 2], 50))
    np.testing.assert_array_equal(test_labels, np.repeat([0, 1, 2], 50))
    rows = np.concatenate([np.flatnonzero(glyphs.train_labels == label) for label in (5, 0, 17)])
    images = glyphs.train_images[rows].astype(float)
    small = np.array(
        [
            [[image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].mean() for j in range(24)] for i in range(24)]
            for image in images
        ]
    )
    centred = small.reshape(150, -1) - small.reshape(150, -1).mean(axis=0)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    expected = centred @ axes[:50].T
    expected /= np.sqrt((values[:50] ** 2).mean() / 149)
    np.testing.assert_allclose(np.abs(train), np.abs(expected), atol=1e-8)
    np.testing.assert_allclose(train.var(axis=0, ddof=1).mean(), 1)
    assert test.shape == (150, 50)


def test_no_convergence_warning(glyphs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("logistic regression", "linear SVM", "neural network"):
            glyph_scores(name, glyphs, 40)


@pytest.mark.parametrize(
    ("classes", "error", "message"),
    [
        (1, ValueError, "classes must be an integer of at least 2 and at most 40, not 1"),
        (41, ValueError, "classes must be an integer of at least 2 and at most 40, not 41"),
        ([3], ValueError, "classes must hold at least two classes"),
        ([3, 40], ValueError, "classes must lie in 0..39, but hold 40"),
        ([3, -1], ValueError, "classes must lie in 0..39, but hold -1"),
        ([3, 5, 3], ValueError, "classes must all differ, but 3 occurs more than once"),
        ([0.5, 1.0], TypeError, "classes must be a number or a one-dimensional array of integers"),
        ([[0, 1]], TypeError, "classes must be a number or a one-dimensional array of integers"),
    ],
)
def test_bad_classes(glyphs, classes, error, message):
    with pytest.raises(error, match=message):
        glyph_features(glyphs, classes)


def test_an_unknown_classifier(glyphs):
    with pytest.raises(ValueError, match=r"classifier must be one of 'naive Bayes', .* not 'oracle'"):
        glyph_scores("oracle", glyphs, 3)
