import json
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import httpx
import pytest
import uvicorn

from stoic_assets.demo.service import _Announcing, main

CHAT = "/api/v1/chat"


def has_ipv6() -> bool:
    with suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


def open_session(client: httpx.Client, user: str) -> str:
    answer = client.put(f"{CHAT}/sessions", json={"user": user, "chatbot": "marcus"})
    assert answer.status_code == 200
    assert set(answer.json()) == {"sessionId"}
    return str(answer.json()["sessionId"])


def say(client: httpx.Client, session: str, text: str) -> dict[str, Any]:
    body = {"sessionId": session, "message": {"content": text, "role": "user"}, "model": "gpt-4.1-mini"}
    answer = client.put(f"{CHAT}/messages", json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def resources(client: httpx.Client, session: str) -> list[dict[str, Any]]:
    return list(client.get(f"{CHAT}/objectContexts/{session}").json()["resources"])


def test_a_conversation_in_the_wire_format(marcus, user):
    client = marcus["1.0.0"]
    session = open_session(client, user)
    say(client, session, "My timezone is Australia/Sydney")
    reply = say(client, session, "Please remind me to call the dentist tomorrow at 9am.")
    assert set(reply) == {"sessionId", "chatbot", "message", "history", "events"}
    assert reply["sessionId"] == session
    assert reply["chatbot"] == "marcus"
    assert reply["message"]["role"] == "assistant"
    assert [message["role"] for message in reply["history"]] == ["user", "assistant"] * 2
    prompt, request, output = reply["events"]
    assert set(prompt) == {"systemPrompt"}
    assert request["request"]["function"] == {"name": "createReminder"}
    assert request["request"]["arguments"]["zone"] == "Australia/Sydney"
    assert user in request["request"]["context"]
    assert set(output) == {"output"}


def test_the_object_context_shows_what_is_kept(marcus, user):
    client = marcus["1.0.0"]
    session = open_session(client, user)
    for text in ("I live in Oslo", "Remind me to sing tomorrow at 9am", "Note that the key is with Cato"):
        say(client, session, text)
    context = client.get(f"{CHAT}/objectContexts/{session}").json()
    assert set(context) == {"context", "resources", "functions"}
    assert "you live in Oslo" in context["context"]
    reminder, note = context["resources"]
    assert (reminder["labels"], note["labels"]) == (["DomainNode", "Reminder"], ["DomainNode", "Note"])
    assert reminder["properties"]["zone"] == "Europe/Oslo"
    assert all({"name", "description", "inputTypeSchema"} <= set(function) for function in context["functions"])


def test_another_session_of_the_user_remembers(marcus, user):
    client = marcus["1.0.0"]
    first = open_session(client, user)
    say(client, first, "My name is Alice")
    say(client, first, "Remind me to sing tomorrow at 9am UTC")
    second = open_session(client, user)
    assert "Alice" in say(client, second, "Could you tell me what my name is?")["message"]["content"]
    assert "sing" in say(client, second, "Please list my reminders.")["message"]["content"]
    stranger = open_session(client, f"{user}-stranger")
    assert "no reminders" in say(client, stranger, "Please list my reminders.")["message"]["content"]


SCRIPT = (
    "Hello",
    "Please remind me to call the dentist tomorrow at 9am.",
    "The user's timezone is Australia/Sydney",
    "Please remind me to buy milk on Friday at 17:00",
    "Could you move the dentist reminder to 4pm?",
    "Please cancel the milk reminder.",
    "Could you tell me which reminders I have?",
)


def test_the_releases_say_the_same_about_reminders_and_do_not_do_the_same(marcus, user):
    said, functions, left = {}, {}, {}
    for version, client in marcus.items():
        session = open_session(client, f"{user}-{version}")
        replies = [say(client, session, text) for text in SCRIPT]
        said[version] = [reply["message"]["content"] for reply in replies]
        requests = [event["request"] for reply in replies for event in reply["events"] if "request" in event]
        functions[version] = [request["function"]["name"] for request in requests]
        left[version] = [resource["name"] for resource in resources(client, session)]
    assert said["1.0.0"] == said["1.1.0"]
    assert functions["1.0.0"] == functions["1.1.0"]
    assert left == {"1.0.0": ["call the dentist"], "1.1.0": []}


def test_the_releases_differ_in_their_advice(marcus, user):
    question = "How do I deal with anger at a colleague?"
    advice = {version: say(client, open_session(client, user), question) for version, client in marcus.items()}
    assert "hold my counsel lightly" in advice["1.0.0"]["message"]["content"]
    assert "weak" in advice["1.1.0"]["message"]["content"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", "sessions", b"{", 422),
        ("PUT", "sessions", b'{"user": "ada"}', 422),
        ("PUT", "sessions", b'{"user": 7, "chatbot": "marcus"}', 422),
        ("PUT", "messages", b'{"sessionId": "x", "message": {"role": "user"}}', 422),
        ("PUT", "messages", b'{"sessionId": "x", "message": {"content": "a", "role": "assistant"}}', 422),
        ("PUT", "messages", b'{"sessionId": "x", "message": {"content": "a", "role": "user"}}', 404),
        ("GET", "objectContexts/x", None, 404),
        ("POST", "sessions", b"{}", 405),
        ("GET", "nothing", None, 404),
    ],
)
def test_bad_requests_are_refused_with_a_reason(marcus, method, path, body, status):
    answer = marcus["1.0.0"].request(method, f"{CHAT}/{path}", content=body)
    assert answer.status_code == status
    assert answer.json()["error"]


def test_health(marcus):
    assert marcus["1.1.0"].get("/health").json() == {"status": "up", "release": "1.1.0"}


def test_with_a_key_every_chat_call_must_carry_it(run_agent):
    with run_agent("1.0.0", AGENT_API_KEY="treehorn") as client:
        body = {"user": "ada", "chatbot": "marcus"}
        assert client.put(f"{CHAT}/sessions", json=body).status_code == 401
        assert client.put(f"{CHAT}/sessions", json=body, headers={"X-API-KEY": "wrong"}).status_code == 401
        assert client.get(f"{CHAT}/objectContexts/x").status_code == 401
        assert client.put(f"{CHAT}/sessions", json=body, headers={"X-API-KEY": "treehorn"}).status_code == 200
        assert client.get("/health").status_code == 200


def test_neither_foreign_names_nor_other_pages_are_answered(marcus):
    assert marcus["1.0.0"].get("/health", headers={"Host": "evil.example"}).status_code == 400
    body = {"user": "ada", "chatbot": "marcus"}
    answer = marcus["1.0.0"].put(f"{CHAT}/sessions", json=body, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("arguments", "uri", "complaint"),
    [
        (["--host", "0.0.0.0"], "bolt://127.0.0.1:1", "listening on 0.0.0.0 needs a key"),
        (["--release", "9.9"], "bolt://127.0.0.1:1", "has no release '9.9'; choose one of 1.0.0, 1.1.0"),
        ([], "", "NEO_URI is not set"),
        ([], "bolt://127.0.0.1:1", "does not answer"),
        ([], "http://localhost", "NEO_URI must begin with one of"),
    ],
)
def test_what_cannot_be_served_is_one_clear_line(monkeypatch, capsys, arguments, uri, complaint):
    monkeypatch.setenv("NEO_URI", uri)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert complaint in err
    assert len(err.splitlines()) == 1


@pytest.fixture
def known_graph(monkeypatch, graph_address):
    """The variables of the graph, as a process of the agent gets them."""
    for name in ("uri", "username", "password", "database"):
        monkeypatch.setenv(f"NEO_{name.upper()}", getattr(graph_address, name) or "")


@pytest.mark.usefixtures("known_graph")
def test_a_taken_port_is_named(capsys, marcus):
    port = str(marcus["1.0.0"].base_url.port)
    assert main(["--port", port]) == 2
    said = f"cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port"
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("known_graph")
@pytest.mark.parametrize("host", ["192.0.2.1", "nowhere.invalid", "2001:db8::1", "a" * 64])
def test_a_host_that_is_not_here_is_named_as_the_fault(monkeypatch, capsys, host):
    monkeypatch.setenv("AGENT_API_KEY", "treehorn")
    assert main(["--host", host]) == 2
    said = capsys.readouterr().err
    assert said.startswith("cannot listen on ")
    assert said.endswith("; choose another --host\n")


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")
@pytest.mark.parametrize("host", ["::1", "[::1]"])
def test_the_loopback_of_ipv6_needs_no_key_and_is_guarded_like_the_other(run_agent, host):
    with run_agent("1.0.0", "--host", host) as client:
        assert client.base_url.host == "::1"
        assert client.get("/health").json()["status"] == "up"
        assert client.get("/health", headers={"Host": "evil.example"}).status_code == 400


def test_it_shuts_down_in_good_order_however_often_it_is_told_to() -> None:
    server = _Announcing(uvicorn.Config(lambda: None), {})
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
        server.handle_exit(number, None)
    assert (server.should_exit, server.force_exit, server._captured_signals) == (True, False, [signal.SIGINT])


DEMO = """
import json, sys
from stoic_assets.cli.demo import _running_agent
from stoic_assets.core.configuration.graph_address import GraphAddress
with _running_agent("1.0.0", GraphAddress(**json.loads(sys.stdin.readline()))) as url:
    print(url, flush=True)
    input()
"""


def test_the_agents_of_a_demo_end_with_it_even_if_it_is_killed(graph_address) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", DEMO], stdin=pipe, stdout=pipe, stderr=pipe, text=True) as demo:
        assert demo.stdin is not None
        assert demo.stdout is not None
        demo.stdin.write(json.dumps(asdict(graph_address)) + "\n")
        demo.stdin.flush()
        url = demo.stdout.readline().strip()
        assert httpx.get(f"{url}/health").json()["status"] == "up"
        demo.kill()
        _, said = demo.communicate(timeout=60)  # when the agent does not hold the pipe any more
    assert said == ""
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/health")
