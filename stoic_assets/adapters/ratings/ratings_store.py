"""Builds rating pages from replies, and stores rating files as rows of `human_ratings`."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stoic_assets.adapters.disk.configuration_files import visible_files
from stoic_assets.adapters.disk.files import write_whole
from stoic_assets.adapters.ratings.rating_keys import (
    keys_file,
    rating_pages,
    ratings_folder,
    ratings_locked,
    read_keys,
    write_keys,
)
from stoic_assets.adapters.warehouse.warehouse import Warehouse
from stoic_assets.adapters.workplace import Workplace
from stoic_assets.core.conversation.evidence import SCORED
from stoic_assets.core.errors import ConfigurationError, NothingYet
from stoic_assets.core.function_calls import stored_events
from stoic_assets.core.grouping import grouped
from stoic_assets.core.presentation.formatting import listed
from stoic_assets.core.ratings.blinding import Key, Keys, Reply, blind
from stoic_assets.core.ratings.collection import Merged, merge
from stoic_assets.core.ratings.page.build import build_page
from stoic_assets.core.ratings.rated_item import RatedItem, reported_effectiveness
from stoic_assets.core.ratings.rating_file import Rating, parse_ratings
from stoic_assets.core.table_rows import Row

TABLE = "human_ratings"


@dataclass(frozen=True)
class Built:
    """A page that was written: how many agents' `replies` it shows, so many `repeats` of them, and, with these and
    attention items, how many `items` in all. `keys` is the file of keys."""

    path: Path
    page_id: str
    replies: int
    repeats: int
    items: int
    keys: Path


@dataclass(frozen=True)
class Collected:
    """What was collected from so many files: ratings by their effect on the table."""

    files: int
    merged: Merged

    @property
    def counts(self) -> dict[str, int]:
        """All numbers, as they are reported."""
        return {"files": self.files, **self.merged.counts}


def build(
    workplace: Workplace, agent_versions: Sequence[str], out: Path | None = None, about: str | None = None
) -> Built:
    """Writes the page for the scenario replies of the versions' newest evaluations, and stores its keys.

    Without versions it takes the one that was evaluated last; `about` tells raters whom people wrote to. The same
    replies give the same page. Raises `NothingYet` for a version without such replies.
    """
    versions = dict.fromkeys(agent_versions) or [workplace.warehouse.newest_version()]
    home = workplace.project.home
    # From the first reading on: what is forgotten meanwhile would come back.
    with ratings_locked(workplace):
        replies = [reply for version in versions for reply in scenario_replies(workplace, version)]
        known = read_keys(home)
        page = blind(replies, known, lambda: secrets.token_hex(6))
        keys = write_keys(home, known | page.keys)
        path = out or rating_pages(workplace) / f"rating-page-{page.page_id}.html"
        write_whole(path, build_page(page, about))
    repeats = sum(key.repeat_of is not None for key in page.keys.values())
    return Built(path, page.page_id, len(replies), repeats, len(page.items), keys)


def scenario_replies(workplace: Workplace, agent_version: str) -> list[Reply]:
    """One reply to each scenario, from the newest evaluation of the version that has any that count."""
    warehouse, has_scenarios = workplace.warehouse, False
    for evaluation in warehouse.evaluations(agent_version):
        place = (agent_version, evaluation["evaluation_id"])
        trials = warehouse.read_if_stored("trials", *place)
        if first := _first_trials(trials):
            said = _exchanges(warehouse.read("turns", *place))
            if replies := [Reply(*place, trial_id, *said[trial_id]) for trial_id in first if trial_id in said]:
                return replies
        has_scenarios |= any(trial["scenario"] for trial in trials)
    again = f"run `stoic eval --agent-version {agent_version}`"
    why = f"; {again} with a job for that agent that holds `scenarios`"
    if has_scenarios:
        why = f": all its trials with a scenario failed; correct the causes, which its report names, and {again} again"
    raise NothingYet(f"{agent_version} has no replies to rate{why}")


def _first_trials(trials: Iterable[Row]) -> list[str]:
    """The ids of the first valid trial of each scenario; further repeats would double the raters' work."""
    valid = [trial for trial in trials if trial["scenario"] and trial["outcome"] in SCORED]
    ordered = sorted(valid, key=lambda trial: (trial["condition"] != "withheld", trial["repeat"]), reverse=True)
    return sorted({(trial["job"], trial["scenario"]): trial["trial_id"] for trial in ordered}.values())


def _exchanges(turns: Iterable[Row]) -> dict[str, tuple[str, str]]:
    """The first message of the person and of the agent, for each trial in which both spoke."""
    said: dict[tuple[str, str], str] = {}
    for turn in sorted(turns, key=lambda turn: turn["turn"]):
        said.setdefault((turn["trial_id"], turn["speaker"]), turn["content"])
    replied = [trial_id for trial_id, speaker in said if speaker == "agent"]
    return {trial_id: (said[trial_id, "user"], said[trial_id, "agent"]) for trial_id in replied}


def rating_files(home: Path) -> list[Path]:
    """The files that raters sent, in the project's own folder for them."""
    folder = ratings_folder(home)
    return _files([folder] if folder.is_dir() else [], keys_file(home))


def collect(workplace: Workplace, paths: Iterable[Path]) -> Collected:
    """Stores rating files, or all visible `.json` files of folders. Storing the same again changes nothing.

    Subfolders that have such files are named in a note. Raises `ConfigurationError` for the first file that is missing
    or invalid; then nothing is stored.
    """
    named = list(paths)
    files = _files(named, keys_file(workplace.project.home))
    if passed_over := _passed_over(named):
        workplace.progress.note(f"not searched, name them to collect from them: {listed(passed_over)}")
    ratings = [rating for file in files for rating in _read(workplace, file)]
    with ratings_locked(workplace):
        stored = workplace.warehouse.query(f"select * from {TABLE}")
        merged = merge(stored, ratings, read_keys(workplace.project.home))
        for place, rows in merged.rows.items():
            workplace.warehouse.write(TABLE, *place, rows)
    workplace.warehouse.publish()  # which an evaluation would do; a study made elsewhere has none
    return Collected(len(files), merged)


def _files(paths: Iterable[Path], keys: Path) -> list[Path]:
    """The files that were named or are in named folders, each once, by path; without the file of keys."""
    named = [visible_files(path, ".json") if path.is_dir() else [path] for path in paths]
    return sorted({file.resolve() for group in named for file in group} - {keys.resolve()})


def _passed_over(paths: Sequence[Path]) -> list[str]:
    """The visible folders with such files that are in the named ones, and were not named themselves."""
    named = {path.resolve() for path in paths}
    inside = (folder for path in paths for folder in path.glob("*/") if folder.resolve() not in named)
    return sorted(str(each) for each in inside if not each.name.startswith(".") and visible_files(each, ".json"))


def _read(workplace: Workplace, file: Path) -> list[Rating]:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from None
    clean, ratings = workplace.redactor.text, parse_ratings(content, str(file), datetime.now(UTC))
    return [rating.model_copy(update={"comments": clean(rating.comments)}) for rating in ratings]


def rated_items(warehouse: Warehouse, keys: Keys) -> dict[str, RatedItem]:
    """What is known about every item of every built page, by test id."""
    replies = sorted({key.trial_id for key in keys.values() if key.trial_id})
    turns = warehouse.query(
        "select trial_id, turn, speaker, content, events from turns where list_contains(?, trial_id)", [replies]
    )
    trials = warehouse.query("select trial_id, scenario from trials where list_contains(?, trial_id)", [replies])
    said, effectiveness = _exchanges(turns), _effectiveness(turns)
    scenarios = {trial["trial_id"]: trial["scenario"] for trial in trials}
    return {test_id: _rated_item(key, said, effectiveness, scenarios) for test_id, key in keys.items()}


def _effectiveness(turns: Iterable[Row]) -> dict[str, float | None]:
    """What the agent reported about its reply in each trial."""
    in_order = sorted(turns, key=lambda turn: turn["turn"])
    events = grouped((turn["trial_id"], event) for turn in in_order for event in stored_events(turn["events"]))
    return {trial_id: reported_effectiveness(found) for trial_id, found in events.items()}


def _rated_item(
    key: Key, said: Mapping[str, tuple[str, str]], effectiveness: Mapping[str, float | None],
    scenarios: Mapping[str, str | None],
) -> RatedItem:
    trial_id = key.trial_id or ""
    input_text, reply = said.get(trial_id, (None, None))
    return RatedItem(
        input_text, reply, key.words, effectiveness=effectiveness.get(trial_id), attention=key.attention,
        agent_version=key.agent_version, scenario=scenarios.get(trial_id),
    )  # fmt: skip
