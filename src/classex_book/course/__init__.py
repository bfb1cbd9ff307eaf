"""What teachers run: exercises and their marking, editions with other numbers, exams and question banks."""
