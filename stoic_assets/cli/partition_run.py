"""Materialises assets of one partition in this process: commands do the same as Dagster's UI."""

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

from stoic_assets.adapters.evaluation.conversations import import_clients
from stoic_assets.adapters.models.connect import uses_stand_in
from stoic_assets.adapters.process.interrupts import heard_once, is_ctrl_c_ignored
from stoic_assets.adapters.process.lean_imports import uncollected
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.cli.dagster_instance import open_instance
from stoic_assets.cli.run_faults import Interrupted, faults_translated
from stoic_assets.cli.run_records import fail_dead_runs, status_of
from stoic_assets.core.errors import StoicError
from stoic_assets.core.evaluation.evaluation_id import EVALUATION_TAG
from stoic_assets.core.evaluation.next_command import way_to_finish
from stoic_assets.core.stages import PARTITIONS


def materialise(
    workplace: Workplace, agent_version: str, evaluation_id: str, assets: Sequence[str],
    config: Mapping[str, Mapping[str, Any]],
) -> None:
    """Materialises `assets` for one version and evaluation. Raises the `StoicError` that ended a step or `Interrupted`.

    Holds the lock of the evaluation throughout, so that no other process judges or publishes the same evaluation.
    """

    def begun() -> bool:
        """Whether anything was asked or said yet: a service may have been unreachable at the start."""
        manifest = workplace.evidence.manifest(agent_version, evaluation_id)
        return manifest is not None and workplace.evidence.has_begun(manifest)

    def advice() -> str:
        """What remains of a run that is cut short, and how to continue it."""
        if not begun():
            return "nothing was started"
        again = way_to_finish(agent_version, evaluation_id, status_of(assets))
        ceilings = {each["max_cost"] for each in config.values() if each.get("max_cost") is not None}
        limited = "".join(f" and --max-cost {ceiling:g}" for ceiling in ceilings)
        return f"results so far are stored; continue with {again}{limited}"

    try:
        with workplace.graph_use.kept(), faults_translated(workplace, advice):  # all stages use one graph server
            workplace.graph_use.start()  # it starts while slow modules are imported
            import_clients(uses_stand_in(workplace.env))
            if not _succeeds(workplace, agent_version, evaluation_id, assets, config):
                # Dagster turns an interrupt into a failed run without an exception.
                raise Interrupted(advice())
    except StoicError as error:
        says_how_to_go_on = error.says_how_to_go_on or "`stoic " in str(error)
        if not says_how_to_go_on and begun():
            error.add_note(advice())
        raise


def _succeeds(
    workplace: Workplace, agent_version: str, evaluation_id: str, assets: Sequence[str],
    config: Mapping[str, Mapping[str, Any]],
) -> bool:
    """Runs the steps that make `assets`. Dagster's logger is silenced, and what assets print goes to stderr."""
    with uncollected():
        import dagster as dg

        from stoic_assets.defs.assembly import build_definitions

        job = build_definitions(workplace).resolve_implicit_global_asset_job_def()
    run_config = {
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
        "ops": {name: {"config": dict(values)} for name, values in config.items()},
    }
    with (
        workplace.evidence.locked(agent_version, evaluation_id), open_instance(workplace) as instance,
        redirect_stdout(sys.stderr), _interrupts_heard_once(),
    ):
        instance.add_dynamic_partitions(PARTITIONS, [agent_version])
        fail_dead_runs(instance, workplace, agent_version, evaluation_id)
        result = job.execute_in_process(
            instance=instance, partition_key=agent_version, tags={EVALUATION_TAG: evaluation_id},
            run_config=run_config, asset_selection=[dg.AssetKey(name) for name in assets], raise_on_error=True,
        )
    return bool(result.success)


@contextmanager
def _interrupts_heard_once() -> Iterator[None]:
    """Makes Dagster hear only the first Ctrl-C, whichever of its handlers is in place: a second would disturb its end.

    Also keeps it from hearing Ctrl-C where that is ignored, and from handling SIGTERM, which is Ctrl-C to us.
    """
    from dagster._utils import interrupts

    def replace(new_signal_handler: Any) -> None:
        if not is_ctrl_c_ignored():
            signal.signal(signal.SIGINT, heard_once(new_signal_handler))

    put, interrupts._replace_interrupt_signal = interrupts._replace_interrupt_signal, replace
    try:
        yield
    finally:
        interrupts._replace_interrupt_signal = put
