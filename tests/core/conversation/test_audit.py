"""What a simulated user must not say: nothing, or what it does not know."""

import pytest
from audited_messages import FACTS, TASKS, MakeJob, turns, verdict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoic_assets.core.conversation.audit import fault
from stoic_assets.core.jobs.trial import Condition

TOLD = "it told something that the user does not know"
TELLING = ["time", "zone", "sydney", "dog", "argos", "formal", "language", "berlin", "tea", "harbour"]


@pytest.mark.parametrize("message", ["", " ", "\n\t", "\u2003", " \u200b \ufeff"])
def test_an_empty_message_is_at_fault(make_job: MakeJob, message: str) -> None:
    assert verdict(make_job, message) == "it was empty"


@pytest.mark.parametrize(
    "message",
    [
        "The user's timezone is Australia/Sydney",
        "by the way: THE USER'S TIMEZONE IS AUSTRALIA / SYDNEY!",
        "My timezone is Australia/Sydney, so set it accordingly.",
        "I'm in the Sydney (Australia) timezone",
        "I prefer formal language, please.",
        "My dog, who is called Argos, says hello",
    ],
)
def test_a_withheld_fact_must_not_be_told_in_whatever_words(make_job: MakeJob, message: str) -> None:
    assert verdict(make_job, message) == TOLD
    assert verdict(make_job, message, "supplied") is None


def test_a_withheld_fact_must_not_be_told_when_the_agent_asks_for_it_either(make_job: MakeJob) -> None:
    asked = "Gladly. Which timezone are you in?"
    assert verdict(make_job, "Sydney, Australia", "withheld", asked) == TOLD
    assert verdict(make_job, "My timezone? Australia/Sydney.", "withheld", asked) == TOLD
    assert verdict(make_job, "I would rather not say my timezone.", "withheld", asked) is None


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("The user's timezone is Australia/Sydney", "My time zone is Australia, Sydney"),
        ("The user's time-zone is Australia/Sydney", "It's Australia, Sydney: my timezone"),
        ("The user often travels to Zürich on business", "My business travels often take me to Zurich"),
        ("The user owns two foxes", "I own 2 foxes"),
        ("The user knows five cities well", "There is a city I know, well, 5 of them"),
        ("The birthday of the user is the 4th of May", "My birthday? May 4"),
        ("Her e-mail address is ada@example.org", "It's an email address: ada@example.org"),
    ],
)
def test_a_withheld_fact_must_not_be_told_in_whatever_spelling(make_job: MakeJob, fact: str, message: str) -> None:
    assert fault(message, make_job(tasks=TASKS, facts=[fact]), "withheld", turns()) == TOLD


SMALL_FACTS = [
    "The user's timezone is Sydney", "The user's name is Alice", "The user prefers tea", "Her dog is 9 years old",
]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("Which time zone are you in?", "Sydney"),
        ("What's your name, please?", "You can call me Alice."),
        ("What do you prefer, coffee or something else?", "Tea, thanks"),
        ("How old is your dog, in years?", "It is nine"),
    ],
)
def test_the_one_word_that_was_missing_must_not_be_told_to_who_asked(
    make_job: MakeJob, asked: str, message: str
) -> None:
    job = make_job(tasks=TASKS, facts=SMALL_FACTS)
    assert fault(message, job, "withheld", turns(asked)) == TOLD
    assert fault(message, job, "supplied", turns(asked)) is None
    assert fault("I would rather not say.", job, "withheld", turns(asked)) is None
    assert fault(message, job, "withheld", turns(asked, "As you like. What else?")) is None, "the talk has moved on"


def test_the_one_word_that_was_missing_must_not_be_told_beside_the_others(make_job: MakeJob) -> None:
    job = make_job(tasks=TASKS, facts=SMALL_FACTS)
    asked = ("Which timezone are you in? What is your name?", "Then I cannot help. What else?")
    assert fault("By the way, Sydney is my time zone", job, "withheld", turns(*asked)) == TOLD
    assert fault("My name? Alice, if you must know", job, "withheld", turns(*asked)) == TOLD
    assert fault("What is Sydney like in May? Ask Alice.", job, "withheld", turns(*asked)) is None


@pytest.mark.parametrize("condition", ["withheld", "supplied"])
@pytest.mark.parametrize(
    "message",
    [
        "A reminder entity is created with the correct date and time",
        "Please see that a reminder entity gets created, with the correct time and date",
        "The assistant correctly answers Paris",
    ],
)
def test_an_acceptance_criterion_must_not_be_told_even_by_who_knows_the_facts(
    make_job: MakeJob, condition: Condition, message: str
) -> None:
    assert verdict(make_job, message, condition) == TOLD


@pytest.mark.parametrize(
    "message",
    [
        "Please create a reminder for tomorrow at 9am",
        "Could you make me a reminder, for tomorrow, 9am? Tell me once it is created.",
        "What's the capital of France? Is it Paris?",
        "What is the capital of France, please",
        "I do not know my timezone, sorry.",
        "I'd rather not say which language I prefer",
        "Is there a date on which it is due?",
        "My dog says hello",
        "I am afraid I do not know that.",
        "Thanks! 👍",
        "谢谢",
    ],
)
def test_what_a_person_with_these_tasks_would_say_is_no_fault(make_job: MakeJob, message: str) -> None:
    assert verdict(make_job, message) is None
    assert verdict(make_job, message, "supplied") is None


def test_what_the_agent_said_is_no_secret_any_more(make_job: MakeJob) -> None:
    said = "You are in Sydney, Australia, so your timezone is Australia/Sydney. Your dog is called Argos, sir."
    assert verdict(make_job, "Right, the timezone is Australia/Sydney, and Argos my dog", "withheld", said) is None
    assert verdict(make_job, "The user's timezone is Australia/Sydney", "withheld", "Hm, what?", said) is None


def test_what_a_task_or_the_persona_says_is_no_secret(make_job: MakeJob) -> None:
    tasks = [{"task": "Tell it that your timezone is Australia/Sydney", "acceptanceCriteria": "It thanks politely"}]
    assert fault("My timezone is Australia/Sydney", make_job(tasks=tasks, facts=FACTS), "withheld", turns()) is None
    voice = "You live in Sydney, Australia, and say your timezone"
    spoken = make_job(tasks=TASKS, facts=FACTS, evaluator={"voice": voice})
    assert fault("I'm in the Sydney (Australia) timezone", spoken, "withheld", turns()) is None


@pytest.mark.parametrize("secret", ["A reply", "It is done", "The answer", "is polite", "Paris", "you"])
def test_a_secret_of_one_telling_word_is_nobodys(make_job: MakeJob, secret: str) -> None:
    message = "I want a reply, the answer, and it is done. Whoever is polite is in Paris, you too."
    job = make_job(tasks=[{"task": "Ask the time", "acceptanceCriteria": secret}], facts=[secret])
    assert fault(message, job, "withheld", turns()) is None


def test_a_secret_of_two_telling_words_is_recognised_in_a_fact_only(make_job: MakeJob) -> None:
    name = make_job(tasks=[{"task": "Say hello", "acceptanceCriteria": "polite greeting"}], facts=["Alice Smith"])
    assert fault("I am Alice Smith.", name, "withheld", turns()) == TOLD
    assert fault("Smith. Alice.", name, "withheld", turns()) == TOLD
    assert fault("A greeting, be it polite", name, "withheld", turns()) is None
    assert fault("One polite greeting!", name, "withheld", turns()) == TOLD


@given(st.lists(st.sampled_from(["ab", "cds", "efgh", "ij", "kl", "mn"]), min_size=1, max_size=12), st.randoms())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_task_can_always_be_put_in_its_own_words(make_job: MakeJob, spoken: list[str], chance: object) -> None:
    task = " ".join(spoken)
    job = make_job(tasks=[{"task": task, "acceptanceCriteria": task}], facts=[task.upper()])
    assert fault(task, job, "withheld", turns()) is None
    assert fault(" ".join(reversed(spoken)), job, "withheld", turns()) is None


@given(st.lists(st.sampled_from(TELLING), min_size=2, max_size=5, unique=True), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_fact_is_recognised_however_its_words_are_put_together(
    make_job: MakeJob, spoken: list[str], data: st.DataObject
) -> None:
    def written() -> str:
        joints = data.draw(st.lists(st.sampled_from(["", " ", "-"]), min_size=len(spoken), max_size=len(spoken)))
        joints = [" " if n % 2 else joint for n, joint in enumerate(joints)]  # no three words in one
        return "".join(word + joint for word, joint in zip(spoken, joints, strict=True))

    job = make_job(tasks=[{"task": "Say hello", "acceptanceCriteria": "It is done"}], facts=[" ".join(spoken)])
    assert fault(f"Well: {written()}", job, "withheld", turns()) == TOLD


@given(st.lists(st.sampled_from(TELLING), min_size=1, max_size=12), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_the_agent_said_before_is_no_secret_in_whatever_order_and_spelling(
    make_job: MakeJob, spoken: list[str], data: st.DataObject
) -> None:
    facts = [" ".join(data.draw(st.lists(st.sampled_from(spoken), min_size=1, max_size=5)))]
    job = make_job(tasks=[{"task": "Say hello", "acceptanceCriteria": "It is done"}], facts=facts)
    message = "".join(word + data.draw(st.sampled_from([" ", "-", "s, "])) for word in reversed(spoken))
    assert fault(message, job, "withheld", turns(" ".join(spoken), "And now?")) is None
