"""What the sensor that sees nights through asks for, over a real instance and a real warehouse."""

import json
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from code_server_runs import begun
from watched_nights import BASE, CANDIDATE, NIGHT, Told, Watch

from stoic_assets.adapters.messages.outbox import Delivered
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Nightly
from stoic_assets.core.errors import ConfigurationError
from stoic_assets.core.nights.night_record import night_evaluation_id
from stoic_assets.defs.nightly import build_nightly
from stoic_assets.defs.partitions import agent_versions


def test_a_night_waits_until_its_run_is_over(watch: Watch, instance: dg.DagsterInstance) -> None:
    job = watch.definitions.resolve_job_def("night")
    run = instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
    watch.held("first", BASE, run_id=run.run_id)
    assert watch.tick() == []
    assert watch.found.skip_reason.skip_message == f"{NIGHT} waits for its runs"
    instance.report_run_failed(run, "the judge could not be looked at")
    assert len(watch.tick()) == 1


@pytest.fixture
def retries(instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dagster starts runs that lost their worker once more."""
    settings = {"run_retries": {"enabled": True, "max_retries": 1, "retry_on_asset_or_op_failure": False}}
    monkeypatch.setattr(instance, "_settings", settings)


@pytest.mark.usefixtures("retries")
def test_a_candidate_waits_for_the_second_try_of_its_base(watch: Watch, instance: dg.DagsterInstance) -> None:
    watch.held("first", BASE, CANDIDATE)
    assert watch.asked() == [BASE]
    wanted = night_evaluation_id(NIGHT, BASE, "first")
    [lost] = instance.get_runs(dg.RunsFilter(tags={"stoic/evaluation_id": wanted}))
    instance.report_run_failed(lost, "its process is gone")
    assert watch.asked() == [], "Dagster will start it again"
    retry = begun(instance, watch.definitions.resolve_job_def("release_evaluation"), dict(lost.tags))
    instance.add_run_tags(lost.run_id, {"dagster/auto_retry_run_id": retry.run_id})
    assert watch.asked() == []
    instance.report_run_failed(retry, "its process is gone")
    instance.add_run_tags(retry.run_id, {"dagster/will_retry": "false"})
    assert watch.asked() == [CANDIDATE], "the base has no verdict"


@pytest.mark.usefixtures("retries")
def test_a_night_waits_for_the_second_try_of_its_run(watch: Watch, instance: dg.DagsterInstance) -> None:
    job = watch.definitions.resolve_job_def("night")
    run = begun(instance, job, {})
    watch.held("first", BASE, run_id=run.run_id)
    instance.report_run_failed(run, "its process is gone")
    assert watch.tick() == []
    retry = begun(instance, job, {})
    instance.add_run_tags(run.run_id, {"dagster/auto_retry_run_id": retry.run_id})
    assert watch.tick() == [], "it looks at the judge"
    instance.report_run_failed(retry, "the judge could not be looked at")
    instance.add_run_tags(retry.run_id, {"dagster/will_retry": "false"})
    assert watch.asked() == [BASE]


def test_a_tick_that_asks_for_nothing_delivers_alerts_that_wait(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    delivered = []

    def deliver(workplace: Workplace) -> Delivered:
        delivered.append(workplace)
        return Delivered(1, 2, ("STOIC_WEBHOOK_URL: 503",))

    monkeypatch.setattr("stoic_assets.defs.night_watch.deliver_alerts", deliver)
    watch.held("first", BASE)
    assert (watch.asked(), delivered) == ([BASE], []), "that must not be lost, should the webhook be slow"
    assert (watch.asked(), len(delivered)) == ([], 1)
    assert watch.found.skip_reason.skip_message == f"{NIGHT} waits for its runs; STOIC_WEBHOOK_URL: 503"


def test_the_warehouse_is_compacted_once_after_a_night(watch: Watch) -> None:
    watch.held("first", BASE)
    assert [each.job_name for each in watch.tick()] == ["release_evaluation"]
    assert watch.tick() == []
    assert watch.found.skip_reason.skip_message == f"{NIGHT} waits for its runs"
    watch.judged("first", BASE)
    [request] = watch.tick()
    assert (request.job_name, request.run_key, request.partition_key) == ("compaction", f"{NIGHT}-compaction", None)
    assert watch.tick() == []
    assert watch.found.skip_reason.skip_message == "no nightly run is incomplete"


def test_what_is_scored_and_not_compared_yet_is_waited_for(watch: Watch) -> None:
    """Its comparison is stored some steps later."""
    watch.held("first", BASE)
    assert watch.asked() == [BASE]
    watch.head(BASE, night_evaluation_id(NIGHT, BASE, "first"), "finished", 6, 0)
    assert watch.tick() == []
    watch.judged("first", BASE)
    assert [each.job_name for each in watch.tick()] == ["compaction"]


def test_what_has_no_verdict_is_judged_again_when_its_night_is_materialised_again(watch: Watch) -> None:
    watch.held("first", BASE, CANDIDATE)
    assert watch.asked() == [BASE]
    watch.judged("first", BASE)
    assert watch.asked() == [CANDIDATE]
    watch.head(CANDIDATE, night_evaluation_id(NIGHT, CANDIDATE, "first"), "conversed", None, None)
    watch.ended(night_evaluation_id(NIGHT, CANDIDATE, "first"))
    assert [each.job_name for each in watch.tick()] == ["compaction"], "its run failed"

    watch.held("first", BASE, CANDIDATE, run_id="once more")
    assert watch.asked() == [CANDIDATE], "the base is judged already"
    assert watch.tick() == []
    watch.judged("first", CANDIDATE)
    assert watch.tick() == []


def test_a_second_round_without_verdict_follows_once_more_when_its_night_is_materialised_again(
    watch: Watch, told: Told
) -> None:
    for name in ("first", "again"):
        watch.held(name, BASE, CANDIDATE)
        for version in (BASE, CANDIDATE):
            assert watch.asked() == [version]
            broken = name == "again" and version == CANDIDATE
            watch.judged(name, version, *(["task"] if version == CANDIDATE else []), invalid=6 if broken else 0)
        assert [each.job_name for each in watch.tick()] == ["night" if name == "first" else "compaction"]
    [event] = told()
    assert event["type"] == "stoic.run_failed"

    watch.held("first", BASE, CANDIDATE, run_id="once more")
    [again] = watch.tick()
    assert again.run_config["ops"]["nightly_conversations"]["config"] == {"again": True, "versions": [BASE, CANDIDATE]}
    assert watch.tick() == [], "it was requested"
    watch.held("again", BASE, CANDIDATE, run_id="and more")
    assert watch.asked() == [CANDIDATE], "the base has its verdict"
    watch.judged("again", CANDIDATE, "task")
    damaged = watch.workplace.project.home / "nights" / "2026-11-20.json"
    damaged.write_text("{")
    assert (watch.tick(), len(watch.found.asset_events)) == ([], 1), "no other night takes the alarm from its page"
    damaged.unlink()
    assert [each["type"] for each in told()] == ["stoic.run_failed", "stoic.regression_confirmed"]
    watch.held("first", BASE, CANDIDATE, run_id="a third time")
    assert watch.tick() == [], "both rounds have their verdicts"


def test_where_a_base_is_judged_again_so_is_what_is_compared_with_it(watch: Watch) -> None:
    watch.held("first", BASE, CANDIDATE)
    for version in (BASE, CANDIDATE):
        assert watch.asked() == [version]
        watch.judged("first", version)
    watch.head(BASE, night_evaluation_id(NIGHT, BASE, "first"), "conversed", None, None)
    watch.held("first", BASE, CANDIDATE, run_id="once more")
    for version in (BASE, CANDIDATE):
        assert watch.asked() == [version]
        watch.judged("first", version)
    assert [each.job_name for each in watch.tick()] == ["compaction"]


def test_a_damaged_night_holds_up_no_other_and_fails_the_tick_after(watch: Watch) -> None:
    watch.held("first", BASE)
    damaged = watch.workplace.project.home / "nights" / "2026-11-20.json"
    damaged.write_text("{")
    assert [each.job_name for each in watch.tick()] == ["release_evaluation"]
    with pytest.raises(ConfigurationError, match=r"2026-11-20\.json is damaged"):
        watch.tick()
    damaged.unlink()
    assert watch.tick() == []


def test_a_version_without_partition_holds_up_no_night(watch: Watch, instance: dg.DagsterInstance) -> None:
    """It is gone with Dagster's records, and the sensor that adds partitions may be stopped."""
    instance.delete_dynamic_partition("agent_version", CANDIDATE)
    watch.held("first", CANDIDATE, night="2026-11-20")
    watch.held("first", BASE)
    assert watch.asked() == [CANDIDATE, BASE]
    assert watch.found.dynamic_partitions_requests == [agent_versions.build_add_request([CANDIDATE])]


@pytest.mark.parametrize("changed", [{"cron": "0 2 * * 1-5"}, {"cron": "0 2 * * *", "since": "2026-11-22"}])
def test_a_day_that_is_no_night_any_more_gets_no_second_round_and_holds_up_no_night(
    workplace: Workplace, instance: dg.DagsterInstance, definitions_of_no_night: dg.Definitions,
    changed: dict[str, str],
) -> None:
    nights = build_nightly(Nightly.model_validate({"since": "2026-11-01", "time_zone": "Europe/Berlin", **changed}))
    watch = Watch(workplace, instance, dg.Definitions.merge(definitions_of_no_night, nights))
    watch.held("first", BASE, CANDIDATE)  # on a Saturday
    for version in (BASE, CANDIDATE):
        watch.judged("first", version, "task")
    watch.held("first", BASE, night="2026-11-23")
    assert [each.job_name for each in watch.tick()] == ["release_evaluation", "compaction"]
    assert watch.tick() == []
    assert watch.found.skip_reason.skip_message == (
        f"2026-11-23 waits for its runs; {NIGHT} gets no second round: "
        "by `nightly` in stoic.yml it is no night any more"
    )


def test_nobody_looks_after_nights_of_long_ago(watch: Watch) -> None:
    watch.held("first", BASE)
    path = watch.workplace.project.home / "nights" / f"{NIGHT}.json"
    night = json.loads(path.read_text())
    night["first"]["held_at"] = (datetime.now(UTC) - timedelta(days=4)).isoformat()
    path.write_text(json.dumps(night))
    assert watch.tick() == []


def test_it_watches_from_the_start(definitions: dg.Definitions) -> None:
    sensor = definitions.get_repository_def().get_sensor_def("night_watch")
    assert sensor.default_status == dg.DefaultSensorStatus.RUNNING
