"""Any OpenAI-compatible model server: it knows chat completions and JSON Schema, and nothing of our prompts."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from double import Answer, Call, Double
from starlette.responses import JSONResponse, Response

Path = tuple[str, ...]
TRIED = "tried"
"""The kind of a request without words, which tries the key."""
SIGN_OFF = "So Long, and Thanks for All the Fish"


class ModelServer(Double):
    """Answers structured requests with an instance of their schema, plain ones with the next line of a user.

    `number` gives each number by the path of its keys, the schema's name first. A user says `lines`, by how often it
    spoke before, and then the sign-off. Whatever model is asked for, `serves` answers.
    """

    def __init__(self, key: str | None = None) -> None:
        super().__init__()
        self.key = key
        self.lines: Sequence[str] = ("What is the capital of France?",)
        self.sign_off = SIGN_OFF
        self.number: Callable[[Path], float] = lambda path: 0.8
        self.texts, self.serves = "well observed", "m"

    @property
    def asked(self) -> list[Call]:
        """The calls that somebody pays for: not those that merely try the key."""
        return [call for call in self.calls if call.kind != TRIED]

    def kind(self, method: str, path: str, body: Any) -> str:
        """`judge` for structured requests, `evaluator` for plain ones, and `tried` for what asks for no completion."""
        if not body:
            return TRIED
        return "judge" if "response_format" in body else "evaluator"

    def answer(self, call: Call) -> "Response | dict[str, Any]":
        if self.key and call.headers.get("authorization") != f"Bearer {self.key}":
            return JSONResponse({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, 401)
        if call.path != "/v1/chat/completions":
            return JSONResponse({"error": {"message": "no such path"}}, 404)
        if call.kind == TRIED:
            return JSONResponse({"error": {"message": "messages: field required"}}, 400)
        said = self.verdict(call.body) if call.kind == "judge" else self.message(call.body)
        return completion(said, call) | {"model": self.serves}

    def message(self, body: dict[str, Any]) -> str:
        """What the user says next; the greeting stands in the request as the model's own."""
        spoken = sum(message["role"] == "assistant" for message in body["messages"]) - 1
        return self.lines[spoken] if spoken < len(self.lines) else f"Good. {self.sign_off}!"

    def verdict(self, body: dict[str, Any]) -> str:
        """An instance of the schema."""
        wanted = body["response_format"]["json_schema"]
        assert wanted["strict"] is True
        return json.dumps(self._instance(wanted["schema"], (wanted["name"],)))

    def _instance(self, schema: dict[str, Any], path: Path) -> Any:
        if "enum" in schema:
            return schema["enum"][0]
        match schema["type"]:
            case "object":
                parts = schema["properties"]
                assert set(schema["required"]) == set(parts)
                assert schema["additionalProperties"] is False
                return {key: self._instance(part, (*path, key)) for key, part in parts.items()}
            case "array":
                return [self._instance(schema["items"], path)] * max(1, schema.get("minItems", 0))
            case "number" | "integer":
                return self.number(path)
            case "boolean":
                return True
            case "string":
                return self.texts
        raise AssertionError(f"no instance of {schema}")


def completion(text: str, call: Call) -> dict[str, Any]:
    """A chat completion with that content; a call has a thousand tokens, or more if it is long."""
    prompt = max(1000, sum(len(message["content"]) for message in call.body["messages"]) // 6)
    return {
        "id": "c", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": 100, "total_tokens": prompt + 100},
    }


def says(text: str) -> Answer:
    """A reply with that content, whatever was asked."""
    return lambda call: completion(text, call)
