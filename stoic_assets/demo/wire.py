"""The bodies of the Embabel chat protocol, as the demo agent receives and sends them."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from stoic_assets.demo.session import Session


class OpenSession(BaseModel):
    """A request for a new session."""

    user: str = Field(min_length=1)
    chatbot: str = Field(min_length=1)


class Message(BaseModel):
    """What the user says."""

    content: str
    role: Literal["user"] = "user"


class SendMessage(BaseModel):
    """A message in a session. `model` is accepted and has no effect: this agent needs none."""

    sessionId: str  # noqa: N815 - the name on the wire
    message: Message
    model: str | None = None


def message_response(session: Session, content: str, events: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply to a message; the session's history already contains it."""
    return {
        "sessionId": session.id,
        "chatbot": session.chatbot,
        "message": {"content": content, "role": "assistant"},
        "history": session.history,
        "events": events,
    }
