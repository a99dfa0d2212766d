from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.core.evaluation.manifest import Manifest
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.evaluation.resuming import ResumeRefused, filled_in, newest_unfinished, refuse_change
from stoic_assets.core.evaluation.specification import EvaluationSpec
from stoic_assets.core.jobs.job import Job
from stoic_assets.core.secrets.redaction import BLANK, Redactor

SECRETS = Redactor(["sk-[a-z]+"])
MakeSpec = Callable[..., EvaluationSpec]


def job(name: str = "job", expected: Any = 1, **keys: Any) -> Job:
    return Job.model_validate(
        {
            "name": name, "target": {"user": "u", "chatbot": "c", **keys.pop("target", {})},
            "tasks": [{"task": "t", "acceptanceCriteria": "a"}],
            "assertions": [{"cypher": "RETURN 1", "expected": expected}], **keys,
        }
    )


@pytest.fixture
def make_spec() -> MakeSpec:
    def make(*jobs: Job, **changes: Any) -> EvaluationSpec:
        fields: dict[str, Any] = {
            "jobs": jobs or (job(),), "addresses": {"job": "http://localhost:1"}, "agent_model": "m",
            "evaluator_model": "e", "judge_models": ("j",), "judge_samples": 1, "prompts_hash": "p",
        }
        return EvaluationSpec(**{**fields, **changes})

    return make


def stored(spec: EvaluationSpec) -> Manifest:
    manifest = Manifest(
        evaluation_id="E", agent_version="a@1", started_at="2026-01-01T00:00:00+00:00", offline=True, run_id="r",
        spec=spec.blanked(SECRETS), spec_hash=spec.hash(), job_hashes={},
    )
    return Manifest.model_validate_json(manifest.model_dump_json(by_alias=True, indent=1))


def test_a_stored_specification_is_the_same_but_for_the_headers(make_spec: MakeSpec) -> None:
    target = {"headers": {"X-Plain": "tr0ub4dor"}}
    spec = make_spec(job(target=target, virtues={"wisdom": 2}, facts=["f"], expected={"a": [1, 1.0, True]}))
    again = stored(spec)
    assert again.spec.jobs[0].target.headers == {}
    assert again.spec.hash() == spec.hash()
    assert "tr0ub4dor" not in again.model_dump_json()
    refuse_change(again, spec, SECRETS)


def test_a_stored_specification_holds_no_secret_and_is_known_again_by_those_it_had(make_spec: MakeSpec) -> None:
    def spec(key: str, fact: str = "f") -> EvaluationSpec:
        facts = [f"the key is sk-{key}", fact]
        return make_spec(job(facts=facts), addresses={"job": f"http://localhost:1/sk-{key}"})

    begun = stored(spec("abc"))
    assert begun.spec.jobs[0].facts == (f"the key is {BLANK}", "f")
    assert begun.spec.addresses == {"job": f"http://localhost:1/{BLANK}"}
    refuse_change(begun, spec("abc"), SECRETS)
    refuse_change(begun, spec("abc"), Redactor(()))
    with pytest.raises(ResumeRefused, match="evaluation began: a secret in it, or stoic-eval; change it back"):
        refuse_change(begun, spec("xyz"), SECRETS)
    with pytest.raises(ResumeRefused, match=r"since the evaluation began: jobs \(job\); change it back"):
        refuse_change(begun, spec("abc", "g"), SECRETS)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"agent_model": "n"}, "agent_model (it was m)"),
        ({"addresses": {"job": "http://localhost:2"}}, "addresses (it was http://localhost:1)"),
        ({"judge_models": ("j", "k"), "repeats": 2}, "repeats (it was not set), judge_models (it was j)"),
        (
            {"evaluator_model": "f", "prompts_hash": "q"},
            "evaluator_model (it was e), the built-in prompts (stoic-eval was updated; its former version can resume)",
        ),
        ({"conditions": "withheld"}, "conditions (it was not set)"),
        ({"repeats": 2}, "repeats (it was not set)"),
        ({"judge_samples": 3}, "judge_samples (it was 1)"),
    ],
)
def test_a_changed_specification_is_not_resumed_and_says_what_changed(
    make_spec: MakeSpec, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(ResumeRefused) as caught:
        refuse_change(stored(make_spec()), make_spec(**changes), SECRETS)
    assert str(caught.value) == (
        f"cannot resume, because this changed since the evaluation began: {named}; change it back, or start a new "
        "evaluation (without --resume; in Dagster a new run, not a re-execution)"
    )
    assert make_spec(**changes).hash() != make_spec().hash()


def test_other_judges_need_no_new_evaluation(make_spec: MakeSpec) -> None:
    begun = stored(make_spec())
    regrade = f"`stoic regrade --agent-version {begun.agent_version} --evaluation {begun.evaluation_id}`"
    said = rf"began: judge_models \(it was j\); .* a new evaluation \(.*\); {regrade} accepts"
    with pytest.raises(ResumeRefused, match=said):
        refuse_change(begun, make_spec(judge_models=("j", "k")), SECRETS)


@pytest.mark.parametrize("expected", [True, 1.0, "1", [1], 2])
def test_a_job_that_expects_something_else_has_changed(make_spec: MakeSpec, expected: Any) -> None:
    with pytest.raises(ResumeRefused, match=r"jobs \(job\)"):
        refuse_change(stored(make_spec()), make_spec(job(expected=expected)), SECRETS)


def test_changed_new_and_missing_jobs_are_named(make_spec: MakeSpec) -> None:
    begun = stored(make_spec(job("a"), job("b"), job("c")))
    with pytest.raises(ResumeRefused, match=r"jobs \(b, c, d\)"):
        refuse_change(begun, make_spec(job("a"), job("b", facts=["f"]), job("d")), SECRETS)


@pytest.fixture
def make_spec_of(make_spec: MakeSpec) -> MakeSpec:
    """By the names of jobs, each of which has its own address."""

    def make(*names: str, **changes: Any) -> EvaluationSpec:
        addresses = {name: f"http://{name}" for name in names}
        return make_spec(*[job(name) for name in names], **{"addresses": addresses, **changes})

    return make


def test_addresses_that_come_and_go_with_jobs_have_not_changed(make_spec_of: MakeSpec) -> None:
    begun = stored(make_spec_of("a", "b"))
    with pytest.raises(ResumeRefused, match=r"since the evaluation began: jobs \(b, c\); change"):
        refuse_change(begun, make_spec_of("a", "c"), SECRETS)
    moved = make_spec_of("a", "c", addresses={"a": "http://z", "c": "http://z"})
    with pytest.raises(ResumeRefused, match=r"began: jobs \(b, c\), addresses \(it was http://a\); change"):
        refuse_change(begun, moved, SECRETS)


def test_jobs_in_another_order_are_the_same_jobs(make_spec_of: MakeSpec) -> None:
    begun = stored(make_spec_of("a", "b"))
    refuse_change(begun, make_spec_of("b", "a"), SECRETS)
    with pytest.raises(ResumeRefused, match=r"since the evaluation began: agent_model \(it was m\); change"):
        refuse_change(begun, make_spec_of("b", "a", agent_model="n"), SECRETS)


def test_a_specification_plans_its_trials(make_spec: MakeSpec) -> None:
    spec = make_spec(job(facts=["f"]), conditions="supplied", repeats=2)
    assert [planned.trial.trial_id for planned in spec.plan("E")] == ["E.job.supplied.1", "E.job.supplied.2"]


def test_a_request_is_stored_without_secrets_and_completed_by_what_began(make_spec: MakeSpec) -> None:
    asked = EvaluationRequest(files=("sk-a.yml",), tags=("x",), repeats=2, conditions="supplied", agent_url="http://sk-ab")
    begun = stored(make_spec(repeats=2, conditions="supplied", judge_samples=3))
    begun = begun.model_copy(update={"request": asked, "spec_hash": "s"}).blanked(SECRETS)
    assert begun.request == asked.model_copy(update={"agent_url": f"http://{BLANK}"})
    whole = filled_in(EvaluationRequest(), begun, ["/p/a.yml"])
    assert (whole.files, whole.jobs, whole.tags) == (("/p/a.yml",), ("job",), ())
    assert (whole.repeats, whole.conditions, whole.judge_samples, whole.model) == (2, "supplied", 3, None)
    asked = EvaluationRequest(jobs=("b",), repeats=4, model="n", agent_url="http://c")
    given = filled_in(asked, begun, ["/p/a.yml"])
    assert (given.files, given.jobs, given.repeats, given.model, given.agent_url) == ((), ("b",), 4, "n", "http://c")


@pytest.mark.parametrize(
    ("history", "found"),
    [
        ("", None),
        ("conversed", "e0"),
        ("finished", None),
        ("conversed incomplete", "e1"),
        ("conversed finished", "e0"),
        ("nothing finished", None),
        ("conversed nothing finished", "e0"),
        ("finished nothing", "e1"),
        ("nothing regrading nothing", "e2"),
        ("nothing conversed regrading", "e1"),
    ],
)
def test_the_newest_unfinished_evaluation_goes_on_unless_nothing_happened_before_a_later_one_was_done(
    make_spec: MakeSpec, history: str, found: str | None
) -> None:
    """From the oldest on, how each evaluation stands."""
    status = {f"e{place}": each for place, each in enumerate(history.split())}
    head = stored(make_spec())
    held = [head.model_copy(update={"evaluation_id": each}) for each in status]
    known = {each: state for each, state in status.items() if state != "nothing"}
    unfinished = newest_unfinished(held, known, lambda manifest: manifest.evaluation_id in known)
    assert (unfinished and unfinished.evaluation_id) == found
