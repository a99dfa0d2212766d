"""What a message means: statements about the user first, then what is wanted."""

import re

from stoic_assets.demo import moments, zones
from stoic_assets.demo.intents import (
    Ask,
    AskAbout,
    Asked,
    Describe,
    GiveMoment,
    Greet,
    Intent,
    KeepNote,
    TellAbout,
    TellZone,
    Thank,
    Unsure,
)
from stoic_assets.demo.reminder_requests import read_requests, tidy

_SUBJECT = (
    r"(?:full |first |last )?name|birthday|job|profession|home(?: town)?|mother tongue"
    r"|(?:favou?rite|preferred) [\w -]+?|\w+(?:'s|s')? name"
)
_VALUE = r"[^.!?;,]+?(?=[.!?;,]|$| and (?:she|he|i|they|my|the user)\b)"
_STATEMENTS = (
    rf"\b(?:my|user's) (?P<subject>{_SUBJECT}) (?:is|are) (?:called )?(?P<value>{_VALUE})",
    rf"\b(?:call me|i(?: am|'m) called) (?P<name>{_VALUE})",
    rf"\b(?:i|we|she|he|they|user) lives? in (?P<home>{_VALUE})",
    rf"\bi(?: work|'m working| am working) as (?P<job>{_VALUE})",
    rf"\b(?:i|user)(?: would| generally)* prefers? (?:(?:it if|that) )?(?P<preference>{_VALUE})",
    rf"\b(?:use|keep to|write in|speak in|address me in) (?P<register>(?:formal|informal|plain|simple) {_VALUE})",
)
_ASKING = r"\b(?:what|which|how|where|who|whether|when|why|do|does|did|remember)\b"
_NOTE = (
    r"\b(?:make a note|take a note|remember|note(?: down)?|keep in mind|(?:write|jot) down)"
    r"(?: of| for me)?(?: that| of|:) (?P<text>.+)"
)
_WANTS_TO_KNOW = r"\b(?:what|who|which|where|how|tell me|remember|recall|know|remind me)\b[^.!?]*"
_MANNER = r"my preferences?|i prefer\b|i (?:like|wish|want) to be (?:addressed|spoken)"
_QUESTIONS_ABOUT_THE_USER = (
    rf"{_WANTS_TO_KNOW}\bmy (?P<subject>{_SUBJECT})\b(?! is \w)",
    rf"{_WANTS_TO_KNOW}\b(?:my|i) (?P<timezone>time ?zone)\b",
    rf"{_WANTS_TO_KNOW}\b(?P<preference>{_MANNER})",
    r"\bwhere (?:do )?(?P<home>i live)\b",
    r"\b(?P<name>who am i)\b",
    r"\bwhat (?:did |have )?i (?:ask|tell|asked|told) you to (?P<notes>note|remember|keep|write)",
    r"\b(?:what|which|show|list|read)\b[^.!?]*\bmy (?P<notes>notes?)\b",
    r"\bwhat (?:do |did |have )?you (?:know|remember|recall|learnt?|learned)(?: about| of)? (?P<everything>me)\b",
)
_GREETING = r"^\W*(?:hello|hi|hey|yo|greetings|howdy|salve|good (?:morning|afternoon|evening|day))\b"
_PLEASED = (
    r"yes|no|sure|fine|alright|ok(?:ay)?|great|perfect|good|lovely|wonderful|excellent|got it|understood"
    r"|i (?:really )?appreciate|(?:sounds|that is|that's) (?:good|great|fine|helpful)"
)
_THANKS = (
    rf"^\W*(?:(?:{_PLEASED})\W+)*"
    rf"(?:many thanks|thanks|thank you|cheers|bye|goodbye|farewell|see you|that(?:'s| is| will be) all|{_PLEASED})\b"
)
_UNSURE = (
    r"\b(?:(?:do not|don.?t|cannot|can.?t) (?:really )?(?:know|say|remember|recall)|no idea|not (?:too |really )?sure"
    r"|unsure|(?:would|'d) rather not|prefer not to|unknown|no clue|not certain)\b"
)
_DESCRIPTION = (
    r"^(?:\W*(?:oh|well|yes|sure|actually|sorry)\b)*"
    r"\W*(?:it(?:'s| is)|that(?:'s| is)|the reminder is|call it)(?: just)?"
    r"(?: a reminder)? (?:(?:to|about|for) )?(?P<what>.+)"
)
_SMALL_TALK_WORDS = 16
_SHORT_ANSWER_WORDS = 14


def understand(text: str, asked: Asked | None = None) -> list[Intent]:
    """Everything that `text` means, in the order in which to process it; never empty.

    `asked` is what the agent's last reply asked for: a city alone then names a zone, an hour alone a moment.
    """
    said = text.replace("’", "'").strip()
    zone, rest = zones.extract(said, asked == "zone")
    told: list[Intent] = [TellZone(zone)] if zone else []
    told += _statements(said)
    requests, others = read_requests(rest)
    if requests:
        questions = [sentence for sentence in others if sentence.endswith("?")]
        return told + requests + [_question(sentence) for sentence in questions]
    return told + _without_request(rest.strip(" ,.;"), asked, bool(told))


def _without_request(text: str, asked: Asked | None, told: bool) -> list[Intent]:
    """What a message without a request about reminders wants, besides what it states."""
    when, _ = moments.extract(text)
    if asked == "when" and when:
        return [GiveMoment(when)]
    if note := re.search(_NOTE, text, re.IGNORECASE):
        return [KeepNote(tidy(note["text"]))]
    if _matches(_UNSURE, text) and len(text.split()) <= _SHORT_ANSWER_WORDS:
        return [Unsure()]
    if told and asked != "topic" and "?" not in text:
        return []
    if asked not in ("topic", "which") and (match := re.search(_DESCRIPTION, text, re.IGNORECASE)):
        return [Describe(tidy(match["what"]))]
    return [_small_talk(text) or _question(text)]


def _statements(text: str) -> list[Intent]:
    """What the message states about the user; "what my name is" states nothing."""
    found = [match for pattern in _STATEMENTS for match in re.finditer(pattern, text, re.IGNORECASE)]
    told = [match for match in found if not _matches(_ASKING, re.split(r"[.!?;,]", text[: match.start()])[-1])]
    return [statement for match in told if (statement := _statement(match.groupdict())) is not None]


def _statement(groups: dict[str, str]) -> TellAbout | None:
    subject, value = (groups["subject"], groups["value"]) if "subject" in groups else next(iter(groups.items()))
    if not tidy(value):
        return None
    return TellAbout("preference" if subject == "register" else _key(subject), value.strip(" \"'"))


def _key(subject: str) -> str:
    return subject.lower().replace("favorite", "favourite")


def _question(text: str) -> Intent:
    """A question about the user where it is one, else a question about anything."""
    for pattern in _QUESTIONS_ABOUT_THE_USER:
        if match := re.search(pattern, text, re.IGNORECASE):
            name, words = next(iter(match.groupdict().items()))
            return AskAbout(None if name == "everything" else _key(words) if name == "subject" else name)
    return Ask(text)


def _small_talk(text: str) -> Intent | None:
    if len(text.split()) > _SMALL_TALK_WORDS or _matches(_ASKING, text.replace("how are you", "")):
        return None
    if _matches(_GREETING, text):
        return Greet()
    return Thank() if _matches(_THANKS, text) else None


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
