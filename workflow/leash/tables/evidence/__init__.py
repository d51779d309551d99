"""What speaks for the regions of a study, as three tables: evidence, sensitivity, budgets."""
