"""What tells model servers apart, and what is shown of them."""

import pytest

from stoic_assets.adapters.models.model_server import ModelServer, evaluator_server, judge_server


def test_servers_that_differ_only_in_the_variables_that_set_them_are_the_same() -> None:
    url = "http://localhost:1/v1"
    judge = judge_server({"STOIC_JUDGE_BASE_URL": url, "STOIC_JUDGE_API_KEY": "sk-a"})
    assert judge == evaluator_server({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-a"})
    assert judge != evaluator_server({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-b"})
    assert (judge.url_variable, judge.key_variable) == ("STOIC_JUDGE_BASE_URL", "STOIC_JUDGE_API_KEY")


def test_a_key_of_the_judges_for_the_common_server_is_named_as_theirs() -> None:
    env = {"OPENAI_BASE_URL": "http://localhost:1/v1", "OPENAI_API_KEY": "sk-a"}
    shared, own = judge_server(env), judge_server({**env, "STOIC_JUDGE_API_KEY": "sk-b"})
    assert [(each.key, each.url_variable, each.key_variable) for each in (shared, own)] == [
        ("sk-a", "OPENAI_BASE_URL", "OPENAI_API_KEY"), ("sk-b", "OPENAI_BASE_URL", "STOIC_JUDGE_API_KEY"),
    ]  # fmt: skip


def test_blanks_around_an_address_belong_to_no_server() -> None:
    assert evaluator_server({"OPENAI_BASE_URL": " http://a/v1\n"}).url == "http://a/v1"
    assert judge_server({"STOIC_JUDGE_BASE_URL": " http://a/v1\n"}).url == "http://a/v1"


@pytest.mark.parametrize("url", ["https://host/v1", "https://host/v1/", "https://host/v1?code=k1", "https://host/v1#k1"])
def test_neither_the_key_nor_what_follows_the_path_is_shown(url: str) -> None:
    server = ModelServer(url, "sk-meditations")
    assert "sk-meditations" not in repr(server)
    assert (server.base, str(server)) == ("https://host/v1", "the model server at https://host/v1")
