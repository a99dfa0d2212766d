"""Jobs, templates, settings and run configurations that documents show, or that are shipped, are right."""

from pathlib import Path

import yaml
from dagster import AssetKey, validate_run_config
from documents import FENCE, ROOT, text_of

from stoic_assets.adapters.disk.configuration_files import yaml_files
from stoic_assets.adapters.disk.job_files import load_job, load_jobs
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.configuration.settings import Settings
from stoic_assets.core.jobs.slips import doubts
from stoic_assets.defs.assembly import ASSETS, build_definitions


def test_the_readmes_job_loads(tmp_path: Path) -> None:
    [block] = [block for language, block in FENCE.findall(text_of("README.md")) if language == "yaml"]
    assert block.splitlines()[1:] == (ROOT / "stoic_assets/first_job/embabel.yml").read_text().splitlines()[1:]
    (tmp_path / "my_agent.yml").write_text(block)
    job = load_job(tmp_path / "my_agent.yml")
    assert (job.name, len(job.facts), job.is_isolated()) == ("my_agent", 1, True)
    assert doubts([job], subject_is_embedded=True) == []


def test_the_jobs_of_the_documents_load(tmp_path: Path) -> None:
    blocks = [block for language, block in FENCE.findall(text_of("docs/jobs.md")) if language == "yaml"]
    for number, block in enumerate(blocks):
        (tmp_path / f"job_{number}.yml").write_text(block)
    jobs = load_jobs(yaml_files(tmp_path))
    assert [len(job.assertions) for job in jobs] == [3, 1, 2]
    assert doubts(jobs, subject_is_embedded=True) == []


def test_the_template_of_the_documents_renders(tmp_path: Path) -> None:
    blocks = dict(FENCE.findall(text_of("docs/judging.md")))
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "shop_wisdom.jinja").write_text(blocks["jinja"])
    (tmp_path / "refund.yml").write_text(blocks["yaml"])
    assert list(load_job(tmp_path / "refund.yml").prompts) == ["wisdom"]


def test_the_queries_of_the_documents_run_and_find_what_they_are_about(workplace: Workplace) -> None:
    place, trial = ("marcus@1.1.0", "E1"), {"trial_id": "t1", "job": "mentor", "condition": "withheld", "repeat": 1}
    call = {"call_id": "c", "trial_id": "t1", "role": "judge", "model": "sage", "cached": False, "latency_ms": 1.0}
    failed = {"trial_id": "t1", "assertion": "1", "kind": "cypher", "text": "RETURN 1", "weight": 1.0, "passed": False}
    counted = dict.fromkeys(("virtues_scored", "virtues_not_exercised", "failure_count"), 0)
    ended = trial | counted | {"outcome": "signed_off", "valid": True, "failure_penalty": 1.0}
    held = trial | {"outcome": "signed_off", "holdout": False, "failure_count": 0, "planned_tasks": 1, "turns": 3}
    calls = [call | {"cost_usd": 0.25}, call | {"call_id": "of unknown cost"}]
    tables = {"llm_calls": calls, "assertion_results": [failed], "composite_scores": [ended], "trials": [held]}
    for table, rows in tables.items():
        workplace.warehouse.write(table, *place, rows)
    queries = [block for language, block in FENCE.findall(text_of("docs/tables.md")) if language == "sql"]
    found = [workplace.warehouse.query(query) for query in queries]
    [[failures], [of_model], [of_job]] = found
    assert (failures["trials"], failures["failed"]) == (1, 1)
    assert (of_model["usd"], of_job["usd"], of_job["judging"]) == (0.25, 0.25, 0.25)
    assert (of_model["unknown"], of_job["unknown"]) == (1, 1)


def test_no_job_that_is_shipped_leaves_a_doubt() -> None:
    jobs = load_jobs([*yaml_files(ROOT / "eval_jobs"), *yaml_files(ROOT / "tests" / "jobs")])
    assert len(jobs) > 10
    assert doubts(jobs, subject_is_embedded=True) == []


def test_the_shipped_settings_are_the_defaults() -> None:
    shipped = Settings.model_validate(yaml.safe_load(text_of("stoic.yml")))
    assert shipped == Settings()


def test_the_run_configuration_shown_is_valid(workplace: Workplace) -> None:
    of_job, of_page = [
        yaml.safe_load(block) for language, block in FENCE.findall(text_of("docs/dagster.md")) if language == "yaml"
    ]
    definitions = build_definitions(workplace)
    pages = definitions.resolve_implicit_global_asset_job_def().get_subset(asset_selection={AssetKey("rating_pages")})
    assert validate_run_config(definitions.resolve_job_def("release_evaluation"), of_job)
    assert validate_run_config(pages, of_page)
    fields = next(asset for asset in ASSETS if asset.op.name == "transcripts").op.config_schema.config_type.fields
    assert set(of_job["ops"]["transcripts"]["config"]) == set(fields)
