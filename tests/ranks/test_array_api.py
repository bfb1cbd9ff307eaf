"""Arrays of other libraries, counted where they are: the same integers as from numpy's.

The strict reference implementation of the array API standard runs always; torch and jax where they are installed
(`make arrays`). All of them compute on the processor here, so they are told that their memory is not the processor's.
"""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

import classex as cx
from classex import _arrays as arrays
from classex.ranks import _comparison as comparison
from classex.ranks import _device as device

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
def send(request, monkeypatch):
    """Turn numpy's arrays into a library's, which are not in main memory."""
    convert = LIBRARIES[request.param]()
    monkeypatch.setattr(arrays, "in_main_memory", lambda _: False)
    for name in ("ROWS", "COLUMNS"):
        monkeypatch.setattr(device, name, 128)
    monkeypatch.setattr(device, "SCORES", 2**12)
    return convert


@pytest.fixture
def products(monkeypatch):
    """Precisions in which some device computed products."""
    used = []
    values = device.DeviceProduct._values
    monkeypatch.setattr(
        device.DeviceProduct, "_values", lambda self, *rest: used.append(self.dtype.name) or values(self, *rest)
    )
    return used


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
@pytest.mark.parametrize("make", [case, near_ties])
def test_the_same_integers_as_from_numpy(send, products, make, dtype, metric):
    test, references, labels = make(dtype)
    expected = cx.correct_ranks_from_embeddings(test, references, labels, metric=metric)
    assert products == []
    assert (expected.ties.max() > 0) == (make is near_ties)
    got = cx.correct_ranks_from_embeddings(send(test), send(references), send(labels), metric=metric)
    assert products
    assert set(products) == {"float32"}
    assert_same(got, expected)


@pytest.mark.parametrize("aggregate", ["nearest", "mean"])
def test_several_references_a_class(send, products, aggregate):
    test, references, labels = case(np.float32)
    # classes of one reference, of two, and of more than a block's columns
    owner = np.concatenate([np.arange(350), np.arange(100), np.full(250, 349)])
    owner = np.random.default_rng(3).permutation(owner)
    how = {"reference_labels": owner, "metric": "inner_product", "aggregate": aggregate}
    expected = cx.correct_ranks_from_embeddings(test, references, labels, **how)
    how["reference_labels"] = send(owner)
    assert_same(cx.correct_ranks_from_embeddings(send(test), send(references), labels, **how), expected)
    assert products


def test_one_of_the_two_on_the_device(send, products):
    test, references, labels = case(np.float64)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    for pair in ((send(test), references), (test, send(references))):
        assert_same(cx.correct_ranks_from_embeddings(*pair, labels), expected)
    assert products


@pytest.mark.parametrize("kind", [np.float16, np.int32])
def test_half_precision_and_integers_are_widened(send, products, kind):
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
    assert products


def test_bfloat16():
    torch = pytest.importorskip("torch")
    test, references, labels = case(np.float32)
    short = [torch.asarray(array).bfloat16() for array in (test, references)]
    expected = cx.correct_ranks_from_embeddings(*(array.float().numpy() for array in short), labels)
    assert_same(cx.correct_ranks_from_embeddings(*short, labels), expected)


def test_scores_are_counted_on_the_device(send, monkeypatch):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 50, (90, 600))
    labels = rng.integers(0, 600, 90)
    names = [f"class {c}" for c in range(600)]
    counted = []
    count = device.count_scores_there
    monkeypatch.setattr(device, "count_scores_there", lambda *rest: counted.append(rest[1]) or count(*rest))
    for kind in (np.float32, np.float64, np.int32):
        expected = cx.correct_ranks(scores.astype(kind), labels)
        assert expected.ties.max() > 0
        assert_same(cx.correct_ranks(send(scores.astype(kind)), send(labels)), expected)
    named = cx.correct_ranks(send(scores), [names[label] for label in labels], classes=names)
    assert_same(named, expected)
    assert len(counted) == 4 * 15
    plain = rng.normal(size=(90, 600))
    assert_same(cx.correct_ranks(send(plain), labels), cx.correct_ranks(plain, labels))


def test_bad_input(send):
    test, references, labels = case(np.float32)
    broken = test.copy()
    broken[7, 3] = np.nan
    with pytest.raises(ValueError, match="test must be finite, but holds nan at row 7, column 3"):
        cx.correct_ranks_from_embeddings(send(broken), send(references), labels)
    with pytest.raises(ValueError, match="scores must be finite, but holds nan at row 7, column 3"):
        cx.correct_ranks(send(broken), np.zeros(300, dtype=int))
    with pytest.raises(ValueError, match="references must have no zero row with metric='cosine', but row 0"):
        cx.correct_ranks_from_embeddings(send(test), send(0 * references), labels, metric="cosine")
    with pytest.raises(ValueError, match=r"labels must have shape \(300,\)"):
        cx.correct_ranks_from_embeddings(send(test), send(references), send(labels[:5]))
    with pytest.raises(ValueError, match="scores must have at least two columns"):
        cx.correct_ranks(send(test[:, :1]), labels)
    with pytest.raises(TypeError, match="scores must hold real numbers"):
        cx.correct_ranks(send(test.astype(np.complex64)), labels)


def shortened(matmul, bits):
    """A product whose factors keep some bits only, as on a device that is allowed TF32 (11) or bfloat16 (8)."""

    def short(array):
        value = np.array(array)
        mantissa, exponent = np.frexp(value)
        return array.__array_namespace__().asarray(
            np.ldexp(np.rint(mantissa * 2**bits) / 2**bits, exponent).astype(value.dtype), device=array.device
        )

    return lambda one, two: matmul(short(one), short(two))


@pytest.mark.parametrize("bits", [11, 8])
def test_shortened_factors_widen_the_band(monkeypatch, products, bits):
    """The ranks stay exact; had the band not been widened, they would not."""
    xp = importlib.import_module("array_api_strict")
    monkeypatch.setattr(arrays, "in_main_memory", lambda _: False)
    monkeypatch.setattr(xp, "matmul", shortened(xp.matmul, bits))
    test, references, labels = near_ties(np.float32)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    library = arrays.ArrayLibrary(xp.asarray(references))
    assert device.input_rounding(library, np.dtype(np.float32), (5, 3, 7)) == 2.0 ** (1 - bits)
    monkeypatch.setattr(comparison, "MOST_IN_DOUBT", 1.0)
    got = cx.correct_ranks_from_embeddings(xp.asarray(test), xp.asarray(references), labels)
    assert set(products) == {"float32"}
    assert_same(got, expected)
    monkeypatch.setattr(device, "input_rounding", lambda *_: 0.0)
    wrong = cx.correct_ranks_from_embeddings(xp.asarray(test), xp.asarray(references), labels)
    assert (wrong.wins != expected.wins).any()


def test_factors_that_torch_shortens_where_it_may(monkeypatch, products):
    """Processors with instructions for bfloat16 use them on request, as GPUs do; others change nothing."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(arrays, "in_main_memory", lambda _: False)
    before = torch.get_float32_matmul_precision()
    try:
        for precision in ("highest", "medium"):
            torch.set_float32_matmul_precision(precision)
            lost = device.input_rounding(arrays.ArrayLibrary(torch.ones(1)), np.dtype(np.float32), (500, 64, 500))
            assert lost in ((0.0,) if precision == "highest" else (0.0, 2.0**-7))
            for metric in METRICS:
                test, references, labels = near_ties(np.float32)
                expected = cx.correct_ranks_from_embeddings(test, references, labels, metric=metric)
                there = torch.asarray(test), torch.asarray(references)
                assert_same(cx.correct_ranks_from_embeddings(*there, labels, metric=metric), expected)
    finally:
        torch.set_float32_matmul_precision(before)
    assert "float32" in products


def test_too_much_in_doubt_goes_to_double_precision_and_then_to_the_processor(monkeypatch, products):
    xp = importlib.import_module("array_api_strict")
    monkeypatch.setattr(arrays, "in_main_memory", lambda _: False)
    rng = np.random.default_rng(6)
    labels = np.arange(300)
    far = 1e6 + rng.normal(size=(2, 300, 20))
    expected = cx.correct_ranks_from_embeddings(*far, labels, metric="inner_product")
    assert_same(cx.correct_ranks_from_embeddings(*map(xp.asarray, far), labels, metric="inner_product"), expected)
    # two sets of trial pairs, and the count
    assert products == ["float32", "float64", "float64"]
    products.clear()
    there = [xp.asarray(array.astype(np.float32), device=xp.Device("no_float64")) for array in far]
    near = [array.astype(np.float32) for array in far]
    expected = cx.correct_ranks_from_embeddings(*near, labels, metric="inner_product")
    assert_same(cx.correct_ranks_from_embeddings(*there, labels, metric="inner_product"), expected)
    # only the trial pairs, in the one precision there is
    assert products == ["float32"]


def test_a_device_without_double_precision(monkeypatch, products):
    xp = importlib.import_module("array_api_strict")
    monkeypatch.setattr(arrays, "in_main_memory", lambda _: False)
    test, references, labels = case(np.float32)
    there = [xp.asarray(array, device=xp.Device("no_float64")) for array in (test, references)]
    for metric in METRICS:
        expected = cx.correct_ranks_from_embeddings(test, references, labels, metric=metric)
        assert_same(cx.correct_ranks_from_embeddings(*there, labels, metric=metric), expected)
    assert set(products) == {"float32"}


def test_cosines_of_rows_that_a_device_takes_for_zero(monkeypatch, products):
    xp = importlib.import_module("array_api_strict")
    monkeypatch.setattr(arrays, "in_main_memory", lambda _: False)
    test, references, labels = case(np.float32)
    references *= np.float32(1e-37)
    expected = cx.correct_ranks_from_embeddings(test, references, labels, metric="cosine")
    got = cx.correct_ranks_from_embeddings(xp.asarray(test), xp.asarray(references), labels, metric="cosine")
    assert_same(got, expected)
    assert products == []


def test_arrays_in_main_memory_are_read_where_they_are(products):
    """Also by everything else that takes arrays."""
    xp = importlib.import_module("array_api_strict")
    test, references, labels = case(np.float32, n_classes=40)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    got = cx.correct_ranks_from_embeddings(xp.asarray(test), xp.asarray(references), xp.asarray(labels))
    assert_same(got, expected)
    assert products == []
    assert np.shares_memory(arrays.on_host(xp.asarray(test, copy=False)), test)
    scores = test @ references.T
    fitted = cx.Extrapolator(cx.methods.KernelDensity()).fit(xp.asarray(scores), xp.asarray(labels))
    assert fitted.predict(100) == cx.Extrapolator(cx.methods.KernelDensity()).fit(scores, labels).predict(100)


def test_beside_a_dask_array():
    """The device's part travels with the tasks."""
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

    assert arrays.library_of(Spread()) is None
    np.testing.assert_array_equal(cx.correct_ranks(Spread(), [1, 0]).wins, [1, 1])


def test_tensors_that_gather_gradients():
    torch = pytest.importorskip("torch")
    test, references, labels = case(np.float32)
    expected = cx.correct_ranks_from_embeddings(test, references, labels)
    tensors = [torch.asarray(array).requires_grad_() for array in (test, references)]
    assert_same(cx.correct_ranks_from_embeddings(*tensors, labels), expected)


def test_cupy_is_asked_in_its_own_words():
    """Its arrays refuse to become numpy's unasked, and are made on the current device."""
    entered = []

    class Place:
        def __enter__(self):
            entered.append("in")

        def __exit__(self, *_):
            entered.append("out")

    namespace = SimpleNamespace(__name__="cupy", asarray=np.asarray)
    fake = SimpleNamespace(
        __array_namespace__=lambda: namespace,
        __dlpack__=None,
        __dlpack_device__=lambda: (2, 0),
        dtype=np.dtype(np.float32),
        device=Place(),
        get=lambda: np.arange(3.0),
    )
    assert not arrays.in_main_memory(fake)
    np.testing.assert_array_equal(arrays.on_host(fake), [0, 1, 2])
    np.testing.assert_array_equal(arrays.ArrayLibrary(fake).send(np.ones(2)), [1, 1])
    assert entered == ["in", "out"]


@pytest.mark.filterwarnings("error")
def test_numpys_own_arrays_are_no_other_librarys():
    assert arrays.library_of(np.ones(2), np.float64(1), [1, 2], cx, None) is None
