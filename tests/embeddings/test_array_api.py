"""Arrays of other libraries, wherever they are: the same integers as from numpy's.

The strict reference implementation of the array API standard runs always; torch and jax where they are installed
(`make arrays`).
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import classex as cx
from classex import _checks as arrays

METRICS = ("euclidean", "inner_product", "cosine")


def strict_on(name):
    xp = importlib.import_module("array_api_strict")
    return lambda array: xp.asarray(np.array(array), device=xp.Device(name))


def from_torch():
    torch = pytest.importorskip("torch")
    return lambda array: torch.asarray(np.array(array))


def from_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return lambda array: jax.numpy.asarray(np.array(array))


LIBRARIES = {"strict": lambda: strict_on("device1"), "torch": from_torch, "jax": from_jax}


@pytest.fixture(params=LIBRARIES)
def send(request):
    """Turn numpy's arrays into a library's."""
    return LIBRARIES[request.param]()


def assert_same(got, expected):
    np.testing.assert_array_equal(got.wins, expected.wins)
    np.testing.assert_array_equal(got.ties, expected.ties)
    np.testing.assert_array_equal(got.labels, expected.labels)
    np.testing.assert_allclose(got.distractors.beaten, expected.distractors.beaten, rtol=1e-12)


def case(dtype, n_classes=700, n_features=24, seed=1):
    """Embeddings far from the origin, test points of some classes only."""
    rng = np.random.default_rng(seed)
    references = (3 + rng.normal(size=(n_classes, n_features))).astype(dtype)
    labels = rng.integers(0, n_classes // 2, 300)
    test = (references[labels] + rng.normal(size=(300, n_features))).astype(dtype)
    return test, references, labels


def near_ties(dtype, seed=2):
    """References that differ from each other in their last bits, mirrored ones, and equal ones."""
    rng = np.random.default_rng(seed)
    few = rng.normal(size=(12, 20)).astype(dtype)
    last = few.astype(dtype)
    last[:, 3] = np.nextafter(last[:, 3], dtype(np.inf), dtype=dtype)
    spread = rng.normal(size=(3000, 20)).astype(dtype)
    references = np.concatenate([few, last, few[::-1], spread])
    labels = np.arange(36).repeat(4)
    test = (references[labels] + 0.5 * rng.normal(size=(144, 20))).astype(dtype)
    return test, references, labels


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_integers_as_from_numpy(send, dtype, metric):
    test, references, labels = near_ties(dtype)
    expected = cx.correct_ranks_from_embeddings(test, references, labels, metric=metric)
    assert expected.ties.max() > 0
    for pair in ((send(test), send(references)), (send(test), references), (test, send(references))):
        assert_same(cx.correct_ranks_from_embeddings(*pair, send(labels), metric=metric), expected)


@pytest.mark.parametrize("kind", [np.float16, np.int32])
def test_half_precision_and_integers_are_widened(send, kind):
    rng = np.random.default_rng(4)
    references = rng.integers(-40, 40, (200, 30)).astype(kind)
    test = references + rng.integers(-30, 30, references.shape).astype(kind)
    labels = np.arange(200)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    try:
        there = send(test), send(references)
    except TypeError:
        pytest.skip("the standard has no half precision")
    assert_same(cx.correct_ranks_from_embeddings(*there, labels), expected)


def test_scores(send):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 50, (90, 600))
    labels = rng.integers(0, 600, 90)
    names = [f"class {c}" for c in range(600)]
    for kind in (np.float32, np.float64, np.int32):
        expected = cx.correct_ranks(scores.astype(kind), labels)
        assert expected.ties.max() > 0
        assert_same(cx.correct_ranks(send(scores.astype(kind)), send(labels)), expected)
    named = cx.correct_ranks(send(scores), [names[label] for label in labels], classes=names)
    assert_same(named, expected)


def test_bfloat16():
    torch = pytest.importorskip("torch")
    test, references, labels = case(np.float32)
    short = [torch.asarray(array).bfloat16() for array in (test, references)]
    expected = cx.correct_ranks_from_embeddings(*(array.float().numpy() for array in short), labels)
    assert_same(cx.correct_ranks_from_embeddings(*short, labels), expected)


def test_arrays_in_main_memory_are_read_where_they_are():
    """Also by everything else that takes arrays."""
    xp = importlib.import_module("array_api_strict")
    test, references, labels = case(np.float32, n_classes=40)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    got = cx.correct_ranks_from_embeddings(xp.asarray(test), xp.asarray(references), xp.asarray(labels))
    assert_same(got, expected)
    assert np.shares_memory(arrays.on_host(xp.asarray(test, copy=False)), test)
    scores = test @ references.T
    fitted = cx.Extrapolator(cx.methods.KernelDensity()).fit(xp.asarray(scores), xp.asarray(labels))
    assert fitted.predict(100) == cx.Extrapolator(cx.methods.KernelDensity()).fit(scores, labels).predict(100)


def test_beside_a_dask_array():
    da = importlib.import_module("dask.array")
    xp = importlib.import_module("array_api_strict")
    test, references, labels = case(np.float32, n_classes=90)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    there = xp.asarray(references, device=xp.Device("device1"))
    chunked = da.from_array(test, chunks=(100, 24))
    assert_same(cx.correct_ranks_from_embeddings(chunked, there, labels), expected)


def test_an_array_that_is_spread_over_devices_is_brought_together():
    class Spread:
        dtype = np.dtype(np.float32)

        def __array_namespace__(self):
            raise AssertionError("asked for functions")

        def __dlpack_device__(self):
            raise BufferError("several devices")

        def __dlpack__(self, **_):
            raise BufferError("several devices")

        def __array__(self, dtype=None, copy=None):
            return np.array([[0.1, 0.9], [0.8, 0.2]], dtype)

    np.testing.assert_array_equal(cx.correct_ranks(Spread(), [1, 0]).wins, [1, 1])


def test_tensors_that_gather_gradients():
    torch = pytest.importorskip("torch")
    test, references, labels = case(np.float32)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    tensors = [torch.asarray(array).requires_grad_() for array in (test, references)]
    assert_same(cx.correct_ranks_from_embeddings(*tensors, labels), expected)
