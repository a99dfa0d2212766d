"""What the mentor learns about the user, and how it repeats it. Every release says the same here."""

from stoic_assets.demo.functions import Call
from stoic_assets.demo.session import Reply, Session

_SENTENCES = {
    "preference": "you prefer {}",
    "home": "you live in {}",
    "job": "you work as {}",
}


def learn(session: Session, subject: str, value: str) -> Reply:
    """Remembers something about the user; earlier knowledge on the same subject is replaced."""
    session.known.profile[subject] = value
    call = Call("rememberPreference", f"remembered {subject}", {"subject": subject, "text": value})
    return Reply(f"I will remember that {_sentence(subject, value)}.", (call,))


def keep(session: Session, text: str) -> Reply:
    """Keeps a note word for word."""
    session.known.notes.append(text)
    call = Call("keepNote", "kept", {"id": session.next_id(), "text": text})
    return Reply(f'I have noted: "{text}".', (call,))


def recall(session: Session, subject: str | None) -> Reply:
    """Says what is known about a subject, the notes, or everything."""
    known = session.known
    if subject == "notes":
        told = [f'"{note}"' for note in known.notes]
    else:
        told = [_sentence(about, value) for about, value in known.profile.items() if subject in (None, about)]
    call = Call("recallMemory", f"{len(told)} found", {"subject": subject or "everything"})
    if not told:
        return Reply("That I do not know: you have not told me. Tell me, and I will remember it.", (call,))
    intro = "You asked me to note" if subject == "notes" else "You told me that"
    return Reply(f"{intro} {'; '.join(told)}.", (call,))


def portrait(session: Session) -> str:
    """What is known about the user, in one line, for the object context."""
    told = "; ".join(_sentence(about, value) for about, value in session.known.profile.items())
    return f"Of the user {session.user} it is known: {told or 'nothing yet'}."


def _sentence(subject: str, value: str) -> str:
    return _SENTENCES.get(subject, f"your {subject} is {{}}").format(value)
