"""Quizzes: questions whose options unfold into an explanation, as HTML that needs no script and no network."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from importlib import import_module

__all__ = ["Option", "Question", "Quiz", "no", "quiz", "yes"]


@dataclass(frozen=True)
class Option:
    """One answer to choose, and why it is right or wrong.

    Examples
    --------
    >>> from classex_book.course.questions import Option, no
    >>> no("$k$", "One of them is the truth.") == Option(
    ...     "$k$", "One of them is the truth.", right=False
    ... )
    True
    """

    text: str
    why: str
    right: bool


def yes(text: str, why: str) -> Option:
    """Make the right option, with its explanation.

    Examples
    --------
    >>> from classex_book.course.questions import yes
    >>> yes("$k - 1$", "All but the truth.").right
    True
    """
    return Option(text, why, True)


def no(text: str, why: str) -> Option:
    """Make a wrong option, with its explanation.

    Examples
    --------
    >>> from classex_book.course.questions import no
    >>> no("$k$", "One of them is the truth.").right
    False
    """
    return Option(text, why, False)


@dataclass(frozen=True)
class Question:
    """A question with three or four options, exactly one of them right.

    All texts may hold mathematics between dollar signs, code between backticks and emphasis between stars.

    Raises
    ------
    ValueError
        If the number of options or of right ones is another, an explanation is missing, or two options agree.

    Examples
    --------
    >>> from classex_book.course.questions import Question, no, yes
    >>> options = (
    ...     yes("$k - 1$", "All but the truth."),
    ...     no("$k$", "One is the truth."),
    ...     no("$1$", "All compete."),
    ... )
    >>> question = Question("How many wrong labels are there among $k$?", options)
    >>> [option.right for option in question.options]
    [True, False, False]
    """

    text: str
    options: tuple[Option, ...]

    def __post_init__(self) -> None:
        if len(self.options) not in (3, 4):
            raise ValueError(f"options must be three or four, not {len(self.options)}: {self.text!r}")
        if sum(option.right for option in self.options) != 1:
            raise ValueError(f"options must hold exactly one right one: {self.text!r}")
        if not all(option.why.strip() for option in self.options):
            raise ValueError(f"options must all be explained: {self.text!r}")
        if len({option.text for option in self.options}) < len(self.options):
            raise ValueError(f"options must all differ: {self.text!r}")


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
        # for paper: first all questions, then all explanations
        asked, explained = [], []
        for number, question in enumerate(self.questions, 1):
            options = list(zip("abcd", question.options, strict=False))
            lines = [f"   - ({letter}) {option.text}" for letter, option in options]
            asked.append(f"{number}. {question.text}\n\n" + "\n".join(lines))
            lines = [f"({letter}) {'Right.' if option.right else 'Not so.'} {option.why}" for letter, option in options]
            explained.append(f"{number}. " + " ".join(lines))
        return "\n\n".join([*asked, "**Answers**", *explained])


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
    module = f"classex_book.chapters.{chapter}.quiz"
    if not re.fullmatch("ch[1-6]", str(chapter)):
        raise ValueError(f"chapter must be one that has a quiz, such as 'ch1', not {chapter!r}")
    return Quiz(chapter, tuple(import_module(module).questions()))


def _item(question: Question, name: str) -> str:
    # details of one name close each other, in browsers that know this; elsewhere several may stay open
    options = "\n".join(
        f'<details name="{name}" class="{"right" if option.right else "wrong"}">'
        f"<summary{_name(option.text)}>{_inline(option.text)}</summary>"
        f"<p><strong>{'Right.' if option.right else 'Not so.'}</strong> {_inline(option.why)}</p></details>"
        for option in question.options
    )
    return f"<li><p>{_inline(question.text)}</p>\n{options}\n</li>"


def _name(text: str) -> str:
    """Name for screen readers of an option that is a formula, mostly a number, and so has no text of its own."""
    if re.search(r"\w", re.sub(r"\$[^$]+\$", "", text)):
        return ""
    return f' aria-label="{html.escape(text.replace("$", ""))}"'


def _inline(text: str) -> str:
    """HTML of a line of text with $mathematics$, `code` and *emphasis*."""
    parts = re.split(r"(\$[^$]+\$|`[^`]+`|\*[^*]+\*)", text)
    out = []
    for part in parts:
        inner = html.escape(part[1:-1])
        if re.fullmatch(r"\$-?[0-9][0-9.,]*(?:e-?[0-9]+)?\$", part):
            out.append(inner)  # a plain number: read aloud as it stands, also where it is all of an option
        elif part.startswith("$") and len(part) > 1:
            out.append(rf"\({inner}\)")
        elif part.startswith("`") and len(part) > 1:
            out.append(f"<code>{inner}</code>")
        elif part.startswith("*") and len(part) > 1:
            out.append(f"<em>{inner}</em>")
        else:
            out.append(html.escape(part))
    return "".join(out)
