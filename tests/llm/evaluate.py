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
    ],
}
UNKNOWN: dict[Language, list[str]] = {
    "zh": ["今天天气怎么样？", "你们行长叫什么名字？", "附近有什么好吃的？", "你会唱歌吗？", "可以买股票吗？"],
    "en": [
        "What is the weather like today?",
        "Who is the president of the bank?",
        "Is there a good restaurant nearby?",
        "Can you sing a song?",
        "Can I buy stocks here?",
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
