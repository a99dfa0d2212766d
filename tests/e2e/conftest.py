"""Real processes of `stoic`, real servers around them, and one real graph for all tests of a session."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from agents import ChatAgent, EmbabelAgent
from double import Double
from model_server import ModelServer
from stoic_command import STOIC, Stoic, graph_variables


def pytest_itemcollected(item: pytest.Item) -> None:
    """Whole evaluations take their time on a busy machine."""
    item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def graph_env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Both graphs of one embedded server, as another program gets to know them: by the line of `stoic graph --json`."""
    home = tmp_path_factory.mktemp("graph")
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "STOIC_HOME": str(home)}
    with subprocess.Popen([STOIC, "graph", "--json"], env=env, cwd=home, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield graph_variables(process.stdout.readline())
        finally:
            process.terminate()
            assert process.wait(20) == 0


@pytest.fixture
def cypher(graph_env: dict[str, str]) -> Iterator[Callable[..., list[dict[str, Any]]]]:
    """Runs a query over Bolt with the plain driver: `cypher("RETURN 1 AS x", on="STOIC_GRAPH")`."""
    import neo4j

    env = graph_env
    auth = (env["NEO_USERNAME"], env["NEO_PASSWORD"])
    with neo4j.GraphDatabase.driver(env["NEO_URI"], auth=auth) as driver:
        def run(query: str, on: str = "NEO", **parameters: Any) -> list[dict[str, Any]]:
            with driver.session(database=env[f"{on}_DATABASE"]) as session:
                return session.run(query, parameters).data()

        yield run


@pytest.fixture
def running() -> Iterator[Callable[[Double], Any]]:
    """Starts doubles, and stops all at once when the test is over."""
    started: list[Double] = []

    def start(double: Double) -> Any:
        started.append(stack.enter_context(double.running()))
        return double

    with ExitStack() as stack:
        yield start
        for double in started:
            double.end()


@pytest.fixture
def model(running: Callable[[Double], Any]) -> ModelServer:
    """A model server that asks for a key."""
    return running(ModelServer(key="sk-model-key-0123456789abcdef"))


@pytest.fixture
def agent(running: Callable[[Double], Any]) -> EmbabelAgent:
    """An agent on Embabel's protocol."""
    return running(EmbabelAgent())


@pytest.fixture
def chat_agent(running: Callable[[Double], Any]) -> ChatAgent:
    """An agent on chat completions that asks for a key."""
    return running(ChatAgent(key="agent-bearer-0123"))


@pytest.fixture
def bare(tmp_path: Path) -> Stoic:
    """`stoic` in an empty project that knows no service."""
    (tmp_path / "project" / "eval_jobs").mkdir(parents=True)
    return Stoic(tmp_path / "project", {"STOIC_HOME": str(tmp_path / "home"), "COLUMNS": "120"})


@pytest.fixture
def stoic(bare: Stoic, graph_env: dict[str, str], model: ModelServer, agent: EmbabelAgent) -> Stoic:
    """`stoic` in an empty project with a graph, a model server and an agent."""
    bare.env |= graph_env
    bare.env |= {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": model.key or "", "AGENT_URL": agent.url}
    return bare
