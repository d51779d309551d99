"""Teacher-forced scoring of token ids: what is scored (work), together (batches), by the model (forward), and how
its logits become log-likelihoods and entropies (reduce).

Scores are of the model as it is, at temperature 1: whatever the temperature at which completions were drawn.
"""

SCORER_VERSION = 1
"""Raise it when a change here changes the scores: everything is then scored anew."""
