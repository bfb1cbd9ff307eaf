"""What a reader without the density can do: decoders learnt from pairs, and estimators that use the pairs directly."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from classex_book.encoding import IdentificationModel, noise_covariance

FloatArray = NDArray[np.float64]
Scores = Callable[[FloatArray, FloatArray], FloatArray]
Predict = Callable[[FloatArray], FloatArray]
HIDDEN = 50
STEPS = 30
DECAYS = (10.0, 300.0)
RANGE = (1e-6, 1 - 1e-6)


def ridge(x: FloatArray, y: FloatArray) -> Scores:
    """Linear encoding model with a penalty for every response, decoded with a Ledoit-Wolf noise covariance."""
    model = IdentificationModel().fit(x, y)
    return model.scores


def _fit_network(x: FloatArray, y: FloatArray, hidden: tuple[int, ...], decay: float, *, binary: bool) -> Predict:
    """Network with at most one hidden layer, by quasi-Newton steps on the penalised loss."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    family = MLPClassifier if binary else MLPRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = family(hidden_layer_sizes=hidden, solver="lbfgs", alpha=decay, max_iter=STEPS, random_state=0)
        model.fit(x, y if y.shape[1] > 1 else y[:, 0])
    predict = model.predict_proba if binary else model.predict
    return lambda new: np.asarray(predict(new)).reshape(len(new), -1)


def _network(x: FloatArray, y: FloatArray, hidden: tuple[int, ...], *, binary: bool) -> tuple[Predict, FloatArray]:
    """Network whose decay is the better of two on held-out pairs, and what it predicted for those."""
    middle, scale = x.mean(axis=0), x.std(axis=0)
    z, cut = (x - middle) / scale, 4 * len(x) // 5
    held_out = {}
    for decay in DECAYS:
        held_out[decay] = _fit_network(z[:cut], y[:cut], hidden, decay, binary=binary)(z[cut:])

    def loss(decay: float) -> float:
        found = held_out[decay]
        if not binary:
            return float(np.square(found - y[cut:]).mean())
        sure = np.clip(found, *RANGE)
        return float(-(y[cut:] * np.log(sure) + (1 - y[cut:]) * np.log1p(-sure)).mean())

    best = min(DECAYS, key=loss)
    predict = _fit_network(z, y, hidden, best, binary=binary)
    return lambda new: predict((new - middle) / scale), held_out[best]


def bits(x: FloatArray, y: FloatArray, hidden: tuple[int, ...]) -> Scores:
    """Logistic regression of every bit (no hidden layer), or a network, decoded by the fitted likelihood."""
    predict, _ = _network(x, y, hidden, binary=True)

    def scores(candidates: FloatArray, responses: FloatArray) -> FloatArray:
        chance = np.clip(predict(candidates), *RANGE)
        return np.asarray(responses @ np.log(chance).T + (1 - responses) @ np.log1p(-chance).T)

    return scores


def logistic(x: FloatArray, y: FloatArray) -> Scores:
    """Logistic regression of every bit."""
    return bits(x, y, ())


def network_of_bits(x: FloatArray, y: FloatArray) -> Scores:
    """Network with one hidden layer for the chances of all bits."""
    return bits(x, y, (HIDDEN,))


def network(x: FloatArray, y: FloatArray) -> Scores:
    """Network with one hidden layer as encoding model; noise covariance from pairs it was not fitted to."""
    middle, scale = y.mean(axis=0), y.std(axis=0)
    y = (y - middle) / scale
    predict, held_out = _network(x, y, (HIDDEN,), binary=False)
    root = cholesky(noise_covariance(y[-len(held_out) :] - held_out), lower=True)

    def scores(candidates: FloatArray, responses: FloatArray) -> FloatArray:
        sides = predict(candidates), (responses - middle) / scale
        a, b = (solve_triangular(root, side.T, lower=True).T for side in sides)
        return np.asarray(b @ a.T - 0.5 * np.square(a).sum(axis=1))

    return scores


def infonce(scores: FloatArray, temperature: float = 1.0) -> float:
    """InfoNCE from a square matrix of scores, the right candidate on the diagonal: at most log of its size."""
    s = scores * temperature
    return float(np.mean(np.diag(s) - logsumexp(s, axis=1)) + np.log(len(s)))


def best_temperature(scores: FloatArray) -> float:
    """Factor on the scores with the largest InfoNCE, to be chosen on other pairs than it is used on."""
    found = minimize_scalar(lambda t: -infonce(scores, float(np.exp(t))), bounds=(-6, 3), method="bounded")
    return float(np.exp(found.x))


def gaussian_plug_in(x: FloatArray, y: FloatArray) -> float:
    """Information of the normal law with the Ledoit-Wolf covariance of both sides together, standardised."""
    from sklearn.covariance import ledoit_wolf

    both = np.concatenate([x, y], axis=1)
    both = (both - both.mean(axis=0)) / np.maximum(both.std(axis=0), 1e-12)
    covariance = ledoit_wolf(both, assume_centered=True)[0]
    p = x.shape[1]
    parts = covariance[:p, :p], covariance[p:, p:], covariance
    log_det = [np.linalg.slogdet(part)[1] for part in parts]
    return float(0.5 * (log_det[0] + log_det[1] - log_det[2]))
