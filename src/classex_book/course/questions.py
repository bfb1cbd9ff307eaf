"""Quizzes: questions whose options unfold into an explanation, as HTML that needs no script and no network."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from importlib import import_module

from classex_book.course.texts import CHAPTERS, Numbers, fill, read_chapter


@dataclass(frozen=True)
class Option:
    """An option of a question, and why it is right or wrong."""

    text: str
    why: str
    right: bool = False

    @property
    def verdict(self) -> str:
        """The word before the explanation."""
        return "Right." if self.right else "Not so."


@dataclass(frozen=True)
class Question:
    """A question with its options, exactly one of them right.

    All texts may hold mathematics between dollar signs, code between backticks and emphasis between stars.
    """

    text: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Quiz:
    """The questions of a chapter; a notebook shows them as a list in which every option unfolds.

    Examples
    --------
    >>> from classex_book import quiz
    >>> quiz("ch1")
    Quiz('ch1', 7 questions)
    """

    chapter: str
    questions: tuple[Question, ...]

    def __repr__(self) -> str:
        return f"Quiz({self.chapter!r}, {len(self.questions)} questions)"

    def _repr_html_(self) -> str:
        items = "\n".join(_item(question, f"quiz-{self.chapter}-{i}") for i, question in enumerate(self.questions, 1))
        # the classes make the book's MathJax look inside
        return f'<div class="classex-quiz tex2jax_process mathjax_process">\n<ol>\n{items}\n</ol>\n</div>'

    def _repr_markdown_(self) -> str:
        # on paper: first all questions, then all explanations
        questions, explanations = [], []
        for number, question in enumerate(self.questions, 1):
            options = list(zip("abcd", question.options, strict=False))
            lines = [f"   - ({letter}) {option.text}" for letter, option in options]
            questions.append(f"{number}. {question.text}\n\n" + "\n".join(lines))
            explanations.append(
                f"{number}. " + " ".join(f"({letter}) {one.verdict} {one.why}" for letter, one in options)
            )
        return "\n\n".join([*questions, "**Answers**", *explanations])


def quiz(chapter: str) -> Quiz:
    """Make the quiz of a chapter; its numbers are computed now.

    Parameters
    ----------
    chapter : str
        Such as ``"ch1"``.

    Raises
    ------
    ValueError
        If the chapter has no quiz.

    Examples
    --------
    >>> from classex_book import quiz
    >>> len(quiz("ch1").questions) >= 5
    True
    """
    if chapter not in CHAPTERS:
        raise ValueError(f"chapter must be one that has a quiz, such as 'ch1', not {chapter!r}")
    computed = import_module(f"classex_book.chapters.{chapter}.quiz")
    questions = []
    for name, entry in read_chapter(chapter, "quiz").items():
        compute = getattr(computed, name.replace("-", "_"), None)  # a question without numbers has none
        numbers: Numbers = compute() if compute else {}
        options = [
            Option(fill(one["text"], numbers), fill(one["why"], numbers), one.get("right", False))
            for one in entry["options"]
        ]
        questions.append(Question(fill(entry["text"], numbers), tuple(options)))
    return Quiz(chapter, tuple(questions))


def _item(question: Question, name: str) -> str:
    # details of one name close each other, in browsers that know this; elsewhere several may stay open
    options = "\n".join(
        f'<details name="{name}" class="{"right" if option.right else "wrong"}">'
        f"<summary{_label(option.text)}>{inline(option.text)}</summary>"
        f"<p><strong>{option.verdict}</strong> {inline(option.why)}</p></details>"
        for option in question.options
    )
    return f"<li><p>{inline(question.text)}</p>\n{options}\n</li>"


def _label(text: str) -> str:
    """Name for screen readers of an option that is a formula, mostly a number, and so has no text of its own."""
    if re.search(r"\w", re.sub(r"\$[^$]+\$", "", text)):
        return ""
    return f' aria-label="{html.escape(text.replace("$", ""))}"'


def inline(text: str) -> str:
    """Return the HTML of a line of text with $mathematics$, `code` and *emphasis*."""
    return "".join(map(_markup, re.split(r"(\$[^$]+\$|`[^`]+`|\*[^*]+\*)", text)))


def _markup(part: str) -> str:
    inner = html.escape(part[1:-1])
    if re.fullmatch(r"\$-?[0-9][0-9.,]*(?:e-?[0-9]+)?\$", part):
        return inner  # a plain number: read aloud as it stands, also where it is all of an option
    marks = {"$": rf"\({inner}\)", "`": f"<code>{inner}</code>", "*": f"<em>{inner}</em>"}
    return marks.get(part[:1], html.escape(part)) if len(part) > 1 else html.escape(part)
