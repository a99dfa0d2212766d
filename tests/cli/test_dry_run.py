"""What `stoic eval --dry-run` shows to people."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from smallest_job import smallest_job

from stoic_assets.adapters.evaluation.specification import ResolvedRequest
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.asked_evaluation import AskedEvaluation
from stoic_assets.cli.dry_run import show_plan
from stoic_assets.core.conversation.journal import began, ended
from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.jobs.job import Job

OFFLINE = "Offline: scripts act as simulated user or judge, at no cost; scores will mean nothing."


def job(name: str) -> Job:
    return Job.model_validate(smallest_job(name=name))


def asked(spec: EvaluationSpec, begun: Manifest | None = None) -> AskedEvaluation:
    return AskedEvaluation("marcus@1", EvaluationRequest(), ResolvedRequest(spec, None), begun)


@pytest.mark.parametrize(("models", "offline"), [(("offline", "offline"), True), (("gpt-4.1-mini", "sage"), False)])
def test_rolesthat_are_offline_are_told_of(
    workplace: Workplace, make_manifest: Callable[..., Manifest], capsys: pytest.CaptureFixture[str],
    models: tuple[str, str], offline: bool,
) -> None:  # fmt: skip
    roles = {"evaluator_model": models[0], "judge_models": models[1:]}
    spec = make_manifest(jobs=(job("chat"),), addresses={"chat": "http://a:1"}, **roles).spec
    show_plan(asked(spec), workplace, as_json=False)
    shown = capsys.readouterr().out
    assert (OFFLINE in shown) is offline
    assert ("about $0.00" in shown, "cost unknown" in shown) == (offline, not offline)


@pytest.mark.parametrize(("jobs", "told"), [
    (4, "with fewer than 5 jobs (here: 4) no comparison can call a measure regressed"),
    (8, "compared with another version, 8 jobs find a change of 0.32 nine times out of ten if their noise is typical"),
    (40, "40 jobs find a change of 0.11 to 0.14, depending on the measure, nine times out of ten"),
])  # fmt: skip
def test_what_a_comparison_would_find_is_told_before_it_is_paid(
    workplace: Workplace, make_manifest: Callable[..., Manifest], capsys: pytest.CaptureFixture[str], jobs: int,
    told: str,
) -> None:  # fmt: skip
    names = [f"chat {number}" for number in range(jobs)]
    roles = {"evaluator_model": "gpt-4.1-mini", "judge_models": ("sage",)}
    spec = make_manifest(jobs=tuple(map(job, names)), addresses=dict.fromkeys(names, "http://a:1"), **roles).spec
    show_plan(asked(spec), workplace, as_json=False)
    assert told in " ".join(capsys.readouterr().out.split())
    show_plan(asked(spec), workplace, as_json=True)
    plan = json.loads(capsys.readouterr().out)
    assert (plan["compared_jobs"], set(plan["detectable"].values()) == {None}) == (jobs, jobs < 5)
    assert {*plan["detectable"]} == {"virtues", "overall", "timing", "task", "assertion"}


@pytest.mark.parametrize(("urls", "told"), [(("http://a:1", "http://a:1"), 1), (("http://a:1", "http://b:2"), 0)])
def test_the_address_of_all_jobs_is_told_once(
    workplace: Workplace, make_manifest: Callable[..., Manifest], capsys: pytest.CaptureFixture[str],
    urls: tuple[str, str], told: int,
) -> None:  # fmt: skip
    addresses = dict(zip(("chat", "plan"), urls, strict=True))
    spec = make_manifest(jobs=tuple(map(job, addresses)), addresses=addresses).spec
    show_plan(asked(spec), workplace, as_json=False)
    shown = capsys.readouterr().out
    assert shown.count("marcus@1 at http://a:1: 2 trials, nothing was run") == told
    assert [shown.count(url) for url in sorted(set(urls))] == [1] * len(set(urls))


def test_conditions_are_a_list_for_programs(
    workplace: Workplace, make_manifest: Callable[..., Manifest], capsys: pytest.CaptureFixture[str]
) -> None:
    known = job("chat").model_copy(update={"facts": ("It rains.",)})
    spec = make_manifest(jobs=(known,), addresses={"chat": "http://a:1"}, conditions="both").spec
    show_plan(asked(spec), workplace, as_json=True)
    [planned] = json.loads(capsys.readouterr().out)["jobs"]
    assert planned["conditions"] == ["withheld", "supplied"]
    show_plan(asked(spec), workplace, as_json=False)
    assert "withheld, supplied" in capsys.readouterr().out


def test_numbers_are_written_alike(
    workplace: Workplace, make_manifest: Callable[..., Manifest], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = make_manifest(jobs=(job("chat"),), addresses={"chat": "http://a:1"}, repeats=1000).spec
    show_plan(asked(spec), workplace, as_json=False)
    shown = capsys.readouterr().out
    assert "1,000 trials" in shown
    assert re.search("[0-9]{4}", shown) is None


def test_the_knowledge_service_is_told_among_those_that_are_sent_the_agents_key(
    workplace: Workplace, make_manifest: Callable[..., Manifest], capsys: pytest.CaptureFixture[str]
) -> None:
    knowing = replace(workplace, env={**workplace.env, "AGENT_API_KEY": "k-ours", "BOOGIE_URL": "http://graphs:1/k-ours"})
    spec = make_manifest(jobs=(job("chat"),), addresses={"chat": "http://a:1"}).spec
    show_plan(asked(spec), knowing, as_json=False)
    told = [line for line in capsys.readouterr().out.splitlines() if "is sent" in line]
    assert told == [f"{url} is sent the value of AGENT_API_KEY" for url in ("http://a:1", "http://graphs:1/[redacted]")]


def test_of_what_is_resumed_the_trials_that_are_over_need_no_messages(
    workplace: Workplace, make_manifest: Callable[..., Manifest], capsys: pytest.CaptureFixture[str]
) -> None:
    begun = make_manifest(jobs=(job("chat"),), addresses={"chat": "http://a:1"}, repeats=3)
    workplace.evidence.begin(begun)
    show_plan(asked(begun.spec), workplace, as_json=True)
    new = json.loads(capsys.readouterr().out)
    journals = workplace.evidence.journals(begun)
    for item, outcome in zip(begun.spec.plan("E1"), ("signed_off", "infra_error"), strict=False):
        for entry in (began("2026-01-01"), ended("2026-01-01", outcome, None, 0, ())):
            asyncio.run(journals.append(item.trial.trial_id, entry))
    show_plan(asked(begun.spec, begun), workplace, as_json=True)
    plan = json.loads(capsys.readouterr().out)
    assert (plan["trials"], new["ended_trials"], plan["ended_trials"]) == (3, 0, 1)
    assert plan["calls"] == {
        "agent": new["calls"]["agent"] * 2 / 3, "evaluator": new["calls"]["evaluator"] * 2 / 3,
        "judge": new["calls"]["judge"],
    }  # fmt: skip
    show_plan(asked(begun.spec, begun), workplace, as_json=False)
    assert "evaluation E1: no messages for 1 trial that ended before" in capsys.readouterr().out


def test_a_path_or_address_that_would_steer_the_terminal_is_shown_by_codes(
    workplace: Workplace, make_manifest: Callable[..., Manifest], capsys: pytest.CaptureFixture[str]
) -> None:
    """Jobs may be written by others, and are shown here before they are run."""
    workplace.project.jobs.mkdir()
    content = {**smallest_job(), "setups": [{"file": "../../\x1b[2J.cypher"}]}
    (workplace.project.jobs / "chat.yml").write_text(json.dumps(content))
    addresses = {"chat": "http://a:1/\x1b[3J", "plan": "http://a:1"}
    spec = make_manifest(jobs=tuple(map(job, addresses)), addresses=addresses).spec
    show_plan(asked(spec), workplace, as_json=False)
    shown = capsys.readouterr().out
    assert "job chat reads outside of the project: " in shown
    assert ("[U+001B][2J.cypher" in shown, "http://a:1/[U+001B][3J" in shown, "\x1b" in shown) == (True, True, False)
