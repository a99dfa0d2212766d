import asyncio
import socket
from collections.abc import Callable
from typing import Any

import pytest

from stoic_assets.adapters.evaluation.job_choice import chosen_jobs
from stoic_assets.adapters.evaluation.specification import (
    ResolvedRequest,
    address_of,
    check_reachable,
    prompts_hash,
    refuse_setups_of,
    resolve,
    targets_of,
)
from stoic_assets.adapters.project import Project
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.errors import ConfigurationError, DocumentError, ServiceUnreachable
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.core.progress import Progress
from stoic_assets.core.releases import ALL_VERSIONS, Release
from stoic_assets.core.text import templates

OFFLINE = {"STOIC_LLM": "offline"}
RELEASE = "agent: marcus\nversion: 1.1.0\n"

Write = Callable[..., None]


def opened(project: Project, settings: Settings | None = None, env: dict[str, str] = OFFLINE) -> Workplace:
    return Workplace(project, settings or Settings(), env, Progress())


def resolved(
    project: Project, version: str = "marcus@1.1.0", env: dict[str, str] = OFFLINE, **request: Any
) -> ResolvedRequest:
    return resolve(opened(project, env=env), EvaluationRequest(**request), version)


def test_a_request_that_says_nothing_gets_the_defaults(project: Project, write: Write) -> None:
    write("chat")
    unreleased = resolved(project)
    spec = unreleased.spec
    assert unreleased.release is None
    assert spec.addresses == {"chat": "http://localhost:8081"}
    assert (spec.agent_model, spec.evaluator_model, spec.judge_models) == ("gpt-4.1-mini", "offline", ("offline",))
    assert (spec.judge_samples, spec.conditions, spec.repeats) == (1, None, None)


def test_no_agent_is_called_as_what_concerns_all_of_them(project: Project, write: Write) -> None:
    write("chat")
    with pytest.raises(ConfigurationError, match="all@all stands for what concerns all versions; choose another"):
        resolved(project, ALL_VERSIONS)


def test_what_is_asked_for_goes_before_release_and_settings(project: Project, write: Write) -> None:
    write("chat")
    (project.releases / "r.yml").write_text(RELEASE + "model: released\nurl: http://released:1\n")
    released = resolved(project)
    assert released.release is not None
    assert (released.spec.agent_model, released.spec.addresses) == ("released", {"chat": "http://released:1"})
    asked = resolved(
        project, model="asked", agent_url="http://asked:1", judge_samples=3, conditions="both", repeats=2
    ).spec
    assert (asked.agent_model, asked.addresses) == ("asked", {"chat": "http://asked:1"})
    assert (asked.judge_samples, asked.conditions, asked.repeats) == (3, "both", 2)


def test_the_address_comes_from_the_nearest_who_names_one(project: Project, write: Write) -> None:
    write("a", target="chatbot: marcus, url: 'http://job:1'")
    write("b")
    job, plain = chosen_jobs(EvaluationRequest(), "marcus@1", project, None)
    env = {"AGENT_URL": "http://env:1"}
    release = Release(agent="marcus", version="1", url="http://release:1")
    asked = EvaluationRequest(agent_url="http://asked:1")
    assert address_of(job, asked, release, env) == "http://asked:1"
    assert address_of(job, EvaluationRequest(), release, env) == "http://release:1"
    assert address_of(job, EvaluationRequest(), None, env) == "http://job:1"
    assert address_of(plain, EvaluationRequest(), None, env) == "http://env:1"
    assert address_of(plain, EvaluationRequest(), None, {}) == "http://localhost:8081"


def test_an_agent_may_listen_where_its_releases_say(project: Project, write: Write) -> None:
    write("chat")
    [job] = chosen_jobs(EvaluationRequest(), None, project, None)
    zeno, marcus = (Release(agent=agent, version="1", url=f"http://{agent}:1") for agent in ("zeno", "marcus"))
    releases = [zeno, marcus]
    assert set(targets_of(job, releases[:1], {})) == {"http://localhost:8081"}
    assert set(targets_of(job, releases, {})) == {"http://marcus:1"}, "nobody says that it is at the default address"
    assert set(targets_of(job, releases, {"AGENT_URL": "http://env:1"})) == {"http://marcus:1", "http://env:1"}
    other = marcus.model_copy(update={"protocol": "openai"})
    spoken = {url: target.protocol for url, target in targets_of(job, [other], {"AGENT_URL": "http://env:1"}).items()}
    assert spoken == {"http://marcus:1": "openai", "http://env:1": "embabel"}


def test_a_release_may_bring_another_protocol(project: Project, write: Write) -> None:
    write("chat", "assertions: [{expression: evaluation.done}]")
    [before] = resolved(project).spec.jobs
    (project.releases / "r.yml").write_text(RELEASE + "protocol: openai\n")
    [job] = resolved(project).spec.jobs
    assert (job.target.protocol, job.target.chatbot) == ("openai", "marcus")
    assert job.question_hash() == before.question_hash(), "a version with the other protocol can be compared"
    write("chat", "assertions: [{expression: objectContext.resources.isEmpty()}]")
    refused = r"chat cannot be run as release marcus@1\.1\.0 says: assertions\[0\]\.expression: protocol openai has"
    with pytest.raises(ConfigurationError, match=refused):
        resolved(project)


def test_headers_outlive_a_change_of_protocol(project: Project, write: Write) -> None:
    write("chat", target="chatbot: marcus, headers: {X-Key: k3y}")
    (project.releases / "r.yml").write_text(RELEASE + "protocol: openai\n")
    assert resolved(project).spec.jobs[0].target.headers == {"X-Key": "k3y"}


def test_a_manifest_that_does_not_read_may_be_the_one_that_is_wanted(project: Project, write: Write) -> None:
    write("chat")
    (project.releases / "a.yml").write_text("agent: marcus\n")
    with pytest.raises(DocumentError, match=r"a\.yml:1: version: is required; .* of marcus@1\.1\.0$"):
        resolved(project)
    (project.releases / "b.yml").write_text(RELEASE)
    assert resolved(project).release is not None


def test_a_wrong_address_in_a_manifest_stops_only_who_would_use_it(project: Project, write: Write) -> None:
    write("chat")
    (project.releases / "b.yml").write_text(RELEASE.replace("1.1.0", "1.0.0"))
    (project.releases / "a.yml").write_text(RELEASE + "url: localhost:8081\n")
    with pytest.raises(DocumentError, match=r"a\.yml:\d: url: not an http or https address"):
        resolved(project)
    assert resolved(project, agent_url="http://127.0.0.1:1").spec.addresses == {"chat": "http://127.0.0.1:1"}
    assert resolved(project, version="marcus@1.0.0").release is not None
    assert resolved(project, version="marcus@dev").release is None


def test_a_broken_manifest_of_another_agent_stops_nobody(project: Project, write: Write) -> None:
    write("chat")
    (project.releases / "zeno-1.yml").write_text("agent: zeno\nversion: [\n")
    assert resolved(project).release is None
    (project.releases / "zeno-1.yml").rename(project.releases / "marcus-1.1.0.yml")
    with pytest.raises(DocumentError, match="marcus-1"):
        resolved(project)


@pytest.mark.parametrize(
    ("request_", "env", "fault"),
    [
        ({"agent_url": "ftp://x"}, OFFLINE, "not an http or https address"),
        ({"agent_url": "http://me:tr0ub4dor@x"}, OFFLINE, "must not contain credentials"),
        ({}, {"STOIC_LLM": "openai"}, "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without keys"),
        ({}, {"STOIC_LLM": "magic"}, "STOIC_LLM=magic is unknown"),
        ({"jobs": ("chta",)}, OFFLINE, r"there is no job 'chta'; did you mean chat\?"),
        ({}, {**OFFLINE, "STOIC_WEBHOOK_URL": "foo"}, "STOIC_WEBHOOK_URL: not an http or https address"),
        ({}, {**OFFLINE, "EVOLUTION_URL": "ftp://x"}, "EVOLUTION_URL: not an http or https address"),
        ({}, {**OFFLINE, "EVOLUTION_SECRET": "short"}, "EVOLUTION_SECRET: each key must be at least 24 bytes"),
        ({}, {**OFFLINE, "NEO_URI": "bolt://h:7687", "STOIC_GRAPH_URI": "bolt://h"}, "are the same database"),
    ],
)
def test_what_could_not_run_is_refused_before_anything_is_contacted_or_stored(
    project: Project, write: Write, request_: dict[str, Any], env: dict[str, str], fault: str
) -> None:
    write("chat")
    with pytest.raises(ConfigurationError, match=fault) as caught:
        resolved(project, env=env, **request_)
    assert "tr0ub4dor" not in str(caught.value)
    assert not project.home.exists()


@pytest.mark.parametrize(
    ("header", "fault"),
    [("X: '${NOPE}'", "X: set the environment variable NOPE"), ("'X Y': a", "X Y: not a valid HTTP header")],
)
def test_a_header_that_cannot_be_sent_names_its_job(project: Project, write: Write, header: str, fault: str) -> None:
    write("chat")
    write("other", target=f"chatbot: marcus, headers: {{{header}}}")
    with pytest.raises(ConfigurationError, match=rf"^job other: target\.headers\.{fault}"):
        resolved(project)


def test_an_address_that_is_none_is_named_by_where_it_stands(project: Project, write: Write) -> None:
    write("chat")
    with pytest.raises(ConfigurationError, match=r"^--agent-url: not an http"):
        resolved(project, agent_url="nope")
    with pytest.raises(ConfigurationError, match=r"^AGENT_URL: not an http"):
        resolved(project, env=OFFLINE | {"AGENT_URL": "localhost:8081"})
    write("other", target="chatbot: marcus, url: nope")
    with pytest.raises(ConfigurationError, match=r"/other\.yml:\d+: target\.url: not an http"):
        resolved(project)


def test_a_template_that_blanking_would_spoil_is_refused(project: Project, write: Write) -> None:
    write("chat", "prompts: {wisdom: wisdom.jinja}")
    (project.jobs / "wisdom.jinja").write_text('{% set pin = "tr0ub4dor" %}Judge.')
    assert resolved(project).spec.jobs[0].prompts
    settings = Settings(redact=('"tr.*',))
    with pytest.raises(DocumentError, match=r"^job chat: prompt wisdom once `redact` in stoic\.yml has replaced"):
        resolve(opened(project, settings), EvaluationRequest(), "marcus@1")


def test_a_ceiling_needs_the_price_of_every_model(project: Project, write: Write) -> None:
    write("chat")
    env = {"OPENAI_API_KEY": "k3y-1", "STOIC_JUDGE_MODEL": "sage"}
    prices = {"gpt-4.1-mini": {"input": 1, "output": 1}}
    settings, request = Settings.model_validate({"prices": prices}), EvaluationRequest()
    with pytest.raises(ConfigurationError, match="price of sage"):
        resolve(opened(project, settings, env), request, "marcus@1", max_cost=1.0)
    capped = settings.model_copy(update={"max_cost": 1.0})
    with pytest.raises(ConfigurationError, match="price of sage"):
        resolve(opened(project, capped, env), request, "marcus@1")
    assert resolve(opened(project, settings, env), request, "marcus@1").spec.judge_models == ("sage",)
    with pytest.raises(ConfigurationError, match="needs the price of bard and of sage: add"):
        resolve(opened(project, settings, env | {"STOIC_EVALUATOR_MODEL": "bard"}), request, "marcus@1", 1.0)


def test_setups_on_somebody_elses_graph_need_leave(project: Project, write: Write) -> None:
    write("chat", "setups: [{cypher: MATCH (n) DETACH DELETE n}]")
    jobs = chosen_jobs(EvaluationRequest(), "marcus@1", project, None)
    with pytest.raises(ConfigurationError, match=r"STOIC_ALLOW_SETUPS=graph\.example"):
        refuse_setups_of(jobs, {"NEO_URI": "bolt://graph.example"})
    allowed = {"NEO_URI": "bolt://graph.example", "STOIC_ALLOW_SETUPS": "graph.example"}
    for env in ({}, {"NEO_URI": "bolt://127.0.0.1"}, allowed):
        refuse_setups_of(jobs, env)
    write("chat", "assertions: [{cypher: RETURN 1, expected: 1}]")
    refuse_setups_of(chosen_jobs(EvaluationRequest(), "marcus@1", project, None), {"NEO_URI": "bolt://graph.example"})


def test_the_hash_of_the_prompts_covers_every_built_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, source = prompts_hash(), templates.source
    assert plain == prompts_hash()
    packages = ("stoic_assets.core.judging", "stoic_assets.core.conversation")
    built_in = [(package, name) for package in packages for name in templates.names(package)]
    assert len(built_in) >= 8
    hashes = {plain}
    for changed in built_in:
        monkeypatch.setattr(
            templates, "source", lambda *asked, changed=changed: source(*asked) + ("x" if asked == changed else "")
        )
        hashes.add(prompts_hash())
    assert len(hashes) == 1 + len(built_in)


def test_an_agent_that_nobody_serves_is_told_at_the_start(project: Project, write: Write) -> None:
    write("chat")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        spec = resolved(project, agent_url=f"http://127.0.0.1:{port}").spec
        asyncio.run(check_reachable(spec, OFFLINE))
    with pytest.raises(ServiceUnreachable, match=f"agent: nothing answers at 127.0.0.1:{port}; start the agent"):
        asyncio.run(check_reachable(spec, OFFLINE))
