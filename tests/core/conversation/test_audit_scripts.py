"""The audit in scripts other than Latin: marks belong to their word, and some scripts have no spaces between words."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoic_assets.core.conversation.audit import fault, words
from stoic_assets.core.conversation.evidence import Turn
from stoic_assets.core.jobs.job import Job

MakeJob = Callable[..., Job]
TOLD = "it told something that the user does not know"
EARLY = "it ended the conversation before every task had been raised"
TASKS = [{"task": "Ask for a reminder", "acceptanceCriteria": "A reminder entity is created with the correct date"}]
GREETED = [Turn(0, "user", "Hi"), Turn(1, "agent", "Hello!")]

HINDI, TAMIL = "मैं शाकाहारी हूँ", "நான் சைவ உணவு உண்பவன்"
THAI, CHINESE = "ฉันเป็นมังสวิรัติ และอยู่เชียงใหม่", "我吃素，住在悉尼"


@pytest.mark.parametrize(
    ("fact", "message", "told"),
    [
        (HINDI, "वैसे मैं शाकाहारी हूँ, ध्यान रखें", True),
        (HINDI, "शाकाहारी हूँ जी मैं", True),
        (HINDI, "नमस्ते, कृपया मुझे कल सुबह नौ बजे दंत चिकित्सक को फोन करने की याद दिलाएं, बाहर घूमने की भी", False),
        (HINDI, "मैं अभी घर पर हूँ", False),
        (TAMIL, "சைவ உணவு உண்பவன் நான், நன்றி", True),
        (TAMIL, "நாளை காலை ஒன்பது மணிக்கு பல் மருத்துவரை அழைக்க நினைவூட்டுங்கள், நான் காத்திருக்கிறேன்", False),
        (THAI, "ฉันเป็นมังสวิรัติ และอยู่เชียงใหม่ ค่ะ", True),
        (THAI, "สวัสดีค่ะ ช่วยเตือนฉันพรุ่งนี้เก้าโมงเช้าให้โทรหาทันตแพทย์ และนัดเดินเล่นวันเสาร์ด้วยนะคะ", False),
        (CHINESE, "对了，我吃素，住在悉尼。", True),
        (CHINESE, "请明天早上九点提醒我打电话给牙医，我住得很远", False),
        ("من گیاه\u200cخوار هستم", "خب، من گیاه خوار هستم", True),
        ("من گیاه\u200cخوار هستم", "من فردا در خانه هستم", False),
        ("أَنَا نَبَاتِيٌّ مِنْ حَلَب", "مرحبا، أنا نباتي من حلب", True),
        ("I ❤️ green tea", "I, too, ❤️ mornings", False),
    ],
)
def test_a_word_is_whole_in_every_script(make_job: MakeJob, fact: str, message: str, told: bool) -> None:
    assert fault(message, make_job(tasks=TASKS, facts=[fact]), "withheld", GREETED) == (TOLD if told else None)


@pytest.mark.parametrize(
    ("fact", "message", "told"),
    [
        ("我住在悉尼", "其实我住在悉尼附近", True),
        ("我住在悉尼", "我住在哪里不方便说", False),
        ("我叫王小明", "你好我叫王小明呀", True),
        ("我叫王小明", "我叫什么我不想说，小王明天来", False),
        ("吃素", "我吃素", False),
        ("私は犬が好きです", "ええと私は犬が好きですよ", True),
        ("私は犬が好きです", "私は猫が好きです", False),
        ("我的航班是明天早上八点", "我的航班是明天早上几点?", False),
        ("会議は午後三時に始まります", "会議は午後何時に始まりますか?", False),
        ("การประชุมเริ่มเวลาบ่ายสามโมง", "การประชุมเริ่มเวลาบ่ายกี่โมง", False),
        ("私はSydneyに住んでいます", "実は私はSydneyに住んでいますので", True),
        ("ฉันเป็นมังสวิรัติ", "อ้อฉันเป็นมังสวิรัติค่ะ", True),
        ("ฉันเป็นมังสวิรัติ", "ฉันเป็นอะไรไม่ขอบอกค่ะ", False),
    ],
)
def test_without_spaces_a_secret_is_recognised_when_it_is_repeated(
    make_job: MakeJob, fact: str, message: str, told: bool
) -> None:
    job = make_job(tasks=TASKS, facts=[fact])
    assert fault(message, job, "withheld", GREETED) == (TOLD if told else None)
    assert fault(message, job, "withheld", [*GREETED[:1], Turn(1, "agent", fact)]) is None, "no secret any more"


def test_tasks_without_spaces_can_be_raised_in_one_message(make_job: MakeJob) -> None:
    tasks = [{"task": task, "acceptanceCriteria": "it does"} for task in ("询问法国的首都", "设置明天早上的提醒")]
    for message, early in (("法国的首都是哪里？另外请设置明天的提醒", False), ("法国的首都是哪里？", True)):
        said = [*GREETED, Turn(2, "user", message), Turn(3, "agent", "好的")]
        signed_off = fault("So long, and thanks for all the fish!", make_job(tasks=tasks), "withheld", said)
        assert signed_off == (EARLY if early else None)


def test_a_mark_belongs_to_its_word_and_none_is_a_word() -> None:
    assert words(HINDI) == tuple(HINDI.split())
    assert words("می\u200cخواهم שָׁלוֹם 1️⃣ ❤️ ok") == ("میخواهم", "שלום", "1", "ok")


LETTERS_AND_MARKS = "abé9\u0915\u0936\u093e\u0942\u093f\u05e9\u05b8"


@given(st.lists(st.from_regex(rf"[abé9\u0915\u0936\u05e9][{LETTERS_AND_MARKS}]{{0,4}}", fullmatch=True), max_size=6))
def test_words_are_what_stands_between_spaces_and_punctuation(spoken: list[str]) -> None:
    assert words(" ".join(spoken)) == words(", ".join(f"“{word}”" for word in spoken))
    assert len(words("। ".join(spoken))) == len(spoken)


def test_words_are_compared_without_case_and_diacritics() -> None:
    assert words("Cafe\u0301, ＦＵＬＬ-width") == words("café full Width") == words("CAFE full width")
    assert words("が") != words("か"), "a mark that makes another letter stays"
