"""The Telugu glyphs that come with the package."""

from __future__ import annotations

import unicodedata
from dataclasses import FrozenInstanceError
from importlib.resources import files

import numpy as np
import pytest

from classex_book.data import load_telugu
from classex_book.data.telugu import DESCRIPTION


@pytest.fixture(scope="module")
def glyphs():
    return load_telugu()


def test_size_and_balance(glyphs):
    assert glyphs.n_classes == 468
    for images, labels in (
        (glyphs.train_images, glyphs.train_labels),
        (glyphs.test_images, glyphs.test_labels),
    ):
        assert images.shape == (468 * 50, 48, 48)
        assert images.dtype == np.uint8
        assert (images.min(), images.max()) == (0, 1)
        np.testing.assert_array_equal(np.bincount(labels, minlength=468), 50)
    with pytest.raises(FrozenInstanceError):
        glyphs.versions = {}


def test_no_image_is_empty_or_cut_off_or_a_copy(glyphs):
    for images in (glyphs.train_images, glyphs.test_images):
        ink = images.sum(axis=(1, 2), dtype=int)
        assert ink.min() > 60
        assert ink.max() < 48 * 48 * 0.7
        rim = np.concatenate(
            [images[:, [0, -1], :].reshape(len(images), -1), images[:, :, [0, -1]].reshape(len(images), -1)], 1
        )
        assert (rim.sum(axis=1) > 6).mean() < 0.01
    everything = np.concatenate([glyphs.train_images, glyphs.test_images]).reshape(-1, 48 * 48)
    packed = np.packbits(everything, axis=1)
    assert len(np.unique(packed, axis=0)) == len(packed)


def test_families_are_disjoint_and_take_turns(glyphs):
    train, test = set(glyphs.train_families.tolist()), set(glyphs.test_families.tolist())
    assert not train & test
    assert (len(train), len(test)) == (13, 12)
    assert train | test == set(range(len(glyphs.family_names)))
    noto = {glyphs.family_names.index(f"Noto {kind} Telugu") for kind in ("Sans", "Serif")}
    assert noto <= test
    for labels, families in (
        (glyphs.train_labels, glyphs.train_families),
        (glyphs.test_labels, glyphs.test_families),
    ):
        shares = np.zeros((468, len(glyphs.family_names)), dtype=int)
        np.add.at(shares, (labels, families), 1)
        for row in shares:
            used = row[row > 0]
            assert used.size >= 10
            assert used.max() - used.min() <= 1


def test_faces_belong_to_the_families_and_left_out_drawings_are_not_shipped(glyphs):
    syllables = {text: label for label, text in enumerate(glyphs.syllables)}
    reasons = {reason for _, reason, _ in glyphs.left_out}
    assert {"split mark (beside the letter)", "drawn like another class"} <= reasons
    for file, _, texts in glyphs.left_out:
        face = glyphs.face_names.index(file.rsplit("/", 1)[-1])
        labels = [syllables[text] for text in texts.split()]
        for labels_of_images, faces in (
            (glyphs.train_labels, glyphs.train_faces),
            (glyphs.test_labels, glyphs.test_faces),
        ):
            assert not np.isin(labels_of_images[faces == face], labels).any()
    for families, faces in ((glyphs.train_families, glyphs.train_faces), (glyphs.test_families, glyphs.test_faces)):
        for face in np.unique(faces):
            assert np.unique(families[faces == face]).size == 1


def test_class_names(glyphs):
    assert len(set(glyphs.syllables)) == len(set(glyphs.transliterations)) == 468
    names = dict(zip(glyphs.syllables, glyphs.transliterations, strict=True))
    assert names["క"] == "ka"
    assert names["ఖే"] == "khē"
    assert names["క్షౌ"] == "kṣau"
    assert names["టృ"] == "ṭr̥"
    for text in glyphs.syllables:
        assert all(unicodedata.name(character).startswith("TELUGU") for character in text)


def test_smaller_sets_are_nested(glyphs):
    for count in (2, 20, 100):
        part = load_telugu(count)
        assert part.syllables == glyphs.syllables[:count]
        for name in ("train_images", "train_labels", "train_families", "test_images", "test_labels", "test_faces"):
            np.testing.assert_array_equal(getattr(part, name), getattr(glyphs, name)[: 50 * count])


def test_classes_differ_across_families(glyphs):
    """The mean training image of a class resembles the mean test image of that class more than any other."""
    means = [
        images.reshape(468, 50, -1).mean(axis=1)
        for images in (glyphs.train_images.astype(np.float32), glyphs.test_images.astype(np.float32))
    ]
    train, test = (mean - mean.mean(axis=0) for mean in means)
    train /= np.linalg.norm(train, axis=1, keepdims=True)
    test /= np.linalg.norm(test, axis=1, keepdims=True)
    closest = (test @ train.T).argmax(axis=1)
    assert (closest == np.arange(468)).mean() > 0.9


def test_description_and_licences(glyphs):
    assert glyphs.DESCR is DESCRIPTION
    assert "468 classes" in glyphs.DESCR
    assert set(glyphs.versions) == {"pillow", "freetype2", "raqm", "harfbuzz"}
    data = files("classex_book.data")
    licences = (data / "TELUGU-LICENSES.md").read_text(encoding="utf-8")
    assert all(name in licences for name in glyphs.family_names)
    assert len((data / "telugu.npz").read_bytes()) < 12e6


@pytest.mark.parametrize("bad", [1, 469, 2.5])
def test_a_wrong_number_of_classes_is_refused(bad):
    with pytest.raises(ValueError, match="n_classes must be an integer of at least 2 and at most 468"):
        load_telugu(bad)
