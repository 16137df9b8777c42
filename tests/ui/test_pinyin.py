import pytest

from kiosk.errors import ConfigError
from kiosk.ui.keyboard.pinyin import Composer, Entry, Lexicon, load_lexicon


def typed(letters: str, lexicon: Lexicon | None = None) -> Composer:
    composer = Composer(lexicon or load_lexicon())
    for letter in letters:
        composer.type(letter)
    return composer


@pytest.mark.parametrize(
    ("letters", "first"),
    [
        ("nihao", "你好"),
        ("wo", "我"),
        ("yinhangka", "银行卡"),
        ("guashi", "挂失"),
        ("wodeyinhangka", "我的银行卡"),
        ("zenmeban", "怎么办"),
        ("woyaoqukuan", "我要取款"),
        ("ruhekaihu", "如何开户"),
        ("shenfenzheng", "身份证"),
        ("fangan", "方案"),
        ("nver", "女儿"),
        ("yhk", "银行卡"),
        ("yinh", "银行"),
    ],
)
def test_first_candidate(letters, first):
    assert typed(letters).candidates()[0].text == first


def test_syllables_are_shown_apart():
    assert typed("xianzaijidian").shown == "xian'zai'ji'dian"
    assert typed("zhuang").shown == "zhuang"


def test_choosing_a_word_leaves_the_rest():
    composer = typed("yinhangka")
    part = next(c for c in composer.candidates() if c.text == "银行")
    assert composer.choose(part) == "银行"
    assert composer.typed == "ka"
    assert "卡" in [c.text for c in composer.candidates(10)]


def test_single_characters_are_offered_too():
    texts = [c.text for c in typed("guashi").candidates()]
    assert "挂" in texts
    assert len(texts) == len(set(texts))


def test_letters_that_are_no_pinyin_give_nothing_and_do_no_harm():
    composer = typed("vvv")
    assert composer.candidates() == []
    assert composer.delete()
    composer.clear()
    assert not composer.delete()


def test_input_is_limited_and_letters_only():
    composer = typed("a" * 100 + "1 é好")
    assert composer.typed == "a" * 40


def test_exact_words_come_before_longer_ones():
    lexicon = Lexicon([Entry("先", ("xian",), 1000), Entry("西", ("xi",), 1), Entry("喜", ("xi",), 5)])
    assert [c.text for c in typed("xi", lexicon).candidates()] == ["喜", "西", "先"]


def test_a_damaged_lexicon_is_named(tmp_path):
    path = tmp_path / "词库 1.tsv"
    path.write_text("ni hao\t你好\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"词库 1\.tsv: cannot be read"):
        load_lexicon(path)
