"""The alarms of a night: put into the outbox, recorded, and shown on the night's page in Dagster."""

from collections.abc import Sequence

import dagster as dg

from stoic_assets.adapters.evaluation.delivery import put_events
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.nights.alerts import regression_confirmed
from stoic_assets.core.nights.night_record import Alarm, Night
from stoic_assets.defs.asset_metadata import shown

CONVERSATIONS = "nightly_conversations"


def raise_alarms(
    context: dg.SensorEvaluationContext, workplace: Workplace, night: Night, alarms: Sequence[Alarm]
) -> list[dg.AssetObservation]:
    """Puts new alarms into the outbox, and records them; gives what the page of the night is to show of them."""
    if not alarms and not _is_unseen(context.instance, night):
        return []
    for alarm in alarms:
        found = f"{alarm.agent_version} is worse than {alarm.base} in both rounds: {_what(alarm)}"
        context.log.warning(f"{night.night}: {found}")
        # Before it is recorded: after an interruption in between it is put there again, as the same event.
        put_events(workplace, [regression_confirmed(alarm, night.night, night.last_held)])
        workplace.nights.record_alarm(night.night, alarm)
    return [_observed(workplace.nights.read(night.night))]


def _is_unseen(instance: dg.DagsterInstance, night: Night) -> bool:
    """Whether the page lacks a recorded alarm: what a tick found is lost if Dagster stops it for taking too long."""
    raised = {version for version, alarm in night.alarms.items() if night.versions.keys() >= {*alarm.evaluation_ids}}
    if not raised:
        return False
    filters = dg.AssetRecordsFilter(dg.AssetKey(CONVERSATIONS), asset_partitions=[night.night])
    last = [each.asset_observation for each in instance.fetch_observations(filters, limit=1).records]
    seen = [each.metadata.get("alarm") for each in last if each]
    return not any(each and raised <= {*str(each.value).split(", ")} for each in seen)


def _measures(alarm: Alarm) -> str:
    return ", ".join(each["measure"] for each in alarm.measures)


def _what(alarm: Alarm) -> str:
    """`task, wisdom; these assertions hold less often: the reminder is stored`."""
    weaker = f"these assertions hold less often: {', '.join(alarm.assertions)}" if alarm.assertions else ""
    return "; ".join(filter(None, (_measures(alarm), weaker)))


def _observed(night: Night) -> dg.AssetObservation:
    """All alarms of a night so far: its page shows what was observed last."""
    rows = [
        {
            "agent_version": alarm.agent_version, "base": alarm.base, "measures": _measures(alarm),
            "assertions": ", ".join(alarm.assertions),
        }
        for alarm in night.alarms.values()
    ]
    return dg.AssetObservation(
        CONVERSATIONS, partition=night.night, metadata={"alarm": ", ".join(night.alarms), "alarms": shown(rows)}
    )
