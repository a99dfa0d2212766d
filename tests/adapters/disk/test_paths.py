import pytest

from stoic_assets.adapters.disk.paths import shipped
from stoic_assets.core.errors import ConfigurationError


@pytest.mark.parametrize("name", ["eval_jobs", "releases", "dbt_like_sql", "dagster.yaml", "stoic.yml"])
def test_what_is_shipped_is_found(name: str) -> None:
    assert shipped(name).exists()


def test_what_is_missing_is_said() -> None:
    with pytest.raises(ConfigurationError, match="nothing is missing from the installation; install stoic-eval again"):
        shipped("nothing")
