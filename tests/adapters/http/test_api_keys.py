import pytest

from stoic_assets.adapters.http.api_keys import api_key
from stoic_assets.core.errors import ConfigurationError


@pytest.mark.parametrize(("value", "key"), [(" k-1\n", "k-1"), ("sk-a~!{}", "sk-a~!{}"), ("  ", None), (None, None)])
def test_a_key_is_what_stands_in_its_variable(value: str | None, key: str | None) -> None:
    assert api_key({} if value is None else {"OPENAI_API_KEY": value}, "OPENAI_API_KEY") == key


@pytest.mark.parametrize("value", ["treehorn\n12", "treehorn\r\nX-Evil: 1", "“treehorn”", "treehörn", "tree\x00horn"])
def test_a_key_that_no_header_carries_is_refused_unseen(value: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^AGENT_API_KEY: contains .*; copy it again$") as caught:
        api_key({"AGENT_API_KEY": value}, "AGENT_API_KEY")
    assert "tree" not in str(caught.value)
