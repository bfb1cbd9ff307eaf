"""The names: classes and their names in other languages, read from babel."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from classex.datasets import Names, load_names

# other tests run the same lines of the package, and the tracer would take up to as much time again
pytestmark = pytest.mark.no_cover

pytest.importorskip("babel")


@pytest.fixture(scope="module")
def names():
    return load_names()


def test_every_class_has_its_names(names):
    count = np.bincount(names.labels)
    assert names.n_classes == count.size == len(set(names.references)) >= 1_350
    assert count.min() >= 20
    assert len(names.names) == count.sum() == names.labels.size
    assert np.all(np.diff(names.labels) >= 0)
    assert set(names.kinds) == {"languages", "territories", "scripts", "currencies", "variants", "cities"}
    assert "Unicode Licence" in names.DESCR


def test_no_name_is_the_english_one_and_none_comes_twice(names):
    pairs = list(zip(names.labels.tolist(), names.names, strict=True))
    assert len(set(pairs)) == len(pairs)
    assert not [name for label, name in pairs if name == names.references[label]]


def test_all_letters_of_the_other_names_are_latin(names):
    letters = {character for name in names.names for character in name if character.isalpha()}
    assert all("LATIN" in unicodedata.name(letter) for letter in letters)


def test_known_names_are_found(names):
    germany = names.references.index("germany")
    assert names.kinds[germany] == "territories"
    found = {names.names[i] for i in np.flatnonzero(names.labels == germany)}
    assert {"deutschland", "allemagne", "tyskland", "saksa", "německo"} <= found


def test_the_order_is_fixed_and_random(names):
    again = load_names()
    assert (again.references, again.names) == (names.references, names.names)
    # the mean place in the alphabet of the first 200 classes against its law without replacement: z = 4
    place = np.argsort(np.argsort(names.references))
    n, drawn = names.n_classes, 200
    error = np.sqrt((n**2 - 1) / 12 / drawn * (n - drawn) / (n - 1))
    assert abs(place[:drawn].mean() - (n - 1) / 2) < 4 * error


def test_fewer_names_keep_more_classes(names):
    more = load_names(at_least=5)
    assert isinstance(more, Names)
    assert set(names.references) < set(more.references)


@pytest.mark.parametrize("bad", [0, -1, 1.5])
def test_bad_numbers_are_refused(bad):
    with pytest.raises((TypeError, ValueError), match="at_least"):
        load_names(at_least=bad)


def test_asking_too_much_leaves_nothing():
    with pytest.raises(ValueError, match="at_least must leave two classes"):
        load_names(at_least=100_000)
