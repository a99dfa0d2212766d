import time

import pytest

from stoic_assets.adapters.models.spoken_text import said_aloud

HARMONY = "<|channel|>analysis<|message|>Ask for {}.<|end|><|start|>assistant<|channel|>final{}<|message|>{}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>The user is sad.\n\nSay so?</think>\n\nSalve", "Salve"),
        ("\n<think></think>{\"score\": 1}", '{"score": 1}'),
        ("<think>So many thoughts that no words", ""),
        ("<think>one</think><think>two</think>", "<think>two</think>"),
        ("I am to play the user.\nI know X.\n</think>\n\nSalve", "Salve"),
        ("I wonder.</think>", ""),
        ("<thinking>I must ask.</thinking>\n\nSalve", "Salve"),
        ("<thinking>It quotes </think>.</thinking>Salve", "Salve"),
        ("<thought>I must ask.</thought>Salve", "Salve"),
        ("<reasoning>\n1. Well.\n</reasoning>\n{\"score\": 1}", '{"score": 1}'),
        ("[THINK]I must ask.[/THINK]Salve", "Salve"),
        ("<seed:think>I must ask.</seed:think>Salve", "Salve"),
        ("◁think▷I must ask.◁/think▷Salve", "Salve"),
        ("<|channel>thought\nI must ask.<channel|>Salve", "Salve"),
        (HARMONY.format("X", "", "Salve"), "Salve"),
        ("<|start|>assistant" + HARMONY.format("X", "", "Salve<|return|>"), "Salve"),
        (HARMONY.format("X", " json", '{"score": 1}'), '{"score": 1}'),
        (HARMONY.format("X", " <|constrain|>json", '{"score": 1}'), '{"score": 1}'),
        (HARMONY.format("<|channel|>final<|message|>", "", "Salve"), "Salve"),
        ("<|channel|>analysis<|message|>I must ask for X.<|end|>", ""),
    ],
)
def test_what_a_model_thought_before_is_not_what_it_says(text: str, said: str) -> None:
    assert said_aloud(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "Write <think>why</think> first",
        "Write <think>why</think> first, then </think>",
        "Put it between <thinking> and </thinking>, please.",
        "I closed it with </reasoning>, and it broke.",
        "My prompt says [THINK]why[/THINK] first.",
        "It printed <|channel|>final<|message|> and no more.",
        '{"reason": "it says </think> aloud"}',
        '{"reason": "it says <|channel|>final<|message|> aloud"}',
        '```json\n{"reason": "</think>"}\n```',
        "<thoughtful> is no mark, </thought> or not",
        "",
        " ",
    ],
)
def test_marks_elsewhere_are_part_of_what_it_says(text: str) -> None:
    assert said_aloud(text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Salve<|im_end|>", "Salve"),
        ("Salve<|eot_id|>\n", "Salve"),
        ("Salve\n<|end|>", "Salve"),
        ("Salve<|return|>", "Salve"),
        ("Salve<end_of_turn>\n", "Salve"),
        ("Salve</s>", "Salve"),
        ("Salve<|im_end|></s>", "Salve"),
        ("Salve<|eot_id|><|end_of_text|>", "Salve"),
        ("Salve<|im_end|>\n<|endoftext|>", "Salve"),
        ('{"score": 1}<|im_end|>', '{"score": 1}'),
        ("<thinking>I must ask.</thinking>Salve<|im_end|>", "Salve"),
        ("It ends with <|im_end|>, does it not?", "It ends with <|im_end|>, does it not?"),
        ("Write <s>this</s>", "Write <s>this</s>"),
    ],
)
def test_the_control_tokens_of_its_end_are_not_either(text: str, said: str) -> None:
    assert said_aloud(text) == said


@pytest.mark.parametrize("text", ["</s>" * 10**6 + ".", " " * 10**6 + ".", "<|channel|>final" * 10**5])
def test_megabytes_of_marks_take_no_time(text: str) -> None:
    start = time.process_time()
    said_aloud(text)
    assert time.process_time() - start < 2
