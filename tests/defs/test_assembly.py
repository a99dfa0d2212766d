"""The code location as the web UI lists it."""

from stoic_assets.adapters.workplace import Workplace
from stoic_assets.defs.assembly import build_definitions


def test_everything_that_the_web_ui_lists_says_what_it_does(workplace: Workplace) -> None:
    definitions = build_definitions(workplace)
    listed = [*(definitions.sensors or ()), *(definitions.schedules or ()), *(definitions.jobs or ())]
    assets = [(spec.key.to_user_string(), spec.description) for spec in definitions.resolve_all_asset_specs()]
    described = [*((each.name, each.description) for each in listed), *assets]
    assert len(described) > 30
    assert [name for name, description in described if not description] == []
