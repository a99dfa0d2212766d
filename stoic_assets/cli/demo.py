"""`stoic demo`: evaluates and compares two releases of a live agent."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Annotated, Any

import typer

from stoic_assets.adapters.agents.knowledge_context import ADDRESS
from stoic_assets.adapters.disk.paths import shipped
from stoic_assets.adapters.evaluation.beginning import Wanted
from stoic_assets.adapters.evaluation.version_comparison import compare_versions
from stoic_assets.adapters.messages.receiver import SECRETS, SETTINGS
from stoic_assets.adapters.workplace import Workplace, open_workplace
from stoic_assets.cli import console
from stoic_assets.cli.child_process import UNINTERRUPTED, child_process
from stoic_assets.cli.compare import comparison_document, show_comparison
from stoic_assets.cli.dagster_instance import refuse_misread_folders
from stoic_assets.cli.evaluate import new_evaluation_id, run_evaluation
from stoic_assets.cli.options import Json, Verbose
from stoic_assets.cli.outcome import evaluation_outcome
from stoic_assets.cli.run_faults import Interrupted
from stoic_assets.core.comparison.comparison import Comparison
from stoic_assets.core.configuration.graph_address import GraphAddress
from stoic_assets.core.errors import ServiceUnreachable, StoicError
from stoic_assets.core.evaluation.request import EvaluationRequest
from stoic_assets.demo.releases import RELEASES

FOR_REAL_AGENTS = ("AGENT_", "NEO_", "STOIC_GRAPH", *SETTINGS.values(), *SECRETS.values(), ADDRESS)
"""Prefixes of settings that lead to the user's own services."""
AGAIN = "run `stoic demo` again; it starts from the beginning"


def demo(
    live: Annotated[bool, typer.Option("--live", help="Use the configured model, which costs money.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Evaluates two versions of the demo agent on the embedded graph and shows what changed between them."""
    with console.watched(verbose) as progress:
        workplace = demo_workplace(open_workplace(progress=progress), live)
        refuse_misread_folders(workplace)
        with workplace.graphs() as graphs, ExitStack() as agents:
            urls = {r: agents.enter_context(_running_agent(r, graphs.subject_address)) for r in RELEASES}
            documents = [_evaluate(workplace, release, url) for release, url in urls.items()]
    comparison = _compared(workplace, documents)
    if as_json:
        document = comparison_document(comparison)
        flipped = document["flipped_assertions"]
        console.print_json({"evaluations": documents, "comparison": document, "flipped_assertions": flipped})
    else:
        _show(comparison, documents[-1], workplace)


def demo_workplace(workplace: Workplace, live: bool) -> Workplace:
    """A workplace with the shipped jobs and embedded graphs. It notifies no service, whatever is configured.

    Its results are stored with all results of the project, so that other commands and the web UI find them.
    """
    project = replace(workplace.project, root=shipped("eval_jobs").parent)
    env = {name: value for name, value in workplace.env.items() if not name.startswith(FOR_REAL_AGENTS)}
    return replace(workplace, project=project, env=env if live else env | {"STOIC_LLM": "offline"})


def _evaluate(workplace: Workplace, release: str, url: str) -> dict[str, Any]:
    request = EvaluationRequest(tags=("demo",), agent_url=url)
    wanted = Wanted(f"marcus@{release}", new_evaluation_id(), request)
    workplace.progress.note(f"{wanted.agent_version} at {url}")
    try:
        manifest = run_evaluation(workplace, wanted)
    except Interrupted:
        raise Interrupted(AGAIN) from None
    except StoicError as error:
        error.__notes__ = [AGAIN]  # its agents end with it: the evaluation cannot be resumed
        raise
    return evaluation_outcome(workplace, manifest).document


@contextmanager
def _running_agent(release: str, graph: GraphAddress) -> Iterator[str]:
    """Runs a release of the demo agent in its own process, and yields its URL. Raises `ServiceUnreachable`."""
    env = {
        **os.environ, "NEO_URI": graph.uri, "NEO_USERNAME": graph.username or "", "NEO_PASSWORD": graph.password or "",
        "NEO_DATABASE": graph.database or "",
    }
    env.pop("AGENT_API_KEY", None)
    service = [sys.executable, "-m", "stoic_assets.demo.service", "--until-eof"]
    command = [*UNINTERRUPTED, *service, "--release", release, "--port", "0"]
    with child_process(command, env, patience=10, tied=True) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        line = process.stdout.readline()
        if not line:
            raise ServiceUnreachable(f"the demo agent {release} did not start (exit code {process.wait(10)})")
        yield json.loads(line)["url"]


def _compared(workplace: Workplace, documents: list[dict[str, Any]]) -> Comparison:
    """Compares both releases in the evaluations that were just made."""
    [base, candidate], [base_id, candidate_id] = (
        [document[key] for document in documents] for key in ("agent_version", "evaluation_id")
    )
    return compare_versions(workplace, base, candidate, base_id, candidate_id)


def _show(comparison: Comparison, candidate: dict[str, Any], workplace: Workplace) -> None:
    show_comparison(comparison)
    report = workplace.report_file(candidate["agent_version"], candidate["evaluation_id"])
    console.out.print(f"\nreport      {report}")
    console.out.print(f"tables      {workplace.warehouse.published}")
    stoic = "stoic" if shutil.which("stoic") else sys.argv[0]  # after `make demo` it is in .venv, not on PATH
    versions = f"{comparison.base.agent_version} {comparison.candidate.agent_version}"
    console.out.print(f"web UI      {stoic} ui   (partitions marcus@1.0.0 and marcus@1.1.0)")
    console.out.print(f"graph       {stoic} graph   (for queries see docs/evolution.md)")
    console.out.print(f"your agent  {stoic} eval --file JOB.yml --agent-url URL   (see README)")
    console.out.print(f"a gate, which exits with 1 here:\n  {stoic} compare {versions} --fail-on regression")
