"""Notifications for a team: a run of Stoic Eval failed, a version is worse, or the judge changed."""

from dataclasses import asdict, dataclass
from datetime import datetime

from stoic_assets.core.comparison.judge_drift import Measurement
from stoic_assets.core.evolution.events import Event
from stoic_assets.core.nights.night_record import Alarm
from stoic_assets.core.releases import agent_of

RUN_FAILED = "stoic.run_failed"
REGRESSION_CONFIRMED = "stoic.regression_confirmed"
JUDGE_MOVED = "stoic.judge_moved"
ALERTS = (REGRESSION_CONFIRMED, RUN_FAILED, JUDGE_MOVED)
"""The types of events that somebody waits for: they are sent before others."""


@dataclass(frozen=True)
class Failure:
    """A run that failed, or one of its versions that failed or came to no verdict. `partition` is a version or a night.

    `time` is when it ended; ISO 8601, UTC. A night that was skipped has no run: `run_id` is the night.
    """

    run_id: str
    job: str
    partition: str | None
    error: str
    time: str
    evaluation_id: str | None = None
    agent_version: str | None = None


def run_failed(failure: Failure) -> Event:
    """A run failed; `error` is one line. Every version of a run that failed has its own event."""
    return _of_run(failure, "failed")


def manifests_left_out(failure: Failure) -> Event:
    """A night was held without what unreadable manifests name, or skipped. It may fail besides, so the id differs."""
    return _of_run(failure, "left_out")


def came_to_no_verdict(failure: Failure) -> Event:
    """A run evaluated a version that came to no verdict. It may fail besides, so this event has its own id."""
    return _of_run(failure, "no_verdict")


def _of_run(failure: Failure, what: str) -> Event:
    event_id = ".".join(part for part in (failure.run_id, failure.agent_version, what) if part)
    data = {
        "job": failure.job, "run_id": failure.run_id, "partition": failure.partition, "error": failure.error,
        "agent_version": failure.agent_version, "evaluation_id": failure.evaluation_id,
    }  # fmt: skip
    subject = failure.agent_version or failure.partition or failure.job
    return Event(event_id, RUN_FAILED, subject, failure.time, data)


def regression_confirmed(alarm: Alarm, night: str, time: str) -> Event:
    """A version was worse in the same measures or assertions in a night and in its second round, with the same base."""
    version = alarm.agent_version
    data = {
        "agent_id": agent_of(version), "agent_version": version, "base": alarm.base, "night": night,
        "measures": list(alarm.measures), "assertions": list(alarm.assertions),
        "evaluation_ids": list(alarm.evaluation_ids),
    }  # fmt: skip
    return Event(f"{night}.{version}.regression", REGRESSION_CONFIRMED, version, time, data)


def judge_moved(measurement: Measurement, event_id: str, at: datetime) -> Event | None:
    """The judge gives scores different from before; None without an alarm. The subject is the judge."""
    if not measurement.alarms:
        return None
    data = {
        "reference_id": measurement.reference_id, "judge_models": list(measurement.judge_models),
        "moved": [drift.virtue for drift in measurement.alarms],
        "drifts": [asdict(drift) for drift in measurement.drifts],
    }  # fmt: skip
    return Event(event_id, JUDGE_MOVED, ",".join(measurement.judge_models), at.isoformat(), data)
