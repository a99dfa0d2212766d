"""What a run configuration may ask of judges, and what Dagster shows of their verdicts."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from judged_trial import TRIAL
from smallest_job import smallest_job

from stoic_assets.adapters.evaluation.judging import JudgingRequest
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.judging.scores import VirtueScore
from stoic_assets.core.scoring.assertion_results import AssertionResult
from stoic_assets.defs.judging import JudgingConfig, _judging, assertion_results, verdicts
from stoic_assets.defs.partitions import agent_versions


def materialised(
    assets: Sequence[dg.AssetsDefinition], workplace: Workplace, manifest: Manifest, *trials: Mapping[str, Any]
) -> list[dg.AssetMaterialization]:
    """What these make, in order, for an evaluation with these trials."""
    version = manifest.agent_version
    workplace.evidence.begin(manifest)
    for table in ("trials", "turns", "observations"):
        workplace.warehouse.write(table, version, manifest.evaluation_id, trials if table == "trials" else [])
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(agent_versions.name), [version])
        result = dg.materialize(assets, resources={"workplace": workplace}, instance=instance, partition_key=version)
        return [event.materialization for event in result.get_asset_materialization_events()]


def shown_of(
    asset: dg.AssetsDefinition, workplace: Workplace, manifest: Manifest, *trials: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """What is shown of each asset that this makes for such an evaluation."""
    return [dict(each.metadata) for each in materialised([asset], workplace, manifest, *trials)]


def test_verdicts_are_given_before_assertions_are_decided(
    workplace: Workplace, make_manifest: Callable[..., Manifest]
) -> None:
    """If a cost ceiling refuses new verdicts, all that was decided before stands."""
    made = materialised([assertion_results, verdicts], workplace, make_manifest())
    assert [each.asset_key.to_user_string() for each in made] == ["task_scores", "virtue_scores", "assertion_results"]


def test_nothing_need_be_said() -> None:
    assert (JudgingConfig().samples, JudgingConfig(samples=50, max_cost=0).samples) == (None, 50)


@pytest.mark.parametrize("offline", [True, False])
def test_where_there_is_nothing_to_judge_it_is_still_shown_whether_all_was_offline(
    workplace: Workplace, make_manifest: Callable[..., Manifest], offline: bool
) -> None:
    shown = shown_of(verdicts, workplace, make_manifest(offline=offline))
    assert [(each["dagster/row_count"].value, each["offline"].value) for each in shown] == [(0, offline)] * 2
    assert [name for each in shown for name in each if name.endswith(("_share", "_judges"))] == []


@pytest.mark.parametrize(
    ("verdicts_given", "shares"),
    [
        ([], {"unscored_share": 1}),
        ([False], {"unscored_share": 0.5, "not_exercised_share": 1}),
        ([True, True, False], {"unscored_share": 0.25, "not_exercised_share": 0.3333, "calibrated_share": 0}),
    ],
)
def test_a_judge_that_does_not_answer_says_nothing_about_occasions_or_confidences(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch,
    verdicts_given: list[bool], shares: dict[str, float],
) -> None:
    given = [
        VirtueScore(
            "t1", "wisdom", "sage", sample, "p", exercised=exercised, score=0.5 if exercised else None,
            confidence=0.5 if exercised else None, confidence_source="self" if exercised else None,
        )
        for sample, exercised in enumerate(verdicts_given)
    ]  # fmt: skip
    rows = [vars(each) for each in (*given, VirtueScore("t1", "wisdom", "mute", 0, "p", error="HTTP 400"))]

    async def judged(*_: Any, **__: Any) -> Any:
        return {"virtue_scores": rows, "task_scores": [], "tone_scores": []}

    monkeypatch.setattr("stoic_assets.defs.judging.EvaluationJudging.verdicts", judged)
    of_tasks, shown = shown_of(verdicts, workplace, make_manifest(), TRIAL)
    assert shown["silent_judges"].value == "judge mute gave no verdict at all: HTTP 400"
    assert {name: value.value for name, value in shown.items() if name.endswith("_share")} == shares
    written = [Path(value.path).parts for name, value in of_tasks.items() if name.startswith("path")]
    assert [next(part for part in parts if part.endswith("_scores")) for parts in written] == [
        "task_scores", "tone_scores",
    ]


@pytest.mark.parametrize(
    ("passed", "share"), [([], None), ([None], None), ([None, True], 0.0), ([None, False, False, True], 0.6667)]
)
def test_assertions_that_do_not_count_are_no_part_of_the_share_that_failed(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch,
    passed: list[bool | None], share: float | None,
) -> None:
    rows = [
        vars(AssertionResult("t1", f"{weight} {number}", "cypher", "RETURN 1", weight, None, None, each, None))
        for number, each in enumerate(passed) for weight in (1.0, 0.0) if weight or each is False
    ]  # fmt: skip
    monkeypatch.setattr("stoic_assets.defs.judging.EvaluationJudging.assertions", lambda _: rows)
    [shown] = shown_of(assertion_results, workplace, make_manifest())
    assert (shown["failed_share"].value if "failed_share" in shown else None) == share
    listed = [record.data["assertion"] for record in shown["failed"].records]
    assert listed == [f"1.0 {number}" for number, each in enumerate(passed) if each is False]


def test_whatever_is_set_for_a_run_reaches_the_judging(
    workplace: Workplace, make_manifest: Callable[..., Manifest], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    requests: list[JudgingRequest] = []
    monkeypatch.setattr("stoic_assets.defs.judging.EvaluationJudging", lambda *given: requests.append(given[-1]))
    (tmp_path / "chat.yml").write_text(json.dumps(smallest_job()))
    config = JudgingConfig(
        samples=3, fresh=True, max_cost=0.5, job_files=[str(tmp_path / "chat.yml")], original=True
    )
    _judging(make_manifest(), config, workplace)
    [request] = requests
    assert [job.name for job in request.corrected] == ["chat"]
    assert request == JudgingRequest(3, True, 0.5, request.corrected, True)


@pytest.mark.parametrize("wanted", [{"samples": 0}, {"samples": 51}, {"max_cost": -1.0}])
def test_what_no_judging_can_be_is_told_before_a_judge_is_asked(
    workplace: Workplace, make_manifest: Callable[..., Manifest], wanted: dict[str, float]
) -> None:
    [key] = wanted
    with pytest.raises(ConfigurationError, match=f"^{key}: "):
        _judging(make_manifest(), JudgingConfig.model_validate(wanted), workplace)
