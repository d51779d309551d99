"""How long a sampling job may run, by the plan."""

from leash.bill.last import UNPLANNED, minutes

PLAN = {
    "cells": [
        {"state": "base/final", "benchmark": "sums", "exhaustive": {"samples": 1000, "hours": 10.0}},
        {"state": "base/final", "benchmark": "gcd", "exhaustive": {"samples": 1000, "hours": None}},
    ]
}


def test_a_job_may_take_twice_its_share_of_the_planned_time() -> None:
    assert minutes(PLAN, "base/final", "sums", 500, 1) == 600
    assert minutes(PLAN, "base/final", "sums", 500, 2) == 300  # GPU-hours, of two GPUs at once
    assert minutes(PLAN, "base/final", "sums", 1, 1) == 30


def test_without_a_speed_it_has_twelve_hours() -> None:
    assert minutes(PLAN, "base/final", "gcd", 500, 1) == UNPLANNED
    assert minutes(PLAN, "rl/final", "sums", 500, 1) == UNPLANNED
    assert minutes(None, "base/final", "sums", 500, 1) == UNPLANNED
