from collections.abc import Callable

from stoic_assets.core.evaluation.manifest import Manifest, evaluation_row


def test_the_row_of_an_evaluation(make_manifest: Callable[..., Manifest]) -> None:
    manifest = make_manifest(agent_version="marcus@1.1.0", judge_models=("j",), parents=("marcus@1.0.0",))
    found = evaluation_row(manifest, "finished", None, "0.1.0", scored_trials=2)
    assert (found["agent"], found["status"], found["ended_at"]) == ("marcus", "finished", None)
    assert found["scored_trials"] == 2
    assert (found["judge_models"], found["parents"]) == (["j"], ["marcus@1.0.0"])
    assert (found["spec_hash"], found["stoic_eval"]) == (manifest.spec_hash, "0.1.0")
