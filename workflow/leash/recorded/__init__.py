"""Results that lie on disk: counts per question, or completions that are verified here. Files in, files out."""
