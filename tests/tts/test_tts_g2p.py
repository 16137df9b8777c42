"""Reading of Chinese, English and mixed clauses."""

import logging
from pathlib import Path

import pytest

from models.errors import CheckpointError
from models.tts.g2p import GraphemeToPhoneme, is_english
from models.tts.hibari_voice import HibariSynthesiser
from models.tts.readings import load_chinese_readings

VOICES = Path(__file__).parents[2] / "resources" / "voices"


@pytest.fixture(scope="module")
def loaded() -> GraphemeToPhoneme:
    g2p = GraphemeToPhoneme.load(VOICES / "kokoro_vocab.json")
    g2p.warm_up()
    return g2p


@pytest.fixture
def g2p(loaded: GraphemeToPhoneme) -> GraphemeToPhoneme:
    loaded.lost_symbols = 0
    return loaded


HANG, XING, ZHANG, CHANG = "xa↗ŋ", "ɕi↗ŋ", "ꭧa↓ŋ", "ꭧʰa↗ŋ"


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("感谢您选择我行", ["wo↓xa↗ŋ"], [XING]),
        ("请找银行行长", [f"i↗n{HANG}{HANG}{ZHANG}"], [XING, CHANG]),
        ("我行人员不收现金", ["wo↓xa↗ŋ"], [XING]),
        ("进行长期投资", [f"ʨi↘n{XING}", CHANG], [HANG, ZHANG]),
        ("你看我行不行", [f"wo↓{XING}"], [HANG]),
        ("这张卡的开户行", [HANG], [XING]),
        ("发卡行和分行", [HANG], [XING]),
        ("重置密码", ["ꭧʰʊ↗ŋꭧɨ↘"], ["ꭧʊ↘ŋ"]),
        ("转账还款", ["ꭧwa↓nꭧa↘ŋ", "xwa↗nkʰwa↓n"], ["xai↗"]),
    ],
)
def test_bank_words_have_their_reading(
    g2p: GraphemeToPhoneme, text: str, inside: list[str], outside: list[str]
) -> None:
    phonemes = g2p.mixed(text)
    assert all(part in phonemes for part in inside), phonemes
    assert not any(part in phonemes for part in outside), phonemes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我会rap和街舞", ["ɹˈæp"]),
        ("请打开APP", ["ˈæp"]),
        ("请用ATM取款", ["ˈA", "tˈi", "ˈɛm"]),
        ("VIP客户", ["vˈi", "ˈI", "pˈi"]),
        ("连接WiFi", ["wˈIfˌI"]),
        ("请到A座", ["ˈA"]),
        ("插入U盾", ["jˈu"]),
        ("ICBC卡", ["ˈI", "sˈi", "bˈi", "sˈi"]),
        ("登录www", ["dˈʌbᵊlju"]),
        ("ＡＴＭ", ["ˈA", "tˈi", "ˈɛm"]),
        ("咖啡café", ["kæfˈA"]),
    ],
)
def test_latin_words_in_chinese_are_spoken(g2p: GraphemeToPhoneme, text: str, words: list[str]) -> None:
    spoken = g2p.mixed(text).split()
    assert [word for word in words if word not in spoken] == []
    assert g2p.lost_symbols == 0


def test_the_operators_own_readings_come_first(g2p: GraphemeToPhoneme, tmp_path: Path) -> None:
    (tmp_path / "readings_zh.txt").write_text(
        "# 我们的名字\n单行道支行 shan4 hang2 dao4 zhi1 hang2\n", encoding="utf-8"
    )
    (tmp_path / "readings_en.txt").write_text("nuvio new vee oh\napp A P P\n", encoding="utf-8")
    own = GraphemeToPhoneme.load(VOICES / "kokoro_vocab.json", tmp_path)
    own.warm_up()
    assert "ʂa↘nxa↗ŋ" in own.mixed("欢迎来到单行道支行")
    assert "ʂa↘nxa↗ŋ" not in g2p.mixed("欢迎来到单行道支行")
    assert own.mixed("感谢您选择我行") == g2p.mixed("感谢您选择我行")
    assert own.english("Ask for nuvio today.") == g2p.english("Ask for new vee oh today.")
    assert own.mixed("请打开APP") != g2p.mixed("请打开APP")
    assert own.english("Hello there.") == g2p.english("Hello there.")


def test_a_wrong_reading_of_the_operator_is_named(tmp_path: Path) -> None:
    (tmp_path / "readings_zh.txt").write_text("支行 zhi1\n", encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"readings_zh\.txt.*line 1: 支行 needs 2 syllables"):
        GraphemeToPhoneme.load(VOICES / "kokoro_vocab.json", tmp_path)


def test_each_latin_word_and_each_character_leaves_phonemes(g2p: GraphemeToPhoneme) -> None:
    whole = g2p.mixed("请用Xylophonetics的zzyzx服务，谢谢")
    without = g2p.mixed("请用的服务，谢谢")
    assert len(whole.split()) >= len(without.split()) + 2
    assert g2p.lost_symbols == 0


def test_every_symbol_is_in_the_alphabet(g2p: GraphemeToPhoneme) -> None:
    texts = [
        "您好！请问：需要“存款”（定期）还是《理财》……好吗？——没问题；行、可以～",
        "儿童二维码，哼，嗯，噢，女儿绿色，略有，迥然，翁先生，日子吃饭思考",
        "OK，e-mail到Tom's的iPhone，R&D和A/B",
    ]
    for text in texts:
        assert len(g2p.tokens(g2p.mixed(text))) > 20
    assert g2p.tokens(g2p.english("Don't worry — it's 5 o'clock; “fine” (really)…"))
    assert g2p.lost_symbols == 0


def test_what_has_no_sound_is_counted_and_logged(g2p: GraphemeToPhoneme, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tts"):
        phonemes = g2p.mixed("您好Привет")
    assert phonemes.startswith("ni↗nxau↓")
    assert g2p.lost_symbols == len("Привет")
    assert "U+041F" in caplog.text


def test_digits_that_slip_through_are_read(g2p: GraphemeToPhoneme) -> None:
    assert g2p.mixed("5号") == g2p.mixed("五 号")


def test_english_keeps_the_article_and_spells_acronyms(g2p: GraphemeToPhoneme) -> None:
    phonemes = g2p.english("This is a VIP card.")
    assert " ɐ " in phonemes
    assert "vˈi" in phonemes
    assert phonemes.endswith(".")


def test_voice_follows_the_script_and_the_sentence() -> None:
    assert is_english("Hello", "en")
    assert not is_english("OK", "zh")
    assert not is_english("Please say 你好", "en")


def test_starting_writes_no_cache_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    fresh = GraphemeToPhoneme.load(VOICES / "kokoro_vocab.json")
    fresh.mixed("您好")
    assert list(tmp_path.iterdir()) == []


def test_starting_opens_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    fresh = GraphemeToPhoneme.load(VOICES / "kokoro_vocab.json")
    assert fresh.mixed("您好 Zyxwvut")
    voice = HibariSynthesiser.load(VOICES / "kokoro_vocab.json", g2p=fresh)
    assert len(voice.synthesise("Hello.", "en").samples) > 4800
    voice.close()


def test_wrong_line_of_readings_is_named(tmp_path: Path) -> None:
    path = tmp_path / "readings_zh.txt"
    path.write_text("# list\n银行 yin2 hang2\n行长 hang2\n", encoding="utf-8")
    with pytest.raises(CheckpointError, match="line 3: 行长 needs 2 syllables"):
        load_chinese_readings(path)


def test_shipped_readings_are_well_formed() -> None:
    assert len(load_chinese_readings(VOICES / "readings_zh.txt")) > 100
