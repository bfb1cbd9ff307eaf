"""What the book's exercises and quizzes run on: ``check``, ``quiz``, ``load_study``, and marking.

A chapter brings two modules, ``checks_ch1`` with the checkers of its exercises and ``quiz_ch1`` with its
questions. They are loaded when the chapter is asked for. ``import classex`` loads nothing of this.
"""

from __future__ import annotations

from classex_book.exercises import ExerciseError, check, exercise_names
from classex_book.marking import Mark, mark_notebook
from classex_book.questions import Quiz, quiz
from classex_book.studies import load_study

__all__ = ["ExerciseError", "Mark", "Quiz", "check", "exercise_names", "load_study", "mark_notebook", "quiz"]
