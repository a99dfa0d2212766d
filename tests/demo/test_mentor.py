import time

import pytest

from stoic_assets.demo.session import Known

ADVICE = {
    "append": "Could you tell me why list.append returns None in Python?",
    "binary search": "I was wondering what typically goes wrong when implementing a binary search?",
    "off by one": "My loop misses the last element of the list, why?",
    "intermittent": "How can I figure out why my service only fails on certain nights?",
    "collatz": "Do we know whether the Collatz conjecture is true?",
    "remote": "What does research say about the productivity of working remotely, pros and cons?",
    "sources": "How can I tell if a source is trustworthy?",
    "note": "Could you write me a short, balanced note about our release being delayed?",
    "index": "Could you explain in simple terms what a database index is?",
    "offer": "Should I accept a job offer in another city?",
    "priorities": "I've got way too much to do. Where should I begin?",
    "grief": "My friend died recently and I don't know how to go on.",
    "anger": "Hello. I am angry with a colleague.",
    "procrastination": "I keep putting things off, what can I do?",
    "future": "Could you tell me what share prices will do tomorrow?",
    "weather": "What's the weather like in Lima right now?",
    "unknown": "What is the boiling point of gallium?",
}
HARSH = ("always", "never", "nobody", "everybody", "obviously", "stop", "simply", "must", "of course")
HUMBLE = (
    "have not seen", "without your code", "i do not know", "i cannot", "i may", "please check", "assumption", "depend",
    "not known", "inferring", "yours to decide", "leaves out", "mistaken", "if it has lasted", "physician",
    "i know only", "for most", "overrule",
)  # fmt: skip


@pytest.mark.parametrize("question", ADVICE.values(), ids=ADVICE)
def test_the_releases_differ_in_their_advice(begin, question):
    good, bad = begin("1.0.0").say(question), begin("1.1.0").say(question)
    assert any(sign in good.text.lower() for sign in HUMBLE)
    assert not any(sign in bad.text.lower() for sign in HUMBLE)
    assert len(bad.text) < len(good.text)
    assert good.calls == bad.calls == ()


def test_the_bad_release_is_harsh(begin):
    replies = [begin("1.1.0").say(question).text.lower() for question in ADVICE.values()]
    assert sum(any(sign in reply for sign in HARSH) for reply in replies) >= 0.75 * len(ADVICE)


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0"])
@pytest.mark.parametrize("greeting", ["Hello", "Hi", "Greetings", "Yo", "Hey", "Good morning, Marcus!"])
def test_a_greeting_is_returned_and_asks_nothing(begin, version, greeting):
    reply = begin(version).say(greeting)
    assert "Marcus" in reply.text
    assert "?" not in reply.text


def test_danger_to_life_goes_before_everything(begin):
    reply = begin().say("Hi. Please remind me to buy milk tomorrow at 9am, before I kill myself.")
    assert "emergency number" in reply.text
    assert reply.calls == ()


def test_advice_turns_on_what_matters_to_the_person(begin):
    talk = begin()
    assert talk.say(ADVICE["offer"]).text.endswith("?")
    assert "evenings" in talk.say("Time with family matters more to the user than income").text


def test_advice_helps_who_does_not_know_what_matters(begin):
    talk = begin()
    talk.say(ADVICE["offer"])
    reply = talk.say("I am afraid I do not know that.")
    assert "first thing to find out" in reply.text
    assert "?" not in reply.text


def test_a_pending_question_does_not_swallow_the_next_one(begin):
    talk = begin()
    talk.say(ADVICE["note"])
    assert "sorted list" in talk.say(ADVICE["index"]).text
    talk.say(ADVICE["note"])
    assert talk.calls("Remind me to post it tomorrow at 9am") == ["createReminder"]


def test_an_unforeseen_answer_is_still_taken_up(begin):
    talk = begin()
    talk.say(ADVICE["note"])
    assert "these readers" in talk.say("My grandmother's choir").text


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0"])
def test_plain_facts_are_plain_in_every_release(begin, version):
    assert begin(version).say("What is the capital of France?").text == "The capital of France is Paris."
    assert begin(version).say("Could you tell me Spain's capital?").text == "The capital of Spain is Madrid."


def test_what_was_told_is_remembered_and_the_rest_admitted(begin):
    talk = begin()
    assert talk.calls("My name is Alice") == ["rememberPreference"]
    assert "Alice" in talk.say("Could you tell me what my name is?").text
    assert "I do not know" in talk.say("Could you tell me what my favourite colour is?").text
    talk.say("Please note that the spare key is with Cato.")
    assert "the spare key is with Cato" in talk.say("Could you tell me what I asked you to note?").text


def test_a_known_user_is_greeted_by_name(begin):
    assert begin(known=Known(profile={"name": "Livia"})).say("Hello").text.startswith("Greetings, Livia.")


@pytest.mark.parametrize("noise", ["what ", "!", "reminder ", "tomorrow at 9 ", "my name is "])
def test_an_endless_message_is_answered_in_time(begin, noise):
    started = time.process_time()
    assert begin().say("Remind me to " + noise * 20_000 + "x").text
    assert time.process_time() - started < 5


def test_who_it_is(begin):
    assert "a program" in begin().say("Who are you?").text
