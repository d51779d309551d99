"""Whether two mathematical answers are the same: cleaning, reading, evaluation, comparison."""
