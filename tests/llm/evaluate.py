"""How well and how fast real weights answer the bank's questions. A tool for developers, not a test.

python tests/llm/evaluate.py checkpoints/NAME/onnx [--threads 2] [--without-guesses]
python tests/llm/evaluate.py checkpoints/NAME/ct2 [--threads 2] [--without-cache]

Prints each answer with the time to its first words, then the counts; run it again after any change of prompt, facts
or model. A question counts as answered when the reply holds the key of the right fact.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kiosk.dialogue.answer import Answerer  # noqa: E402 - the repository's root is put on the path first
from kiosk.profile import load_profile  # noqa: E402
from models.llm.base import ChatModel  # noqa: E402
from models.llm.choose import ONNX_GRAPH  # noqa: E402
from models.llm.ctranslate2_engine import CTranslate2ChatModel  # noqa: E402
from models.llm.onnx_engine import GUESSED_TOKENS, OnnxChatModel  # noqa: E402
from models.types import LANGUAGES, Language  # noqa: E402

KNOWN: dict[Language, list[tuple[str, str]]] = {
    "zh": [
        ("几点开门？", "9点"),
        ("你们周六开门吗？", "10点"),
        ("开户需要带什么证件？", "身份证"),
        ("办卡要多少钱？", "5元"),
        ("跨行转账手续费是多少？", "2元"),
        ("厕所在哪里？", "左边"),
        ("定期存款一年利率是多少？", "1.35%"),
        ("我的卡丢了怎么办？", "400-123-4567"),
        ("可以换外币吗？", "2号柜台"),
        ("贷款找谁办理？", "3号柜台"),
        ("你们早上什么时候开始营业？", "9点"),
        ("下午几点下班？", "5点"),
        ("星期六几点到几点？", "10点"),
        ("周六下午几点关门？", "3点"),
        ("星期天上班吗？", "不开门"),
        ("中午休息吗？", "不休息"),
        ("开户去哪个柜台？", "1号"),
        ("银行卡有年费吗？", "没有年费"),
        ("补一张卡多少钱？", "10元"),
        ("挂失电话是多少？", "400-123-4567"),
        ("用手机银行转账要钱吗？", "免费"),
        ("三年定期利率多少？", "1.75%"),
        ("我想换美元。", "2号"),
        ("换外币要带什么？", "身份证"),
        ("今天汇率是多少？", "屏幕"),
        ("自动取款机在哪？", "右边"),
        ("取款机一次最多取多少？", "3000"),
        ("洗手间怎么走？", "左边"),
        ("WiFi叫什么？", "Sunrise-Guest"),
        ("办业务要先做什么？", "取号"),
        ("停车免费多久？", "2小时"),
        ("我坐轮椅怎么进来？", "坡道"),
        ("我想贷款，找谁？", "3号"),
    ],
    "en": [
        ("What time do you open?", "9 am"),
        ("Are you open on Saturday?", "10 am"),
        ("What do I need to open an account?", "ID"),
        ("How much is the transfer fee?", "2 yuan"),
        ("Where is the toilet?", "left"),
        ("What is the one year deposit rate?", "1.35%"),
        ("I lost my card, what should I do?", "400-123-4567"),
        ("Can I exchange foreign currency?", "counter 2"),
        ("Is there a cash machine?", "right"),
        ("Who can help me with a loan?", "counter 3"),
        ("When do you open in the morning?", "9 am"),
        ("When do you close today, it is Tuesday?", "5 pm"),
        ("What are your hours on Saturday?", "10 am"),
        ("Until when are you open on Saturday?", "3 pm"),
        ("Do you work on Sundays?", "closed"),
        ("Do you close for lunch?", "no lunch"),
        ("Which counter opens accounts?", "counter 1"),
        ("Does the card have a yearly fee?", "no yearly fee"),
        ("How much is a new card if I lost mine?", "10 yuan"),
        ("What number do I call for a lost card?", "400-123-4567"),
        ("What does a bank card cost?", "5 yuan"),
        ("What is the three year deposit rate?", "1.75%"),
        ("Where can I change dollars?", "counter 2"),
        ("What do I need to bring for currency exchange?", "passport"),
        ("What is the exchange rate today?", "screen"),
        ("Where is the ATM?", "right"),
        ("How much can I withdraw at most?", "3000"),
        ("Where are the restrooms?", "left"),
        ("What is the wifi called?", "Sunrise-Guest"),
        ("How long is parking free?", "hours"),
        ("I use a wheelchair, how do I get in?", "ramp"),
        ("I want a loan, where do I go?", "counter 3"),
    ],
}
UNKNOWN: dict[Language, list[str]] = {
    "zh": [
        "今天天气怎么样？",
        "你们行长叫什么名字？",
        "附近有什么好吃的？",
        "你会唱歌吗？",
        "可以买股票吗？",
        "股市今天涨了吗？",
        "给我讲个笑话。",
        "你今年几岁？",
        "哪里可以吃饭？",
        "公交车站在哪里？",
        "你会说日语吗？",
    ],
    "en": [
        "What is the weather like today?",
        "Who is the president of the bank?",
        "Is there a good restaurant nearby?",
        "Can you sing a song?",
        "Can I buy stocks here?",
        "Tell me a joke.",
        "How old are you?",
        "Where is the bus stop?",
        "Do you sell insurance?",
        "What is the price of gold?",
        "Who won the match yesterday?",
    ],
}
FOLLOW_UPS: dict[Language, list[tuple[str, str, str]]] = {
    "zh": [
        ("几点开门？", "周日呢？", "不开门"),
        ("一年定期存款利率是多少？", "三年的呢？", "1.75%"),
        ("跨行转账手续费是多少？", "用手机银行呢？", "免费"),
    ],
    "en": [
        ("What time do you open?", "And on Sunday?", "closed"),
        ("What is the one year deposit rate?", "And for three years?", "1.75%"),
        ("How much is the transfer fee?", "And in the mobile app?", "free"),
    ],
}


@dataclass(frozen=True, slots=True)
class Timed:
    """One answer and how long it took."""

    text: str
    first_s: float
    total_s: float
    num_pieces: int

    @property
    def pieces_per_s(self) -> float:
        """Speed after the first words."""
        return (self.num_pieces - 1) / (self.total_s - self.first_s) if self.num_pieces > 1 else 0.0


def ask(answerer: Answerer, question: str, language: Language) -> Timed:
    """Put one question."""
    begin = time.perf_counter()
    times, pieces = [], []
    for piece in answerer.answer(question, language):
        times.append(time.perf_counter() - begin)
        pieces.append(piece)
    return Timed("".join(pieces), times[0], times[-1], len(pieces))


def report(label: str, is_right: bool, question: str, got: Timed) -> None:
    """Print one line."""
    figures = f"{got.first_s:.2f} s, {got.num_pieces} pieces, {got.pieces_per_s:.1f}/s"
    print(f"{'right' if is_right else 'WRONG'}  {label}  {question}  →  {got.text}  [{figures}]", flush=True)


def evaluate(model: ChatModel, languages: Sequence[Language]) -> None:
    """Ask everything and print the counts."""
    profile = load_profile("bank")
    answerer = Answerer(model, profile, max_new_tokens=96)
    answerer.warm_up()
    timed: list[Timed] = []
    for language in languages:
        counts = dict.fromkeys(("known", "unknown", "follow-up"), 0)
        for question, key in KNOWN[language]:
            answerer.clear()
            got = ask(answerer, question, language)
            timed.append(got)
            counts["known"] += key in got.text
            report("known", key in got.text, question, got)
        for question in UNKNOWN[language]:
            answerer.clear()
            got = ask(answerer, question, language)
            is_right = got.text.strip() == profile.text(language).unknown
            counts["unknown"] += is_right
            report("unknown", is_right, question, got)
        for first, question, key in FOLLOW_UPS[language]:
            answerer.clear()
            ask(answerer, first, language)
            got = ask(answerer, question, language)
            counts["follow-up"] += key in got.text
            report("follow-up", key in got.text, question, got)
        print(language, counts, "of", len(KNOWN[language]), len(UNKNOWN[language]), len(FOLLOW_UPS[language]))
    print(
        f"{model.name}: first words, median {statistics.median(t.first_s for t in timed):.2f} s, "
        f"worst {max(t.first_s for t in timed):.2f} s; "
        f"then {statistics.median(t.pieces_per_s for t in timed):.1f} pieces/s; "
        f"longest answer {max(t.num_pieces for t in timed)} pieces"
    )


def load(arguments: argparse.Namespace) -> ChatModel:
    """Open the folder with the engine that its files are for."""
    if (arguments.folder / ONNX_GRAPH).is_file():
        return OnnxChatModel.load(
            arguments.folder,
            threads=arguments.threads,
            context_tokens=2048,
            guessed_tokens=0 if arguments.without_guesses else GUESSED_TOKENS,
        )
    return CTranslate2ChatModel.load(
        arguments.folder,
        device="cpu",
        threads=arguments.threads,
        context_tokens=2048,
        keep_system_prompts=not arguments.without_cache,
    )


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="a folder with weights for ONNX Runtime or CTranslate2")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--language", choices=LANGUAGES, action="append")
    parser.add_argument(
        "--without-cache", action="store_true", help="CTranslate2: compute the system prompt again for each question"
    )
    parser.add_argument("--without-guesses", action="store_true", help="ONNX Runtime: one token a step")
    arguments = parser.parse_args()
    model = load(arguments)
    try:
        evaluate(model, arguments.language or LANGUAGES)
    finally:
        model.close()


if __name__ == "__main__":
    main()
