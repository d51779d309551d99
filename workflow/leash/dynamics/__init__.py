"""The mathematics of the study, on arrays: no files, and nothing else of leash."""
