"""What `stoic doctor` says of services."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from stoic_assets.adapters.agents.knowledge_context import check_knowledge_service
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.service_status import SERVICES
from stoic_assets.core.errors import AttemptFailed, ConfigurationError, ServiceUnreachable

Marcus = Callable[..., None]


@contextmanager
def answering(status: int, seen: list[str] | None = None) -> Iterator[str]:
    """The address of a service that answers every GET and POST so, and takes nothing else; `seen` are their paths."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if seen is not None:
                seen.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_GET  # noqa: N815 - the name is that of the standard library

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:  # else a test that fails leaves a thread that spins
            server.shutdown()
            thread.join()


@pytest.fixture
def place() -> Iterator[str]:
    """An address where an agent listens."""
    with answering(405) as url:
        yield url


def test_without_jobs_no_agent_was_asked(workplace: Workplace) -> None:
    workplace.project.jobs.mkdir()
    assert asyncio.run(SERVICES["agent"](workplace)) == ("note", "not looked for, since there are no jobs")


def test_a_job_with_a_fault_says_nothing_of_the_agent(workplace: Workplace, marcus: Marcus, place: str) -> None:
    marcus(here=place)
    (workplace.project.jobs / "faulty.yml").write_text("tasksx: []")
    assert asyncio.run(SERVICES["agent"](workplace)) == ("ok", place)
    (workplace.project.jobs / "chat.yml").unlink()
    assert asyncio.run(SERVICES["agent"](workplace)) == ("note", "not looked for, since no job can be read")


def test_an_agent_is_looked_for_where_its_releases_listen(
    workplace: Workplace, marcus: Marcus, place: str, dead_url: str
) -> None:
    marcus(new=place)
    assert asyncio.run(SERVICES["agent"](workplace)) == ("ok", place)
    gone = {"agent": "marcus", "version": "old", "url": dead_url}
    (workplace.project.releases / "old.yml").write_text(json.dumps(gone))
    silence = f"agent: nothing answers at {dead_url.removeprefix('http://')}"
    found = asyncio.run(SERVICES["agent"](workplace))
    assert found == ("note", f"{place}; {silence}"), "an earlier release may be gone"
    (workplace.project.releases / "new.yml").unlink()
    with pytest.raises(ServiceUnreachable, match=silence):
        asyncio.run(SERVICES["agent"](workplace))


def test_an_agent_that_refuses_the_key_is_missing_unless_it_listens_elsewhere_too(
    workplace: Workplace, marcus: Marcus, place: str
) -> None:
    with answering(401) as locked:
        marcus(new=locked)
        with pytest.raises(ConfigurationError, match=r"refuses the key \(401\); check AGENT_API_KEY"):
            asyncio.run(SERVICES["agent"](workplace))
        known = replace(workplace, env={**workplace.env, "AGENT_URL": place})
        said = f"{place}; the agent at {locked} refuses the key (401)"
        assert asyncio.run(SERVICES["agent"](known)) == ("note", said)


def test_an_address_that_looks_like_one_of_the_other_protocol_is_noted(
    workplace: Workplace, marcus: Marcus, place: str
) -> None:
    marcus(new=f"{place}/v1")
    doubt = f"{place}/v1 looks like an address of chat completions; if it is one, set `target.protocol: openai`"
    assert asyncio.run(SERVICES["agent"](workplace)) == ("note", f"{place}/v1; {doubt}")


def test_jobs_that_speak_alike_to_an_agent_have_it_asked_once(workplace: Workplace, marcus: Marcus) -> None:
    seen: list[str] = []
    with answering(404, seen) as url:
        marcus(new=url)
        jobs = workplace.project.jobs
        (jobs / "again.yml").write_text((jobs / "chat.yml").read_text())
        assert asyncio.run(SERVICES["agent"](workplace)) == ("ok", url)
    assert seen == ["/api/v1/chat/sessions"]


def test_an_address_is_shown_without_the_key_in_it(workplace: Workplace, marcus: Marcus, place: str) -> None:
    marcus()
    secret = replace(workplace, env={**workplace.env, "AGENT_API_KEY": "k-of-ours", "AGENT_URL": f"{place}/k-of-ours"})
    assert asyncio.run(SERVICES["agent"](secret)) == ("ok", f"{place}/[redacted]")
    knowing = replace(secret, env={**secret.env, "BOOGIE_URL": f"{place}/k-of-ours"})
    assert asyncio.run(SERVICES["knowledge"](knowing)) == ("ok", f"{place}/[redacted]")


def test_a_model_server_that_refuses_the_key_or_is_not_there_is_missing(
    workplace: Workplace, place: str, dead_url: str
) -> None:
    env = {name: value for name, value in workplace.env.items() if name != "STOIC_LLM"}
    served = replace(workplace, env={**env, "OPENAI_BASE_URL": f"{place}/v1"})
    assert asyncio.run(SERVICES["model"](served)) == ("ok", "simulated user gpt-4.1-mini, judges gpt-4.1-mini")
    elsewhere = replace(served, env={**served.env, "STOIC_JUDGE_BASE_URL": f"{place}/court"})
    judges = f"judges gpt-4.1-mini of the model server at {place}/court"
    assert asyncio.run(SERVICES["model"](elsewhere)) == ("ok", f"simulated user gpt-4.1-mini, {judges}")
    with answering(401) as locked, pytest.raises(ConfigurationError, match="refuses the key"):
        asyncio.run(SERVICES["model"](replace(workplace, env={**env, "OPENAI_BASE_URL": f"{locked}/v1"})))
    with pytest.raises(ServiceUnreachable, match="nothing answers at"):
        asyncio.run(SERVICES["model"](replace(workplace, env={**env, "OPENAI_BASE_URL": f"{dead_url}/v1"})))


def test_a_model_that_its_server_does_not_list_is_noted(
    workplace: Workplace, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def looked_up(_: object) -> list[str]:
        return ["no model is called gtp"]

    monkeypatch.setattr("stoic_assets.cli.service_status.look_up_models", looked_up)
    env = {name: value for name, value in workplace.env.items() if name != "STOIC_LLM"}
    state, said = asyncio.run(SERVICES["model"](replace(workplace, env={**env, "OPENAI_BASE_URL": f"{place}/v1"})))
    assert (state, said.endswith("; no model is called gtp")) == ("note", True)


def test_a_knowledge_service_is_looked_for_where_one_is_configured(
    workplace: Workplace, place: str, dead_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(url: str) -> tuple[str, str]:
        return asyncio.run(SERVICES["knowledge"](replace(workplace, env={**workplace.env, "BOOGIE_URL": url})))

    assert asyncio.run(SERVICES["knowledge"](workplace)) == ("ok", "none (BOOGIE_URL is not set)")
    assert found(place) == ("ok", place)
    with pytest.raises(ServiceUnreachable, match="BOOGIE_URL: nothing answers at"):
        found(dead_url)
    with answering(401) as locked, pytest.raises(ConfigurationError, match=r"refuses the key \(401\)"):
        found(locked)
    soon = partial(check_knowledge_service, seconds=0.2)
    monkeypatch.setattr("stoic_assets.cli.service_status.check_knowledge_service", soon)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        late = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert found(late) == ("note", f"the knowledge service at {late} gave no answer within 0.2 s")

    async def blocked(*_: object) -> None:
        raise AttemptFailed("no connection was made", late=True, turned_away=True)

    monkeypatch.setattr("stoic_assets.cli.service_status.check_knowledge_service", blocked)
    with pytest.raises(AttemptFailed, match="no connection was made"):
        found(place)
