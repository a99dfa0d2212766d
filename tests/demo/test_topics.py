import re

import pytest

from stoic_assets.demo.topics import Topic, all_topics, find_topic

TOPICS = {topic.name: topic for topic in all_topics()}


@pytest.mark.parametrize("topic", TOPICS.values(), ids=TOPICS)
def test_both_voices_answer_without_asking(topic: Topic) -> None:
    """A question mark makes the simulated user answer: only a follow-up may hold one."""
    follow_up = topic.follow_up
    texts = [topic.measured, topic.harsh]
    if follow_up:
        assert follow_up.question.count("?") == 1
        texts += [follow_up.otherwise, follow_up.unknown, *(answer.text for answer in follow_up.answers)]
    assert not any("?" in text for text in texts)
    assert len(topic.measured) > len(topic.harsh)


@pytest.mark.parametrize("topic", TOPICS.values(), ids=TOPICS)
def test_cues_are_valid_and_lower_case_safe(topic: Topic) -> None:
    assert all(re.compile(cue) for cue in topic.cues)
    assert find_topic("nothing of the kind", [topic]) is None


def test_the_topic_with_most_cues_wins() -> None:
    one = Topic(name="one", cues=("sea",), measured="a", harsh="b")
    two = Topic(name="two", cues=("sea", "ship"), measured="a", harsh="b")
    assert find_topic("a ship at sea", [one, two]) == two
    assert find_topic("the SEA", [one, two]) == one
    assert find_topic("a ship at sea", []) is None
