"""The script that draws the glyphs: what it leaves out, and that it draws the shipped images again."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from classex_book.data import load_telugu

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture(scope="module")
def faces_module():
    sys.path.insert(0, str(SCRIPTS))
    try:
        yield import_module("telugu_faces")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def build(faces_module):
    missing = faces_module.missing_files()
    if missing:
        pytest.skip(f"{len(missing)} of Debian's Telugu fonts are not installed: {', '.join(faces_module.PACKAGES)}")
    if not pytest.importorskip("PIL.features").check("raqm"):
        pytest.skip("Pillow was built without raqm and cannot shape Telugu")
    return import_module("build_telugu")


@pytest.fixture(scope="module")
def glyphs():
    return load_telugu()


def test_families_split_by_designer(faces_module):
    families = faces_module.FAMILIES
    assert len(families) == 25
    assert sum(len(family.files) for family in families) == 68
    designers = [{family.designer for family in families if family.split == split} for split in ("train", "test")]
    assert not designers[0] & designers[1]


def test_468_syllables(faces_module):
    assert len(faces_module.SYLLABLES) == len(set(faces_module.SYLLABLES.values())) == 468


@pytest.mark.usefixtures("build")
def test_faults_are_found(faces_module):
    face = faces_module.Face("fonts-telu-extra/Pothana2000.ttf")
    assert face.shaping_fault("కై") == "split mark (beside the letter)"
    assert face.shaping_fault("కె") == "sign over the head stroke that it should replace"
    assert face.shaping_fault("కే") is None
    assert face.shaping_fault("क") == "missing glyph (empty box)"  # a Devanagari letter, which the font lacks
    noto = faces_module.Face("noto/NotoSansTelugu-Regular.ttf")
    assert noto.shaping_fault("\u0c3e") == "dotted circle"  # a sign without its letter
    assert noto.shaping_fault("క\u0c4d\u200cష") == "conjunct not formed"  # a non-joiner forbids the conjunct
    assert noto.shaping_fault("క్ష") is None
    assert noto.draw(" ").size == 0
    twins = faces_module.Face("teluguvijayam/NTR.ttf").faults
    assert twins == {"శౌ": "drawn like another class", "ళౌ": "drawn like another class"}


def test_look_alikes_need_99_percent(faces_module):
    ink = np.zeros((40, 40), dtype=bool)
    ink[5:30, 5:30] = True
    nearly, other = ink.copy(), ink.copy()
    nearly[29, 5:9] = False
    other[20:30, 5:30] = False
    assert faces_module._look_alikes({"a": ink, "b": nearly, "c": other, "d": ink[:20]}) == {"a", "b"}


@pytest.mark.usefixtures("faces_module")
def test_distortion_is_seeded_slight_and_keeps_strokes():
    render = import_module("telugu_render")
    ink = np.zeros((90, 120), dtype=bool)
    ink[10:80, 20:26] = ink[60:66, 20:110] = True
    field = render.distance_field(ink)
    assert (field > 0).sum() == ink.sum()
    assert render.half_stroke(field) == pytest.approx(3, abs=0.6)
    first, again = (render.distort(field, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    images = np.array([render.distort(field, np.random.default_rng(seed)) for seed in range(60)])
    assert len(np.unique(images.reshape(60, -1), axis=0)) == 60
    mean = images.mean(axis=0)
    assert mean.max() > 0.9
    assert images.sum(axis=(1, 2)).min() > 80


@pytest.fixture(scope="module")
def plan(build, faces_module, glyphs):
    """The script's plan without its slow search for faults: those are stored with the data."""
    left_out = {}
    for file, reason, texts in glyphs.left_out:
        left_out.setdefault(file, {}).update(dict.fromkeys(texts.split(), reason))
    pairs = [(file, index) for index, family in enumerate(faces_module.FAMILIES) for file in family.files]
    faces = [faces_module.Face(file) for file, _ in pairs]
    for face in faces:
        face.__dict__["faults"] = left_out.get(face.file, {})
    return build.Resampling(glyphs.syllables, tuple(faces), tuple(index for _, index in pairs))


@pytest.mark.parametrize("label", [0, 250, 467])
@pytest.mark.parametrize("split", ["train", "test"])
def test_the_script_draws_the_shipped_images(build, plan, glyphs, label, split):
    """Byte for byte under the recorded versions; under others a few pixels at the edge of the ink may differ."""
    images, faces = build.render_class(plan, glyphs.syllables[label], split)
    rows = slice(50 * label, 50 * label + 50)
    np.testing.assert_array_equal(faces, getattr(glyphs, f"{split}_faces")[rows])
    shipped = getattr(glyphs, f"{split}_images")[rows].astype(bool)
    if build.versions() == glyphs.versions:
        np.testing.assert_array_equal(images, shipped)
    else:
        assert (images != shipped).mean() < 0.01


def test_the_published_order_is_the_seeded_shuffle(build, faces_module, glyphs):
    order = np.random.default_rng(build.SEED).permutation(468)
    syllables = list(faces_module.SYLLABLES)
    assert glyphs.syllables == tuple(syllables[position] for position in order)


def test_written_file_is_deterministic(build, tmp_path):
    arrays = {"bits": np.arange(12, dtype=np.uint8).reshape(3, 4)}
    for name in ("one.npz", "two.npz"):
        build.write(tmp_path / name, arrays)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    with np.load(tmp_path / "one.npz", allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["bits"], arrays["bits"])
