"""What the kiosk says and what visitors say over it, spoken by the real voices and kept in a folder."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from kiosk.audio.files import read_sound, write_wav
from kiosk.audio.resample import resample
from kiosk.normalize import normalize
from kiosk.paths import RESOURCES, checkpoints_dir
from models.tts import load_synthesiser
from models.types import LANGUAGES, FloatArray, Language
from models.weights import locate

RATE = 48_000
KIOSK_VOICES = (("zf_xiaoxiao", "af_heart"), ("zm_yunxi", "am_michael"))
"""Chinese and English: of the faces mei and anna, and of jun."""
VISITOR_VOICES = (("zm_yunjian", "af_bella"), ("zf_xiaoni", "bm_george"))
"""None of the kiosk's."""
SENTENCES: dict[Language, tuple[str, ...]] = {
    "zh": (
        "开户的手续不复杂，您先填一张申请表，再拍一张照片，大约需要二十分钟。",
        "如果您是第一次来，请先在取号机上选择个人业务，然后到等候区休息。",
        "这款理财产品的期限是六个月，风险等级比较低，不过收益不是固定的。",
        "您的号码前面还有五位客人，预计要等一刻钟左右。",
        "存单到期以后会自动转存，您也可以随时到柜台取出来。",
        "密码输错三次，卡片就会锁住，需要本人带证件来解锁。",
        "手机银行可以查余额、转账、缴水电费，还能预约大额取款。",
        "取款超过五万元，请提前一天打电话预约，这样柜台会为您准备现金。",
        "老年客户可以走绿色通道，不用排队，我们的同事会一直陪着您。",
        "信用卡的账单日是每个月八号，还款日是二十六号，晚还会产生利息。",
        "公司账户的业务在二楼办理，电梯在您的左手边，请带上营业执照。",
        "换零钱请到四号窗口，硬币和纸币都可以换，不收任何费用。",
        "身份证过期以后，账户会受到限制，请尽快到柜台更新资料。",
        "您可以坐地铁二号线，在人民广场站下车，从三号口出来走五分钟。",
        "保险箱的租金一年三百元，需要您本人登记指纹，钥匙由您自己保管。",
        "如果收到可疑的短信，请不要点里面的链接，也不要告诉别人验证码。",
        "大厅右边有饮水机和充电的地方，您可以一边休息一边等。",
        "汇款到国外要填收款人的姓名、地址和银行代码，一般两三天到账。",
    ),
    "en": (
        "Opening an account is simple: fill in one form, have your picture taken, and it is done in twenty minutes.",
        "If this is your first visit, choose personal banking at the ticket machine and take a seat.",
        "There are five people before you, so the wait is about a quarter of an hour.",
        "When a deposit ends it is renewed by itself, but you can take the money out at any time.",
        "After three wrong numbers the card is locked, and you have to come with your identity card.",
        "With the mobile app you can check your balance, pay the water bill and send money to friends.",
        "For more than fifty thousand in cash, please call us one day ahead so that we can prepare it.",
        "Older customers need not stand in line; one of my colleagues will stay with you all the time.",
        "Your statement is made on the eighth of each month and has to be paid by the twenty sixth.",
        "Business accounts are handled on the second floor; the lift is on your left hand.",
        "You can change coins and small notes at window four, without any charge.",
        "A safe box costs three hundred a year, and only you keep the key.",
        "If you get a strange message, do not follow the link, and never tell anybody the code.",
        "Water and a place to charge your phone are on the right side of the hall.",
        "To send money abroad we need the name, the address and the bank code of the receiver.",
        "Take line two to the main square, leave by exit three and walk for five minutes.",
        "The loan for a new home runs up to thirty years, and the rate is fixed for the first five.",
        "Please sign here and here, and keep the yellow copy for yourself.",
    ),
}
TALK_OVERS: dict[Language, tuple[str, ...]] = {
    "zh": (
        "等一下，我想问问停车的事情。",
        "不是这个，我要换美元。",
        "厕所在哪里？",
        "请问贷款要找谁？",
        "停，我的卡不见了怎么办？",
    ),
    "en": (
        "Wait a moment, where is the toilet?",
        "No, I want to exchange some dollars.",
        "Who can help me with a loan?",
        "Stop, how much does a new card cost?",
        "Sorry, is there a place to park my car?",
    ),
}
SENTENCE_GAP_S = 0.25
ANSWER_GAP_S = 1.0
SENTENCES_PER_ANSWER = 3


def kiosk_speech(folder: Path, voice: int, seconds: float) -> FloatArray:
    """The kiosk's answers, one after the other, with a second between them.

    Args:
        folder: Where the sound is kept.
        voice: Number in `KIOSK_VOICES`.
        seconds: Wanted length; what was spoken, more than five minutes, is said again if it is longer.

    Returns:
        float32 mono at 48 kHz, `seconds` long.
    """
    clips = list(_spoken(folder, KIOSK_VOICES[voice], _kiosk_sentences()))
    parts: list[FloatArray] = []
    for number, clip in enumerate(clips, 1):
        gap_s = ANSWER_GAP_S if number % SENTENCES_PER_ANSWER == 0 else SENTENCE_GAP_S
        parts += [clip, np.zeros(round(gap_s * RATE), np.float32)]
    joined = np.concatenate(parts)
    wanted = round(seconds * RATE)
    return np.tile(joined, wanted // joined.size + 1)[:wanted]


def visitor_speech(folder: Path) -> list[FloatArray]:
    """What visitors say over the kiosk: float32 mono at 48 kHz; voices and languages alternate.

    Args:
        folder: Where the sound is kept.
    """
    said = [
        (text, language)
        for pair in zip(*TALK_OVERS.values(), strict=True)
        for text, language in zip(pair, LANGUAGES, strict=True)
    ]
    by_voice = [list(_spoken(folder, voices, said)) for voices in VISITOR_VOICES]
    return [clip for clips in zip(*by_voice, strict=True) for clip in clips]


def _kiosk_sentences() -> list[tuple[str, Language]]:
    profile = tomllib.loads((RESOURCES / "profiles" / "bank.toml").read_text(encoding="utf-8"))
    lines: dict[Language, list[str]] = {
        language: [
            *(line for pair in zip(SENTENCES[language], profile[language]["facts"], strict=False) for line in pair)
        ]
        for language in LANGUAGES
    }
    answers: list[tuple[str, Language]] = []
    for start in range(0, len(lines["zh"]), SENTENCES_PER_ANSWER):
        for language in LANGUAGES:
            answers += [(line, language) for line in lines[language][start : start + SENTENCES_PER_ANSWER]]
    return answers


def _spoken(folder: Path, voices: tuple[str, str], sentences: Sequence[tuple[str, Language]]) -> Iterator[FloatArray]:
    folder.mkdir(parents=True, exist_ok=True)
    synthesiser = None
    for text, language in sentences:
        voice = voices[LANGUAGES.index(language)]
        path = folder / f"{voice}-{zlib.crc32(text.encode()):08x}.wav"
        if not path.exists():
            if synthesiser is None:
                synthesiser = load_synthesiser(
                    "auto",
                    locate("kokoro-82m", checkpoints_dir()),
                    RESOURCES / "voices",
                    voice_zh=voices[0],
                    voice_en=voices[1],
                    threads=2,
                )
            speech = synthesiser.synthesise(normalize(text, language), language)
            write_wav(path, resample(speech.samples, speech.sample_rate, RATE), RATE)
        yield read_sound(path, RATE)
    if synthesiser is not None:
        synthesiser.close()
