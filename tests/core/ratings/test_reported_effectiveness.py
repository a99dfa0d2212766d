import pytest

from stoic_assets.core.ratings.reported_effectiveness import reported_effectiveness


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([{"effectiveness": 0.7}], 0.7),
        ([{"metrics": {"effectiveness": 1, "quadrant": "Exuberant"}}], 1.0),
        ([{"effectiveness": 0.2}, {"output": "x"}, {"effectiveness": 0.4}], 0.4),
        ([], None),
        ([{"output": "saved"}, {"metrics": "good"}], None),
        ([{"effectiveness": 17}], None),
        ([{"effectiveness": True}, {"effectiveness": "0.5"}, {"effectiveness": float("nan")}], None),
    ],
)
def test_only_a_number_on_the_scale_counts_and_the_last_one_wins(events: list[dict[str, object]], told: object) -> None:
    assert reported_effectiveness(events) == told
