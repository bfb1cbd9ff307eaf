"""Real data sets in small: their ranks and scores."""

from __future__ import annotations

import numpy as np

import classex as cx
from classex_book.data import (
    NearestCentroidScorer,
    NearestNeighbourScorer,
    NeighbourCountScorer,
    embed_words,
    gabor_features,
    load_hangul,
    load_words,
)

from .inputs import case


@case
def words():
    test, references = embed_words(load_words(300))
    ranks = cx.correct_ranks_from_embeddings(test, references, range(300), metric="inner_product")
    found = cx.accuracy_curve(ranks, [2, 30, 300])
    return (
        found.accuracy,
        found.standard_error,
        cx.Extrapolator(cx.methods.ProbitNormal()).fit_ranks(ranks).predict([300, 32923]),
    )


@case
def syllables():
    hangul = load_hangul(40)
    ranks = cx.correct_ranks_from_embeddings(
        hangul.test.astype(float).reshape(-1, 63), hangul.train.astype(float).mean(axis=1), np.repeat(np.arange(40), 10)
    )
    found = cx.accuracy_curve(ranks, [2, 10, 40])
    return (
        found.accuracy,
        found.standard_error,
        cx.Extrapolator(cx.methods.EmpiricalBayes()).fit_ranks(ranks).predict([40, 2350]),
    )


@case
def scorers_of_glyphs():
    points, targets = np.array([[0.0], [1.0], [3.0], [9.0]]), [0, 0, 1, 1]
    return [
        NearestCentroidScorer().fit(points, targets).decision_function([[2.2], [7.0]]),
        NearestNeighbourScorer().fit(points, targets).decision_function([[2.2], [7.0]]),
        NeighbourCountScorer(fraction=0.5).fit(points, targets).decision_function([[2.2], [7.0]]),
    ]


@case
def filters_of_images():
    stripes = np.cos(2 * np.pi * 4 * (np.arange(32) + 0.5) / 32) * np.ones((32, 1))
    features, channels = gabor_features(stripes[np.newaxis])
    return features[0, ::64], channels.frequency[::128]
