"""Foreign text in Markdown, by what CommonMark and GitHub would make of it."""

import pytest

from stoic_assets.core.presentation.markdown import bulleted, plain, with_code


def test_nothing_smuggles_links_pictures_cells_or_lines() -> None:
    assert plain("![x](http://evil/a.png)\n| <img src=x> `c` **b** &lt; ~~s~~ $x$ \x00") == (
        r"\!\[x\](http\://evil/a.png) \| \<img src=x\> \`c\` \*\*b\*\* \&lt; \~\~s\~\~ \$x\$ \[U+0000\]"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# Title", r"\# Title"), ("  - item", r"\- item"), ("+ item", r"\+ item"), ("12. item", r"12\. item"),
        ("1) item", r"1\) item"), ("===", r"\==="), ("---", r"\---"), (":-:", r"\:-:"), ("> quote", r"\> quote"),
        ("see www.evil.com", r"see www\.evil.com"), ("\\# x", r"\\# x"),
    ],
)  # fmt: skip
def test_nothing_begins_a_block(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize("text", ["It failed: +0.05, 2026-11-22, 1 - 2 = 3.", "Say less (or nothing) #now"])
def test_usual_words_stay_readable(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("planner@1.4.0-rc is worse than a_b@1.3.0.", "`planner@1.4.0-rc` is worse than `a_b@1.3.0`."),
        ("`m@1.a`|(a@b.com), a@b@c.d", r"\``m@1.a`\`\|(`a@b.com`), `a@b`@c.d"), ("-a@1", "`-a@1`"),
        ("only @1.0 or at @", "only @1.0 or at @"), ("a" * 200_000, "a" * 200_000),
    ],
)  # fmt: skip
def test_no_version_is_taken_for_an_e_mail_address(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("run `stoic eval --file <x>_y` for [a]", r"run `stoic eval --file <x>_y` for \[a\]"),
        ("`stoic list` has no a@1.b", "`stoic list` has no `a@1.b`"),
        ("an odd ` remains", r"an odd \` remains"), ("# `a`", r"\# `a`"),
    ],
)  # fmt: skip
def test_commands_in_our_own_messages_are_code(message: str, shown: str) -> None:
    assert with_code(message) == shown
    assert bulleted([message], with_code) == f"- {shown}"


def test_lines_become_a_list() -> None:
    assert bulleted(["one\n# two", "[a](b)"]) == "- one # two\n- \\[a\\](b)"
    assert bulleted([]) == ""
