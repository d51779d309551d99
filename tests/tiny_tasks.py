"""Parameters of the default study's tasks, as unit tests use them."""

from typing import Any

PARAMS: dict[str, dict[str, Any]] = {
    "countdown": {
        "min_numbers": 3,
        "max_numbers": 4,
        "min_value": 1,
        "max_value": 9,
        "min_target": 10,
        "max_target": 60,
    },
    "prime_factorization": {"min_value": 10, "max_value": 999},
    "chain_sum": {"min_terms": 2, "max_terms": 3, "min_digits": 1, "max_digits": 2},
    "gcd": {"min_numbers": 2, "max_numbers": 2, "min_value": 2, "max_value": 99},
}
