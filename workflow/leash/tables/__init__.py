"""The study's tables, as CSV, Markdown and LaTeX: numbers are only laid out here, never computed."""
