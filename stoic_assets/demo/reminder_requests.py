"""Requests about reminders in free text: create, list, cancel, move.

The first verb of such a kind in a sentence decides: "set a reminder to cancel the gym" creates one.
"""

import re
from dataclasses import replace

from stoic_assets.demo.intents import CancelReminder, CreateReminder, Intent, ListReminders, MoveReminder
from stoic_assets.demo.moments import extract

_REMINDER = r"\breminders?\b"
_ONE_OF_THEM = r"\b(?:reminders?|ones?|it|that|them)\b"
_GAP = r"(?:\s(?!(?:see|list|show|view|know|hear|cancel|delete|remove|my|all|any|to)\b)[\w'’-]+){0,5}?"
_A_QUESTION = r"(?:what|which|who|where|when|how|of (?:my|what|the))\b"
_MAKING = r"set|create|add|make|schedule|put|pop|book|save|need|want|like|give|record|arrange"
_GOING = r"delete|remove|drop|clear|scrap|erase|dismiss|get rid of|no longer need|(?:do not|don.?t) need"
_SHOWING = (
    r"list|show|read|view|see|check|review|repeat|confirm|verify|go over|go through|tell me"
    r"|give me (?=my|all|the|a list)|what|which|any|how many"
    r"|do i have|do you have|have you|did you|has the|(?:is|are) (?:my|the|that|there)"
)
_AGENDA = r"scheduled|on my (?:list|agenda|plate|calendar)|coming up|supposed to"

_VERBS: dict[str, tuple[str, ...]] = {
    "create": (
        rf"\bremind (?:me|us|you|him|her|them|myself|the user)\b(?! {_A_QUESTION})",
        rf"\b(?:{_MAKING})\b(?P<mid>{_GAP})\s{_REMINDER}",
        r"\badd (?P<item>.+?) to (?:my |the )?(?:reminders?|list of reminders)\b",
        r"\b(?:do not|don.?t|never) let me forget\b",
        r"\b(?:so|make sure|ensure)(?: that)? I (?:(?:do not|don.?t|never) forget|(?:will )?remember)\b",
        r"\bhelp me (?:to )?remember (?=to\b)",
        r"\b(?:nudge|ping|alert|notify) me\b",
    ),
    "list": (
        rf"\b(?:{_SHOWING})\b(?! a reminder)[^.!?]*{_REMINDER}",
        rf"\bwhat(?:'s| is|s)? (?:{_AGENDA})\b",
        rf"\bwhat (?:do|did|have|am|should) (?:i|you)\b.*\b(?:{_AGENDA})\b",
        r"\b(?:anything|something|everything|nothing)\b.*\bon my (?:list|agenda|plate|calendar)\b",
    ),
    "cancel": (r"\b(?:cancel|call off)\b", rf"\b(?:{_GOING})\b(?=.*{_ONE_OF_THEM})"),
    "move": (
        r"\b(?:move|change|reschedule|postpone|shift|push|update|delay|put off|bring forward)\b",
        r"\b(?:make|set) (?=(?:it|that|this)\b)",
    ),
}
_DELIBERATION = re.compile(r"\b(?:how|why|whether|should|would it be)\b", re.IGNORECASE)
"""Words after which "cancel" and "move" are only considered, not requested."""

_SENTENCE_END = re.compile(r"(?<=[.!?])(?<![ap]\.m\.)\s+(?=[\"'A-Z])|\n+|;\s*")
_LINKS = r"[\s,:;.!?\"'“”‘’()-]"
_LEADING = re.compile(
    rf"^(?:{_LINKS}|(?:please|me|to|that|about|of|for|on|at|in|by|called|named|titled|labell?ed|saying|which says|it is"
    r"|it's|this is|(?:another )?one|i (?:have|need|ought|am supposed|must|should|want)(?: to)?)\b(?!'))+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    rf"(?:{_LINKS}|\b(?:please|thanks|thank you|for me|for (?:this|that)|on|at|for|by|in|to|and|too|also|as well))+$",
    re.IGNORECASE,
)
_PRONOUNS = frozenset(["it", "this", "that", "them", "these"])
_REPETITION = re.compile(
    r"\b(?:(?:every|each) (?:single )?(?:\w*day|morning|evening|week|month|year)|daily|weekly)\b", re.IGNORECASE
)
_ORNAMENT = re.compile(r"\b(?:me|up|a|an|the|another|new|quick|short|one|two|single|own|first|second)\b", re.IGNORECASE)
_DUTY = re.compile(
    r"\b(?:i|we)(?: also| really)* (?:need|have|ought|want|am supposed|must)(?: to)? (?P<what>.+)", re.IGNORECASE
)


def sentences(text: str) -> list[str]:
    """The sentences of a text; the full stops of "a.m." and "p.m." end none."""
    return [part for part in _SENTENCE_END.split(text.strip()) if part.strip()]


def read_requests(text: str) -> tuple[list[Intent], list[str]]:
    """The requests about reminders in `text`, in order, and the sentences without one."""
    found: list[Intent] = []
    rest: list[str] = []
    for sentence in sentences(text):
        requests = [request for part in _parts(sentence) if (request := _request(part)) is not None]
        found += requests
        if not requests:
            rest.append(sentence)
    return [_completed(request, " ".join(rest)) for request in found], rest


def _parts(sentence: str) -> list[str]:
    """A sentence that asks for several reminders, each with its own time, as several requests."""
    parts = re.split(r",? and (?:also |then )?", sentence)
    if len(parts) < 2 or not _verb("create", parts[0]) or not all(extract(part)[0] for part in parts):
        return [sentence]
    return [parts[0], *(part if _verb("create", part) else f"remind me {part}" for part in parts[1:])]


def _request(text: str) -> Intent | None:
    once = _REPETITION.sub("", text)
    when, timeless = extract(once)
    verbs = {kind: verb for kind in _VERBS if (verb := _verb(kind, timeless)) is not None}
    if when is None:
        verbs.pop("move", None)
    if not verbs:
        return None
    kind = min(verbs, key=lambda each: verbs[each].start())
    which = timeless[verbs[kind].end() :].strip(" .,!?")
    if kind == "create":
        return CreateReminder(_subject(timeless, verbs[kind]), when, repeated=once != text)
    if kind == "move" and when:
        return MoveReminder(which, when)
    return CancelReminder(which) if kind == "cancel" else ListReminders()


def _verb(kind: str, text: str) -> re.Match[str] | None:
    """The first verb of a kind in the text, unless it is only considered, or is what the user has to do."""
    matches = [match for pattern in _VERBS[kind] if (match := re.search(pattern, text, re.IGNORECASE))]
    first = min(matches, key=lambda match: match.start(), default=None)
    if first is None or kind not in ("cancel", "move"):
        return first
    duty = _DUTY.search(text, 0, first.end()) and not re.search(_ONE_OF_THEM, text, re.IGNORECASE)
    return None if duty or _DELIBERATION.search(text, 0, first.start()) else first


def _subject(text: str, verb: re.Match[str]) -> str:
    """What a reminder is about: the words after the request for it, else those before the word `reminder`.

    In "I need to sing, please remind me of it" it is the duty before the request.
    """
    groups, after = verb.groupdict(), tidy(text[verb.end() :])
    if after and after.lower() not in _PRONOUNS:
        return after
    return tidy(groups.get("item") or _ORNAMENT.sub("", groups.get("mid") or "")) or _duty(text[: verb.start()])


def tidy(words: str) -> str:
    """The words without those that link them to their sentence."""
    return " ".join(_TRAILING.sub("", _LEADING.sub("", words)).split())


def _completed(request: Intent, rest: str) -> Intent:
    """A reminder request with what the neighbouring sentences say: "I need to call Mum. Remind me tomorrow.\""""
    if not isinstance(request, CreateReminder):
        return request
    when, timeless = extract(rest)
    return replace(request, what=request.what or _duty(timeless), when=request.when or when)


def _duty(text: str) -> str:
    """What the user says that they have to do."""
    duty = _DUTY.search(text)
    return tidy(duty["what"]) if duty else ""
