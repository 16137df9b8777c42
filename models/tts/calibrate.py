"""Learns what a voice needs to be spoken in parts: `python -m models.tts.calibrate GRAPHS VOICES NAME…`.

A tool for whoever adds a voice; takes a minute or two for each. The result, `NAME.norms.npz`, goes beside the voice
file. A voice without it works too, but is only spoken in whole clauses.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from models.tts.g2p import GraphemeToPhoneme
from models.tts.prepare import PROSODY_FILE, VOCODER_FILE
from models.tts.statistics import SUFFIX, NormStatistics, Observation, fit_statistics
from models.tts.voice_files import load_style, open_session
from models.types import Language

CLAUSES: dict[Language, tuple[str, ...]] = {
    "zh": (
        "您好，欢迎光临，请问您要办理什么业务？", "好的。", "请您带好身份证和银行卡，到二号柜台办理。", "没问题",
        "我们的营业时间是周一到周五，上午九点到下午五点。", "请稍等。", "再见，祝您生活愉快！",
        "您可以在自动取款机上取钱，",
        "每天最多两万元。", "这个我不太清楚，", "开户需要带身份证，", "当然可以", "您的余额是三千五百二十元。",
        "外币兑换在三号窗口办理，", "贷款申请一般需要三到五个工作日，", "不好意思", "停车场在地下一层，",
        "理财产品有风险，投资需要谨慎。", "我是您的虚拟助手，很高兴为您服务。", "一年期定期存款利率是百分之一点五，",
    ),
    "en": (
        "Welcome to our bank, how may I help you today?", "Of course.", "Please bring your passport and your card,",
        "Our opening hours are nine to five, Monday to Friday.", "One moment, please.",
        "Goodbye, and have a nice day!",
        "You can withdraw cash at the machine,", "at most twenty thousand a day.", "I am not sure about that,",
        "To open an account you need a phone number.", "No problem", "Your balance is three thousand five hundred.",
        "Foreign currency is at counter three,", "A loan usually takes three to five working days,", "I'm sorry",
        "The car park is on the lower floor,", "Investments carry risks, so please take care.", "Thank you.",
    ),
}  # fmt: skip
"""Long and short clauses as they are spoken at a desk, with and without a pause inside."""


def calibrate(graphs: Path, voice: Path, vocab: Path, *, threads: int = 2) -> NormStatistics:
    """Speak the clauses with one voice and fit its statistics.

    Raises:
        CheckpointError: A file is missing or damaged.
    """
    g2p = GraphemeToPhoneme.load(vocab)
    style = load_style(voice)
    prosody = open_session(graphs / PROSODY_FILE, device="cpu", threads=threads)
    vocoder = open_session(graphs / VOCODER_FILE, device="cpu", threads=threads)
    language: Language = "zh" if voice.stem.startswith("z") else "en"
    observations = []
    for clause in CLAUSES[language]:
        phonemes = g2p.mixed(clause) if language == "zh" else g2p.english(clause)
        row = style[len(phonemes) - 1][None]
        tokens = np.array([[0, *g2p.tokens(phonemes), 0]], np.int64)
        feed = {"tokens": tokens, "style": row, "speed": np.ones(1, np.float32)}
        pitch, energy, features, harmonics = prosody.run(["pitch", "energy", "features", "harmonics"], feed)
        feed = {"features": features, "harmonics": harmonics, "style": row}
        means, variances = vocoder.run(["means", "variances"], feed)
        observations.append(
            Observation(
                pitch=pitch.reshape(-1),
                energy=energy.reshape(-1),
                means=means.reshape(-1),
                variances=variances.reshape(-1),
            )
        )
    return fit_statistics(observations)


def main() -> None:
    """Read the command line, calibrate each voice and write its file."""
    parser = argparse.ArgumentParser(description="Learn what voices need to be spoken in parts.")
    parser.add_argument("graphs", type=Path, help="folder of the prepared graphs")
    parser.add_argument("voices", type=Path, help="folder of the voice files")
    parser.add_argument("names", nargs="+", help="voices, such as zf_xiaoxiao")
    arguments = parser.parse_args()
    for name in arguments.names:
        voice = arguments.voices / f"{name}.bin"
        statistics = calibrate(arguments.graphs, voice, arguments.voices / "kokoro_vocab.json")
        statistics.save(voice.with_name(name + SUFFIX))


if __name__ == "__main__":
    main()
