"""What the book's exercises and quizzes run on: ``check``, ``quiz``, ``load_study``, and marking.

The exercises and questions of a chapter are in its folder of ``chapters``, which is loaded when the chapter is
checked. ``import classex`` loads nothing of this.
"""

from __future__ import annotations

from classex_book.course.exercises import ExerciseError, check, exercise_names
from classex_book.course.marking import Mark, mark_notebook
from classex_book.course.questions import Quiz, quiz
from classex_book.studies import load_study

__all__ = ["ExerciseError", "Mark", "Quiz", "check", "exercise_names", "load_study", "mark_notebook", "quiz"]
