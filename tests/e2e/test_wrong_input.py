"""Wrong input and configuration: exit code 2, one clear line that names file, line and key, nothing contacted."""

import re
import socket

import pytest
from agents import ChatAgent, EmbabelAgent
from model_server import ModelServer
from stoic_command import Stoic

pytestmark = pytest.mark.long
EXPRESSION = {"assertions": [{"expression": "objectContext.resources.size == 1"}]}
CHAT = {"target": {"user": "ada", "chatbot": "my-agent", "protocol": "openai"}}


def job_text(stoic: Stoic, addition: str) -> None:
    """The small job with lines added to its end."""
    path = stoic.job()
    path.write_text(path.read_text() + addition)


FAULTY_JOBS: dict[str, tuple[str, str]] = {
    "malformed": ("tasks: [", r"eval_jobs/chat\.yml:\d+: not valid YAML"),
    "unknown key": ("maxTurn: 4\n", r"eval_jobs/chat\.yml:\d+: maxTurn: unknown key; did you mean 'maxTurns'\?"),
    "expression": (
        "assertions:\n- expression: 'objectContext.entities.sortedBy { it.id }'\n",
        r"eval_jobs/chat\.yml:\d+: assertions\[0\]\.expression: .*line 1, column \d+: .*sortedBy",
    ),
    "assertion of no kind": (
        "assertions:\n- weight: 2\n", r"eval_jobs/chat\.yml:\d+: assertions\[0\]: .*`expression` or `cypher`"
    ),
    "setup file missing": (
        "setups:\n- file: nowhere.cypher\n", r"eval_jobs/chat\.yml:\d+: setups\[0\]\.file: .*nowhere\.cypher: there is"
    ),
    "prompt missing": (
        "prompts:\n  tasks: own.jinja\n", r"eval_jobs/chat\.yml:\d+: prompts\.tasks: .*own\.jinja: there is no such f"
    ),
    "twins": (
        "assertions:\n- {name: a, expression: evaluation.done}\n- {name: a, expression: evaluation.done}\n",
        r"eval_jobs/chat\.yml:\d+: assertions\[1\]\.name: 'a' is a name already",
    ),
}


@pytest.mark.parametrize("fault", FAULTY_JOBS)
def test_a_faulty_job(bare: Stoic, fault: str) -> None:
    addition, expected = FAULTY_JOBS[fault]
    job_text(bare, addition)
    done = bare("eval", "--json", code=2)
    assert re.search(expected, done.line), done.line
    assert (done.out, len(done.err.splitlines())) == ("", 1)


def test_object_context_with_protocol_openai(bare: Stoic) -> None:
    bare.job(**CHAT, **EXPRESSION)
    done = bare("eval", code=2)
    assert re.search(r"eval_jobs/chat\.yml:\d+: .*protocol openai has no object context", done.line), done.line


def test_a_release_may_not_bring_that_protocol_either(bare: Stoic) -> None:
    bare.job(**EXPRESSION)
    bare("release", "add", "my-agent@1", "--protocol", "openai")
    done = bare("eval", "--agent-version", "my-agent@1", code=2)
    assert "protocol openai has no object context" in done.line
    assert done.line.startswith("stoic: job chat cannot be run as release my-agent@1 says: ")
    bare.write("releases/my-agent-1.yml", "agent: my-agent\nversion: '1'\nulr: http://localhost\n")
    done = bare("eval", "--agent-version", "my-agent@1", code=2)
    assert re.search(r"releases/my-agent-1\.yml:3: ulr: unknown key; did you mean 'url'\?", done.line)


def test_a_chatbot_that_cannot_name_a_version(bare: Stoic) -> None:
    bare.job(target={"user": "ada", "chatbot": "my agent"})
    done = bare("eval", code=2)
    assert done.line.startswith("stoic: 'my agent@dev' is not an agent version: ")
    assert done.line.endswith("name the version with --agent-version")


def test_a_question_that_nobody_answers(bare: Stoic) -> None:
    (bare.home / "evidence" / "my-agent@1").mkdir(parents=True)
    done = bare("delete", "my-agent@1", code=2)
    assert done.line == "stoic: no answer; add --yes to delete without a question"


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        ("dagster.yaml", r"stoic: \S+/dagster\.yaml: .*nonsense"),
        ("workspace.yaml", "stoic: Dagster's web server or daemon ended unexpectedly; see its output above for"),
    ],
)
def test_a_web_ui_that_cannot_live_does_not_end_as_if_all_were_well(bare: Stoic, file: str, complaint: str) -> None:
    bare.write(file, "nonsense: 1\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = bare.start("ui", "--port", str(port))
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert re.match(complaint, said.splitlines()[-1])


def test_a_manifest_is_not_written_over_that_of_another_version(bare: Stoic) -> None:
    bare("release", "add", "my-agent@1.0")
    bare("release", "add", "my-agent@1.0", "--parent", "my-agent@0.9")
    assert bare("release", "add", "my@agent-1.0", "--json").document["path"].endswith("releases/my@agent-1.0.yml")
    assert "version: '1.0'" in (bare.project / "releases" / "my-agent-1.0.yml").read_text()
    done = bare("release", "add", "my-agent@1.1", "--parent", "yours@1.0", code=2)
    assert "--parent: 'yours@1.0' is not a version of my-agent" in done.line


ARGUMENTS: dict[str, tuple[tuple[str, ...], str]] = {
    "no such file": (("--file", "nowhere.yml"), "stoic: nowhere.yml: there is no such file"),
    "no such job": (("--job", "chta"), "stoic: there is no job 'chta'; did you mean chat? known: chat, other"),
    "no such option": (("--nosuch",), "stoic: No such option: --nosuch (see stoic eval --help)"),
    "no such condition": (("--condition", "all"), "stoic: Invalid value for '--condition': 'all' is not one of"),
    "no such tag": (("--tag", "slow"), "stoic: there is no tag 'slow'; known: quick"),
    "several agents": ((), "stoic: the jobs are for several agents (my-agent, your-agent); choose one with"),
    "nothing to resume": (("--job", "chat", "--resume"), "stoic: there is no unfinished evaluation of my-agent@dev"),
    "no address": (("--job", "chat", "--agent-url", "ftp://x"), "stoic: --agent-url: not an http or"),
    "no price": (("--job", "chat", "--max-cost", "1"), "stoic: a cost ceiling needs the price of unheard-of: add it"),
}


@pytest.mark.parametrize("fault", ARGUMENTS)
def test_faulty_arguments(stoic: Stoic, model: ModelServer, agent: EmbabelAgent, fault: str) -> None:
    stoic.job(tags=["quick"])
    stoic.job("other", target={"user": "ada", "chatbot": "your-agent"})
    arguments, expected = ARGUMENTS[fault]
    done = stoic("eval", *arguments, code=2, STOIC_JUDGE_MODEL="unheard-of")
    assert done.line.startswith(expected), done.line
    assert (done.out, model.calls, agent.calls) == ("", [], [])


def test_faulty_settings_and_environment(bare: Stoic) -> None:
    bare.job(setups=[{"cypher": "MATCH (n) DETACH DELETE n"}])
    bare.job("secret", target={"user": "ada", "chatbot": "my-agent", "headers": {"X-Tenant": "${TENANT}"}})
    for expected, env in {
        "STOIC_LLM=antropic is unknown; use openai or offline": {"STOIC_LLM": "antropic"},
        "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without keys": {"STOIC_LLM": "openai", "TENANT": "acme"},
        "NEO_URI must begin with one of": {"NEO_URI": "http://localhost"},
        "setups would write to the graph on graph.example, which is not this machine": {"NEO_URI": "bolt://graph.example"},
        "target.headers.X-Tenant: set the environment variable TENANT": {"STOIC_LLM": "offline"},
        "which is not this machine: set STOIC_ALLOW_SETUPS=10.0.0.7": {
            "NEO_URI": "bolt://neo4j@10.0.0.7", "STOIC_ALLOW_SETUPS": "graph.example"
        },
    }.items():
        assert expected in bare("eval", code=2, **env).line
    allowed = {"NEO_URI": "bolt://graph.example", "STOIC_ALLOW_SETUPS": "graph.example", "TENANT": "acme"}
    assert bare("eval", "--dry-run", "--json", **allowed).document["trials"] == 2
    bare.write("stoic.yml", "limits:\n  agnt: {}\n")
    assert re.search(r"stoic\.yml:2: limits\.agnt: unknown key; did you mean 'agent'\?", bare("eval", code=2).line)
    bare.write("stoic.yml", "redact: ['(']\n")
    assert "stoic.yml:1: redact[0]: '(' is not a regular expression" in bare("eval", code=2).line


def test_setups_and_stoic_graph_never_share_a_database(stoic: Stoic) -> None:
    stoic.job()
    done = stoic("eval", code=2, STOIC_GRAPH_DATABASE="subject")
    assert "subject graph and stoic graph are the same database" in done.line


def test_verbose_shows_where_a_fault_came_from(bare: Stoic) -> None:
    done = bare("eval", "--file", "nowhere.yml", "--verbose", code=2)
    assert "Traceback (most recent call last)" in done.err
    assert done.line.startswith("stoic: nowhere.yml")


@pytest.mark.parametrize("service", ["agent", "model", "graph"])
def test_an_unreachable_service(stoic: Stoic, agent: EmbabelAgent, model: ModelServer, service: str) -> None:
    stoic.job()
    nobody = {
        "agent": {"AGENT_URL": "http://127.0.0.1:9"}, "model": {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
        "graph": {"NEO_URI": "bolt://127.0.0.1:9"},
    }[service]
    done = stoic("eval", code=2, **nobody)
    name = {"agent": "agent", "model": "OPENAI_BASE_URL", "graph": "NEO_URI"}[service]
    assert re.search(rf"stoic: .*{name}.*127\.0\.0\.1:9|127\.0\.0\.1:9.*{name}", done.line), done.line
    assert (agent.calls, model.asked) == ([], [])


def test_a_refused_key(stoic: Stoic, model: ModelServer, agent: EmbabelAgent, chat_agent: ChatAgent) -> None:
    stoic.job()
    done = stoic("eval", code=2, STOIC_JUDGE_API_KEY="sk-wrong")
    assert "refuses the key: Error code: 401 - Incorrect API key provided; check STOIC_JUDGE_API_KEY" in done.line
    assert (agent.calls, model.asked) == ([], [])
    done = stoic("eval", code=2, OPENAI_API_KEY="sk-wrong")
    assert "refuses the key: Error code: 401 - Incorrect API key provided; check OPENAI_API_KEY" in done.line
    assert "sk-wrong" not in done.err
    stoic.job(**CHAT)
    done = stoic("eval", code=2, AGENT_URL=chat_agent.url, AGENT_API_KEY="wrong-key")
    assert "refuses the key (401): bad key; check AGENT_API_KEY and target.headers" in done.line
    assert "wrong-key" not in done.err
