"""The question bank, read by a parser that takes only what Moodle's documentation of its XML format names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

import numpy as np
import pytest

from classex.cli import main
from classex_book import quiz
from classex_book.course.exam import distinct_variants
from classex_book.course.exercises import numbers, variation, variation_names

COMMON = {"name", "questiontext", "generalfeedback", "defaultgrade", "penalty", "hidden", "idnumber", "tags", "hint"}
CHOICE = {"answer", "single", "shuffleanswers", "answernumbering"} | {
    f"{kind}feedback" for kind in ("correct", "partiallycorrect", "incorrect")
}
FORMATS = {"html", "moodle_auto_format", "plain_text", "markdown"}
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"
FIELD = re.compile(rf"\{{\d+:(?:NUMERICAL|NM):=({NUMBER}):({NUMBER})\}}")


@dataclass
class Read:
    """A question as Moodle stores it."""

    category: str
    kind: str
    name: str
    text: str
    feedback: str
    tags: list[str]
    fields: list[tuple[float, float]] = field(default_factory=list)
    options: list[tuple[float, str, str]] = field(default_factory=list)


def text_of(element: ElementTree.Element) -> str:
    """The one <text> of an element; anything else is no Moodle XML."""
    assert set(element.attrib) <= {"format"}
    assert element.get("format", "html") in FORMATS
    assert [child.tag for child in element] == ["text"]
    assert not (element.text or "").strip()
    return element[0].text or ""


def read_bank(path) -> list[Read]:
    """Read a bank, and refuse what the format does not have."""
    root = ElementTree.parse(path).getroot()
    assert root.tag == "quiz"
    found, category = [], ""
    for question in root:
        assert question.tag == "question"
        kind = question.attrib.pop("type")
        assert not question.attrib
        if kind == "category":
            assert [child.tag for child in question] == ["category"]
            category = text_of(question[0])
            assert category.startswith("$course$/top/")
            continue
        assert kind in ("cloze", "multichoice")
        tags = [child.tag for child in question]
        assert set(tags) <= (COMMON | CHOICE if kind == "multichoice" else COMMON)
        assert all(tags.count(tag) == 1 for tag in set(tags) - {"answer", "hint"})
        assert float(question.findtext("defaultgrade")) > 0
        marks = [text_of(tag) for tag in question.find("tags")]
        name, text, feedback = (text_of(question.find(tag)) for tag in ("name", "questiontext", "generalfeedback"))
        one = Read(category, kind, name, text, feedback, marks)
        if kind == "cloze":
            one.fields = [(float(value), float(error)) for value, error in FIELD.findall(text)]
            assert len(one.fields) == len(re.findall(r"\{\d*:[A-Z]", text)) > 0
        else:
            assert question.findtext("single") == "true"
            assert question.findtext("answernumbering") in {"none", "abc", "ABC", "123", "iii", "IIII"}
            for answer in question.findall("answer"):
                assert set(answer.attrib) == {"fraction", "format"}
                assert [child.tag for child in answer] == ["text", "feedback"]
                one.options.append((float(answer.get("fraction")), answer[0].text, text_of(answer[1])))
            assert max(fraction for fraction, *_ in one.options) == 100
        found.append(one)
    return found


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank")
    main(["edition", str(folder), "--bank", "3", "--seed", "word"])
    return read_bank(folder / "bank.xml")


@pytest.fixture(scope="module")
def exercises(bank):
    return [one for one in bank if one.kind == "cloze"]


def test_the_answer_is_that_of_the_variant_and_the_feedback_says_it(exercises):
    first = variation_names()[0]
    for one, variant in zip(exercises, distinct_variants(first, "word", 3), strict=False):
        key = [float(part) for part in variation(first).key(**numbers(first, variant))]
        assert [value for value, _ in one.fields] == pytest.approx(key)
        assert all(f"{value:.4g}" in one.feedback for value, _ in one.fields)
        assert one.tags == ["ch1", first, "points: 1"]
    assert all(len(one.feedback) > 40 for one in exercises)


def test_what_is_asked_for_is_accepted_and_the_digit_beside_it_is_not(exercises):
    rounded = [one for one in exercises if "3 significant digits" in one.text]
    assert len(rounded) > 100
    for one in rounded:
        for value, error in one.fields:
            assert abs(float(f"{value:.3g}") - value) <= error or error == 0
            assert error < 10.0 ** (np.floor(np.log10(abs(value) or 1)) - 2)
    circle = next(one for one in exercises if one.name.startswith("exr-ch1-circle"))
    assert circle.fields[0][1] == 0.003
    counts = next(one for one in exercises if one.name.startswith("exr-ch5-channels"))
    assert counts.fields[0][1] == 0
    assert "significant" not in counts.text


@pytest.mark.parametrize("chapter", [f"ch{number}" for number in range(1, 7)])
def test_the_quizzes_come_with_their_explanations(bank, chapter):
    found = [one for one in bank if one.category == f"$course$/top/ClassEx/Chapter {chapter[2:]}/Quiz"]
    asked = quiz(chapter).questions
    assert len(found) == len(asked)
    for one, question in zip(found, asked, strict=True):
        assert [fraction == 100 for fraction, *_ in one.options] == [option.right for option in question.options]
        assert all(why.startswith(("Right. ", "Not so. ")) and len(why) > 20 for *_, why in one.options)
