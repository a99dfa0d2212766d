"""What a run configuration may ask of conversations, and what the web UI shows of them."""

from collections.abc import Callable
from typing import Any

import dagster as dg
import pytest

from stoic_assets.adapters.evaluation.conversations import HeldEvaluation
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.secrets.redaction import Redactor
from stoic_assets.defs.transcripts import ConversationConfig, _metadata, transcripts

TRIAL = {"turns": 2, "failure_count": 0, "detail": None}


def test_the_launchpad_is_told_what_each_field_takes() -> None:
    fields = ConversationConfig.to_config_schema().as_field().config_type.fields
    assert fields.keys() == ConversationConfig.model_fields.keys()
    assert [name for name, each in fields.items() if not each.description] == []


@pytest.mark.parametrize(
    "wanted", [{"repeats": 0}, {"judge_samples": 51}, {"conditions": "some"}, {"at_once": 0}, {"max_cost": -1}]
)
def test_what_no_evaluation_can_be_is_told_in_one_line(wanted: dict[str, int | str]) -> None:
    [key] = wanted
    with pytest.raises(ConfigurationError, match=f"^{key}: [^\\n]+$"):
        ConversationConfig(**wanted).request()


@pytest.fixture
def shown(
    workplace: Workplace, instance: dg.DagsterInstance, make_manifest: Callable[..., Manifest],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., dict[str, Any]]:
    """Holds an evaluation whose trials ended with these outcomes, and returns the metadata."""
    manifest = make_manifest(addresses={"chat": "http://agent:1", "again": "http://agent:1"})

    def shown(*outcomes: str) -> dict[str, Any]:
        async def hold(*_: Any, **__: Any) -> HeldEvaluation:
            rows = [{"trial_id": f"t{number}", "outcome": each, **TRIAL} for number, each in enumerate(outcomes)]
            return HeldEvaluation(manifest, max(1, len(rows)), rows, {})

        monkeypatch.setattr("stoic_assets.defs.transcripts.hold_evaluation", hold)
        result = dg.materialize(
            [transcripts], instance=instance, partition_key=manifest.agent_version,
            tags={"stoic/evaluation_id": manifest.evaluation_id}, resources={"workplace": workplace},
        )
        [event] = result.get_asset_materialization_events()
        return {name: value.value for name, value in event.materialization.metadata.items()}

    return shown


@pytest.mark.parametrize(
    ("outcomes", "shares"),
    [
        ([], {}),
        (["signed_off"], {"invalid_share": 0, "agent_error_share": 0}),
        (["signed_off", "agent_error", *["infra_error"] * 2], {"invalid_share": 0.5, "agent_error_share": 0.25}),
    ],
)
def test_shares_are_of_the_trials_that_ended_and_missing_where_none_did(
    shown: Callable[..., dict[str, Any]], outcomes: list[str], shares: dict[str, float]
) -> None:
    assert {name: value for name, value in shown(*outcomes).items() if name.endswith("_share")} == shares


def test_it_is_shown_whom_the_conversations_were_held_with(shown: Callable[..., dict[str, Any]]) -> None:
    metadata = shown("signed_off")
    assert (metadata["agent_url"], metadata["agent_model"], metadata["simulated_user"]) == ("http://agent:1", "m", "m")


def test_an_address_is_shown_without_the_secret_in_it(make_manifest: Callable[..., Manifest]) -> None:
    manifest = make_manifest(addresses={"chat": "http://agent:1/sk-abc"})
    told = _metadata(HeldEvaluation(manifest, 0, [], {}), Redactor(["sk-[a-z]+"]))
    assert told["agent_url"] == "http://agent:1/[redacted]"


def test_a_run_is_known_by_the_evaluation_that_it_begins_which_no_other_may_continue_meanwhile(
    workplace: Workplace, instance: dg.DagsterInstance, make_manifest: Callable[..., Manifest],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    locked: list[str] = []

    async def hold(*_: Any, **__: Any) -> HeldEvaluation:
        return HeldEvaluation(make_manifest(), 0, [], {})

    monkeypatch.setattr("stoic_assets.defs.transcripts.hold_evaluation", hold)
    monkeypatch.setattr(type(workplace.evidence), "lock_for_run", lambda _, version, each: locked.append(each))
    result = dg.materialize(
        [transcripts], instance=instance, partition_key="marcus@1.0.0", resources={"workplace": workplace}
    )
    run = instance.get_run_by_id(result.run_id)
    assert run is not None
    assert locked == [run.tags["stoic/evaluation_id"]] == [result.run_id]
