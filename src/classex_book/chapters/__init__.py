"""The exercises and quizzes of the six chapters, and the tasks of the labs.

A chapter is a folder. ``exercises.toml`` holds what an exercise says: points, minutes, what it expects, its hint, and
its text with other numbers; ``checks`` has a function of the same name that verifies an answer, ``variations`` draws
the numbers and works out the key in another way. ``quiz.toml`` holds the questions, ``quiz`` computes their numbers.

The tasks of all labs stand in one folder, ordered by the names of the pages; the exercise of part III comes last. They
have neither variations nor a quiz.
"""
