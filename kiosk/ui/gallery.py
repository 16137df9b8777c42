"""Shows every state with sample words and saves pictures of it, to be looked at after a change of the screen.

    xvfb-run -s "-screen 0 3840x2160x24" python -m kiosk.ui.gallery docs/screens

A tool for developers; the kiosk never imports it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QImage, qRgb
from PySide6.QtWidgets import QApplication

from kiosk.face.portrait import avatar_folders, load_portrait
from kiosk.face.types import FacePose
from kiosk.operator_facts import DeviceFacts, ErrorFacts, OperatorFacts, StageFacts, TurnFacts
from kiosk.ui.face_panel import FacePanel
from kiosk.ui.state import LoadStep, Notice, Phase, ScreenState, Severity, StepState
from kiosk.ui.window import KioskWindow
from models.types import Language

_SETTLE_MS = 150
"""Time for layout, scrolling to the newest words and a frame of the face."""
_COLORS = 240
"""Colours of a saved picture: skin, wall and text stay clean at about 100 kB a picture."""
_LARGEST_SAVED = 1280
"""Longer side of a saved picture in px: words stay readable, and the folder stays small."""
_LONG_ZH = (
    "挂失银行卡请按以下步骤办理。第一步，请先拨打客服热线或在手机银行里做临时挂失，临时挂失当场生效，五天内有效。"
    "第二步，请本人带好有效身份证件，到任意一家网点办理正式挂失。第三步，正式挂失后可以当场补办新卡，工本费10元。"
    "如果您的卡内有定期存款，补卡后存款信息会自动转到新卡，不需要另外办理。如需帮助，请点击找人工按钮，工作人员会到您身边。"
)
_LONG_EN = (
    "Here is how to report a lost card. First, block it in the mobile app or by calling the hotline; the block works "
    "at once and lasts five days. Second, bring your identity document to any branch and report the loss in writing. "
    "Third, you can get a new card on the spot for a fee of ¥10. Time deposits tied to the old card move to the new "
    "one by themselves, and nothing else needs to be done. If you need help, touch Staff: a colleague will come."
)


@dataclass(frozen=True, slots=True)
class Words:
    """Sample content in one language."""

    title: str
    questions: tuple[str, ...]
    visitor: str
    reply: str
    long_reply: str
    no_microphone: str
    staff: str
    error: str
    steps: tuple[tuple[str, str], ...]


WORDS: dict[Language, Words] = {
    "zh": Words(
        title="示例银行 · 大堂助手",
        questions=(
            "营业时间是几点到几点？",
            "银行卡丢了怎么办？",
            "开户需要带什么证件？",
            "人民币兑美元的汇率是多少？",
        ),
        visitor="银行卡丢了怎么办？",
        reply="请先在手机银行做临时挂失，再带身份证到网点办理正式挂失。",
        long_reply=_LONG_ZH,
        no_microphone="没有找到话筒，请打字或点选问题；工作人员请检查话筒插头。",
        staff="已通知工作人员，请稍候。",
        error="缺少语音合成的权重 kokoro-82m，请运行 models fetch。",
        steps=(
            ("语音检测", "silero-vad"),
            ("语音识别", "whisper-base"),
            ("语言模型", "qwen2.5-1.5b-instruct"),
            ("语音合成", "kokoro-82m"),
            ("话筒与扬声器", ""),
        ),
    ),
    "en": Words(
        title="Example Bank · Lobby assistant",
        questions=(
            "What are your opening hours?",
            "What should I do if I lost my bank card?",
            "Which documents do I need to open an account?",
            "What is the exchange rate of the US dollar?",
        ),
        visitor="What should I do if I lost my bank card?",
        reply="Please block the card in the mobile app first, then bring your identity card to any branch.",
        long_reply=_LONG_EN,
        no_microphone="No microphone found: please type or touch a question. Staff: check the microphone's plug.",
        staff="A member of staff has been told and will be with you soon.",
        error="The weights kokoro-82m of the speech synthesis are missing; run: models fetch",
        steps=(
            ("Voice detection", "silero-vad"),
            ("Speech recognition", "whisper-base"),
            ("Language model", "qwen2.5-1.5b-instruct"),
            ("Speech synthesis", "kokoro-82m"),
            ("Microphone and loudspeaker", ""),
        ),
    ),
}


def _steps(words: Words, done: int, broken: int | None = None, detail: str = "") -> tuple[LoadStep, ...]:
    made = []
    for index, (name, model) in enumerate(words.steps):
        state = StepState.DONE if index < done else StepState.RUNNING if index == done else StepState.PENDING
        if broken is not None:
            state = StepState.FAILED if index == broken else StepState.DONE
        made.append(
            LoadStep(
                name=name,
                label=name,
                state=state,
                progress=0.42 if state is StepState.RUNNING else None,
                detail=detail if state is StepState.FAILED else model,
            )
        )
    return tuple(made)


def sample_states(language: Language) -> dict[str, ScreenState]:
    """Every state worth seeing, by name."""
    words = WORDS[language]
    base = ScreenState(language=language, title=words.title, suggestions=words.questions)
    said = replace(base, visitor_caption=words.visitor, can_replay=True)
    answered = replace(said, phase=Phase.LISTENING, reply_caption=words.reply)
    return {
        "loading": replace(base, phase=Phase.LOADING, loading=_steps(words, 2)),
        "error": replace(base, phase=Phase.ERROR, loading=_steps(words, 5, 3, "kokoro-82m"), error=words.error),
        "attract": replace(base, phase=Phase.ATTRACT),
        "greeting": replace(base, phase=Phase.GREETING, reply_caption=words.title.split(" · ")[-1] + "，您好！"),
        "listening": replace(base, phase=Phase.LISTENING, hearing_level=0.8),
        "listening_after": replace(answered, hearing_level=0.3),
        "thinking": replace(said, phase=Phase.THINKING),
        "speaking": replace(said, phase=Phase.SPEAKING, reply_caption=words.reply),
        "speaking_long": replace(said, phase=Phase.SPEAKING, reply_caption=words.long_reply),
        "no_microphone": replace(
            base, phase=Phase.LISTENING, notice=Notice(text=words.no_microphone, severity=Severity.WARNING)
        ),
        "staff_called": replace(
            said, phase=Phase.LISTENING, reply_caption=words.reply, notice=Notice(text=words.staff)
        ),
        "push_to_talk": replace(answered, push_to_talk=True),
        "idle_warning": replace(said, phase=Phase.IDLE_WARNING, reply_caption=words.reply, idle_seconds_left=7),
        "farewell": replace(base, phase=Phase.FAREWELL),
    }


def sample_pose(phase: Phase) -> FacePose:
    """A still pose: the jaw open while speaking."""
    units = np.zeros(52, np.float32)
    if phase in (Phase.SPEAKING, Phase.GREETING):
        units[_JAW_OPEN] = 0.28
    return FacePose(units=units)


_JAW_OPEN = 24
"""Place of jawOpen among the units, alphabetical."""


def settle(milliseconds: int = _SETTLE_MS) -> None:
    """Let the event loop run for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def picture_of(window: KioskWindow) -> QImage:
    """What the screen shows of the window, where the platform tells: the face may be a native window of its own."""
    shown = window.screen().grabWindow(window.winId())
    return (window.grab() if shown.isNull() else shown).toImage()


def save_small(image: QImage, target: Path) -> None:
    """Save as a PNG of few colours."""
    longer = max(image.width(), image.height())
    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    pixels: NDArray[np.uint8] = np.frombuffer(rgb.constBits(), np.uint8)
    pixels = pixels.reshape(rgb.height(), rgb.bytesPerLine())[:, : 3 * rgb.width()].reshape(
        rgb.height(), rgb.width(), 3
    )
    if longer > _LARGEST_SAVED:
        share = _LARGEST_SAVED / longer
        pixels = np.asarray(cv2.resize(pixels, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
    sample = pixels.reshape(-1, 3)[:: max(1, pixels.size // 3 // 20_000)].astype(np.float32)
    rule = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.5)
    cv2.setRNGSeed(1)
    _, _, palette = cv2.kmeans(sample, min(_COLORS, len(sample)), np.zeros(0), rule, 1, cv2.KMEANS_PP_CENTERS)
    cube = np.stack(np.meshgrid(*[np.arange(4, 256, 8)] * 3, indexing="ij"), -1).reshape(-1, 3).astype(np.float32)
    nearest = np.argmin(((cube[:, None] - palette[None]) ** 2).sum(-1), 1).astype(np.uint8)
    coarse = pixels.astype(np.int32) >> 3
    indices = np.ascontiguousarray(nearest[(coarse[..., 0] << 10) | (coarse[..., 1] << 5) | coarse[..., 2]])
    small = QImage(indices.data, indices.shape[1], indices.shape[0], indices.shape[1], QImage.Format.Format_Indexed8)
    small.setColorTable([qRgb(*(int(part) for part in color)) for color in palette])
    small.save(str(target), quality=0)


def show_all(window: KioskWindow, language: Language, only: list[str], *, larger: bool) -> Iterator[str]:
    """Bring the window into each state; gives the name once it is to be seen."""
    for name, state in sample_states(language).items():
        if not only or name in only:
            window.show_state(replace(state, larger_text=larger))
            settle()
            yield name
    for name, typed in (("typing", "woyaozhuanzhang"), ("typing_digits", "")):
        if only and name not in only:
            continue
        window.show_state(replace(sample_states(language)["listening"], larger_text=larger))
        window.open_keyboard()
        for letter in typed:
            window.sheet.keypad.typed.emit(letter)
        if not typed:
            window.sheet.keypad.key("layer").click()
        settle()
        yield name
        window.close_keyboard()
    if not only or "operator" in only:
        window.show_state(replace(sample_states(language)["listening"], larger_text=larger))
        window.operator.toggle()
        window.operator.show_facts(sample_facts())
        settle()
        yield "operator"
        window.operator.toggle()


def sample_facts() -> OperatorFacts:
    """A kiosk some hours after its start, with one stage that was started again."""
    now_s = time.time()
    parts = ("end_of_turn", "recogniser", "first_token", "first_clause", "synthesis", "output", "total")
    turns = (
        (212, 95, 310, 204, 388, 61, 1270),
        (340, 180, 295, 240, 402, 58, 1515),
        (205, 90, 720, 510, 420, 60, 2005),
    )
    return OperatorFacts(
        pid=1423,
        started_after_boot_s=31.5,
        written_ns=time.monotonic_ns(),
        uptime_s=3 * 3600 + 25 * 60,
        phase="listening",
        stages=(
            StageFacts(name="hearing", state="idle", since_s=now_s),
            StageFacts(name="recogniser", state="idle", since_s=now_s - 42, restarts=1, restarted_at_s=now_s - 4000),
            StageFacts(name="language model", state="working", since_s=now_s - 2, turn_id=118),
            StageFacts(name="voice", state="waiting", since_s=now_s - 1, turn_id=118),
        ),
        microphone=DeviceFacts(name="USB PnP Audio Device: Audio (hw:1,0)", state="ok", level=0.4),
        loudspeaker=DeviceFacts(name="HDA Intel PCH: HDMI 0 (hw:0,3)", state="ok"),
        turns=tuple(
            TurnFacts(at_s=now_s - 60 * index, parts_ms=dict(zip(parts, turn, strict=True)))
            for index, turn in enumerate(turns)
        ),
        av_offset_ms=-12.0,
        resident_bytes=2_713_000_000,
        available_bytes=3_904_000_000,
        errors=(
            ErrorFacts(
                at_s=now_s - 4000, stage="recogniser", message="recogniser: no progress for 11 s; it is started again"
            ),
        ),
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the tool."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", nargs="+", default=["1080x1920", "1920x1080"])
    parser.add_argument("--language", choices=("zh", "en"), default="zh")
    parser.add_argument("--larger", action="store_true")
    parser.add_argument("--avatar", default="mei")
    parser.add_argument("--only", nargs="*", default=[], help="names of states")
    options = parser.parse_args(arguments)
    application = QApplication.instance() or QApplication(sys.argv[:1])
    options.folder.mkdir(parents=True, exist_ok=True)
    phase = Phase.LOADING
    face = FacePanel(load_portrait(avatar_folders()[options.avatar]), lambda: sample_pose(phase))
    window = KioskWindow(face, is_kiosk=False)
    window.show()
    for size in options.size:
        width, height = map(int, size.split("x"))
        window.resize(width, height)
        settle()
        for name in show_all(window, options.language, options.only, larger=options.larger):
            phase = window.state.phase
            settle(100)
            scale = window.devicePixelRatioF()
            tag = f"{name}-{size}-{options.language}" + ("-larger" if options.larger else "")
            tag += f"-{scale:.0%}".replace("%", "pc") if scale != 1 else ""
            save_small(picture_of(window), options.folder / f"{tag}.png")
    window.close()
    application.processEvents()
    return 0


if __name__ == "__main__":
    sys.exit(main())
