"""The exercises and quizzes of the six chapters: checkers, questions, and exercises with other numbers."""
