"""What holds for all tests."""

import os

from hypothesis import HealthCheck, settings

# No deadline: a busy machine is no fault of the code. Derandomised in CI: the same commit gives the same verdict.
settings.register_profile(
    "suite", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow],
    max_examples=int(os.environ.get("STOIC_TEST_EXAMPLES", "40")),
)
settings.load_profile("suite")
