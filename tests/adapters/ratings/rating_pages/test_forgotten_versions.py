"""What pages, keys and analyses keep of a version that is forgotten."""

from collections.abc import Callable
from pathlib import Path

from rated_trials import VERSION, ratings_of, save, store, trial

from stoic_assets.adapters.ratings import ratings_store
from stoic_assets.adapters.ratings.rating_analysis import analyse_ratings
from stoic_assets.adapters.ratings.rating_keys import forget_version, rating_pages, read_keys
from stoic_assets.adapters.ratings.ratings_store import build, collect
from stoic_assets.adapters.workplace import Workplace


def test_ratings_of_hidden_repeats_are_no_further_items_once_their_version_is_forgotten(
    workplace: Workplace, tmp_path: Path
) -> None:
    store(workplace, "e1", [trial("e1", f"grief {n}") for n in range(40)])
    build(workplace, [VERSION])
    sent = [save(tmp_path / "in", ratings_of(workplace, rater), f"{rater}.json") for rater in ("ann", "ben")]
    collect(workplace, sent)
    items = len(analyse_ratings(workplace).analysis.table.items)
    forget_version(workplace, VERSION)
    (workplace.project.warehouse / "human_ratings" / f"agent_version={VERSION}").rename(tmp_path / "deleted")
    collect(workplace, sent)
    assert len(analyse_ratings(workplace).analysis.table.items) == items == 40
    forgotten = [key for key in read_keys(workplace.project.home).values() if key.repeat_of]
    assert forgotten
    assert {(key.agent_version, key.evaluation_id, key.trial_id) for key in forgotten} == {(None, None, None)}
    assert not any("grief" in key.origin for key in forgotten)


def test_a_version_that_is_forgotten_leaves_no_page_with_its_replies(workplace: Workplace) -> None:
    for version, evaluation in ((VERSION, "e1"), ("marcus@1.1", "f1")):
        store(workplace, evaluation, [trial(evaluation, "grief")], version=version)
    both = build(workplace, [VERSION, "marcus@1.1"])
    alone = [build(workplace, [version]).path for version in (VERSION, "marcus@1.1")]
    for rater, overall in (("ann", "yes"), ("ben", "no")):
        ratings = ratings_of(workplace, rater, overall=overall, meta={"page_id": both.page_id})
        collect(workplace, [save(workplace.project.home / "sent", ratings)])
    analysed, known = analyse_ratings(workplace), read_keys(workplace.project.home)
    assert f"`{VERSION}` says of" in analysed.discussion_sheet.read_text(encoding="utf-8").replace("\\", "")
    forget_version(workplace, VERSION)
    made = (both.path, *alone, analysed.report, analysed.discussion_sheet)
    assert [path.exists() for path in made] == [False, False, True, False, False]
    kept = {test_id: key for test_id, key in known.items() if key.agent_version != VERSION}
    assert read_keys(workplace.project.home) == kept != known


def test_a_version_that_is_forgotten_is_named_by_no_analysis(workplace: Workplace) -> None:
    store(workplace, "e1", [trial("e1", "grief")])
    build(workplace, [VERSION])
    texts = {"own": f"Replies of x@1, {VERSION}.", "later": f"Replies of {VERSION}.1", "other": f"a-{VERSION}"}
    for test_id, key in read_keys(workplace.project.home).items():
        texts |= {"page" if key.agent_version else "training": f'{{"test_id":"{test_id}"}}'}
    pages = rating_pages(workplace)
    pages.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (pages / f"{name}.html").write_text(text)
    forget_version(workplace, VERSION)
    assert {path.stem for path in pages.glob("*.html")} == {"later", "other", "training"}


def test_no_version_is_forgotten_while_a_page_is_built(
    workplace: Workplace, steps_alone: Callable[..., list[str]]
) -> None:
    """Neither its keys nor a page with its replies could be removed later."""
    store(workplace, "e1", [trial("e1", "grief")])
    called = steps_alone(
        workplace.project.home, (ratings_store, "scenario_replies"), (ratings_store, "write_keys"),
        (ratings_store, "write_whole"),
    )  # fmt: skip
    build(workplace, [VERSION])
    assert called == ["scenario_replies", "write_keys", "write_whole"]
