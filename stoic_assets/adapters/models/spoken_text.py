"""What of a model's text is said aloud: not its thoughts before it, nor the control tokens after it.

Servers that do not know a model's marks for these leave them in its text.
"""

import re

from stoic_assets.core.text.foreign_text import well_formed

THINK = ("<think>", "</think>")
"""The first mark is missing where the model's chat template ends with it, as those of DeepSeek R1 and Qwen do."""
THOUGHTS = (
    THINK,
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),  # Magistral
    ("<seed:think>", "</seed:think>"),
    ("◁think▷", "◁/think▷"),  # Kimi
    ("<|channel>", "<channel|>"),  # Gemma 4
)
"""How models mark the beginning and the end of what they think."""
CHANNELS = ("<|channel|>", "<|start|>")
"""How gpt-oss begins, whose thoughts and words are messages in different channels."""
FINAL = re.compile(r"<\|channel\|>final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
"""The head of the message that is meant for the user."""
VERDICT = ("{", "```")
"""How a verdict begins, which may quote any mark."""
ENDS = (
    "<|endoftext|>", "<|end_of_text|>", "</s>",
    "<|im_end|>", "<|eot_id|>", "<|end|>", "<|return|>", "<end_of_turn>",
)  # fmt: skip
"""Control tokens of the end of a text, and of the end of a turn, which may come before them."""
STRUCK = ("<s>", "</s>")
"""HTML for text that is struck out, which may be all that the second one is."""


def said_aloud(text: str) -> str:
    """The part of a model's `text` that is its answer; empty where it only thought."""
    return _without_thoughts(_without_end(well_formed(text)))


def _without_thoughts(text: str) -> str:
    begun = text.lstrip()
    if begun.startswith(VERDICT):
        return text
    if begun.startswith(CHANNELS):
        return _in_final_channel(begun)
    for mark, end in THOUGHTS:
        if begun.startswith(mark):
            return begun.partition(end)[2].lstrip()
    thoughts, ended, words = text.partition(THINK[1])
    return words.lstrip() if ended and THINK[0] not in thoughts else text


def _in_final_channel(text: str) -> str:
    """The last message for the user; empty where the model did not come to one."""
    _, *messages = FINAL.split(text)
    return messages[-1].lstrip() if messages else ""


def _without_end(text: str) -> str:
    for token in ENDS:
        bare = text.rstrip()
        struck = token == STRUCK[1] and STRUCK[0] in bare
        if bare.endswith(token) and not struck:
            text = bare.removesuffix(token).rstrip()
    return text
