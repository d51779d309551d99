"""The study's figures, as PDF and PNG: numbers come from metrics files and are only drawn here."""
