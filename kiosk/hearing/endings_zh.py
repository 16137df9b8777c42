"""How Chinese sentences end. Functions over the bare text, without punctuation at its end."""

from __future__ import annotations

import re


def _any(*lines: str) -> str:
    """Alternatives of a regular expression, written with spaces between them."""
    return "(?:" + "|".join(word for line in lines for word in line.split()) + ")"


_WISH = "(?:就|也|还|是)?" + _any("想 要 想要 想问 想问一下 想请问 想请问一下 想知道 想了解 想了解一下 得 能")
_OPEN_TAIL = re.compile(
    _any(
        # wishes and the beginnings of questions
        "我" + _WISH,
        "(?:请问|问)(?:一下)? [你您]能 能不能 可不可以 可以不可以 是不是 有没有 怎么 什么时 知道怎么",
        # fillers and connecting words
        "就是 就是说 (?<![要换来买用看])[那这]个 然后 还有 (?<!归)还 因为 所以 但是 可是 不过 而且 如果 要是",
        "假如 或者 或 还是",
        "以及 和 跟 与 及 比如",
        "比如说",
        # prepositions
        "[把被给从在往比替由] (?<!方)向 (?<!绝)对 (?<![收看听见找遇达做得回])到",
        "关于 对于 为了 除了 按照 根据 通过",
        # verbs that want somebody or something
        "在[我你您他她]们? [我你他她]去 (?<![很太不])麻烦 (?<!申)请 (?<!不)需要 打算 准备",
        "希望 觉得",
        "一下(?:我|我们|你们|这个|那个|关于)",
        # thinking aloud
        "想想 想一想 想一下 我看看 我看一下",
        # names and numbers that are still to come
        "我叫 我姓 我是 叫做 (?:号|号码|电话|手机|卡号|密码|名字|地址|时间|问题)是",
        # what stands before a noun
        "的 (?<![要换来买])一个 一张 一些 一种 这张 那张 这些 那些 这笔 哪个 哪些 多少个",
    )
    + "$"
)
_WANTS_OBJECT = re.compile(
    _any("想 要 帮我? 帮忙 请 麻烦[你您]? 需要 能 可以 得 来 想去 要去")
    + "(?:再|先)?"
    + _any(
        "办 办理 申请 查 查询 查一下 查查 看一下 打听 打听一下 咨询 咨询一下 取 存 转 换 兑换 寄 买 找 领 领取",
        "开 开通",
        "预约 修改 做 去 学 问 说",
    )
    + "$|(?:告诉|帮|帮帮|给|教|麻烦|请)(?:[我你您他她]|我们)$"
)
_HALF_DAY = re.compile("(?<=[查看问听询办找讲])一下午$")
"""一下 before a pause, as recognisers hear it: nobody asks to have something looked up for a whole afternoon."""
_CLOSED_TAIL = re.compile(_any("是.+的 [好有行挺会].?的 谢谢[你您]?(?:了|们)? 你好 您好") + "$")
_SUBORDINATE = re.compile(
    "^" + _any("那 嗯 呃 啊 你好 您好") + "?" + _any("因为 如果 要是 假如 虽然 既然 只要 自从 除了 当")
)
_MAIN_CLAUSE = re.compile(_any("所以 就 怎么 什么 那么 但 可以 能 请 该 多少 多久 哪 谁 几"))
_OBJECT_IN_FRONT = re.compile(r"(?<!一)把(?P<rest>.+)$")
_MOVED = re.compile(_any("给 到 进 成 存 转 取 换 还 弄 做 拿 放 交 办 寄 送 带 改 关 打 丢 讲 说"))
"""Verbs that may follow an object put in front with 把."""
_VERB = re.compile(
    _any(
        "是 有 在 要(?!求) 想 能 会(?!议|员|计) 可以 办 开(?!户行|水) 取 存(?!折|款) 转 查 问(?!题) 找 去 来 到",
        "做 用(?!户) 看 听",
        "买 卖 换 还(?!款) 挂失 丢 说(?!明) 讲 叫 帮 给 需 知道 等于 加 减 乘 除 告诉 参观 谢 走 坐 等 写",
        "(?<![数大中小同科文化])学(?!生|校|院|期|费) 教(?!室|师) 打(?!印机) 收 付 交(?!通) 借 贷(?!款) 缴 领 寄",
        "送 带 拿 放",
        "改 变 停 关门 营业 上班 下班 喜欢 觉得 认识 明白 懂 介绍 推荐 预约 充电 连 登录 注册 姓 [更很太最].",
        "一点$ 岁$",
    )
)
"""Words that say something about the others; not within the nouns that follow or precede them here."""
_QUESTION = re.compile(
    _any(
        "[吗呢] 什么(?!时$) 哪里 哪儿 哪个. 哪家 哪天 谁 多少 多[久大长远高] 为什么 怎么样 怎么办 怎么. 如何. 几.",
        "是不是. 有没有. 能不能. 可不可以. (?:等于|是|到|有|在|第|星期|周|礼拜)几$",
    )
)
_FINAL_PARTICLE = re.compile("[吗呢吧了啊呀啦嘛哦]$")
_REQUEST_PARTICLE = re.compile("[吗呢吧]$")
_ANSWER = re.compile(
    "^"
    + _any(
        "是 是的 不是 对 对的 不对 好 好的 行 可以 不可以 不行 不 不用 不要 没有 没事 有 要 谢谢.{0,2} 再见",
        "拜拜 你好 您好",
        "早上好 下午好 停 停止 继续 没了 没有了 不用了 就这些了? 就这样吧?",
    )
    + "$"
)
_CLOSING = re.compile(
    "^(?:好的?|不|没有?)?[，,]?" + _any("谢谢.{0,2} 再见 拜拜 不用了 没了 没有了 没事 就这些了? 就这样吧?") + "$"
)
_INTRODUCTION = re.compile("^.{0,4}(?<!帮)我" + _any("叫 姓 是 来自 今年 第一次 们是") + "[^吗呢么]{1,12}$")
_CAME_FOR = re.compile("我(?:是|就是|们是).*[来想要].+的$|我[想要](?:找|见|问|办|取|存|换|买).{2,}$")
"""Who says what for leaves it at that, whatever name comes before."""
_HESITATION = re.compile("^" + _any("嗯 呃 额 啊 哦 噢 唔 那个 这个 就是 ， 、") + "+$")
_ABOUT = re.compile(_any("告诉我们? 想?知道 想?问一?下? 请问") + "[^什怎哪谁几多吗是有]{1,8}$")
"""What is to be told, but not what about it."""
_GREETED = re.compile("^[你您]好[，,]?我(?:叫|姓)[^吗呢么]{1,6}$")
"""Who greets and gives a name came for something."""


def is_closing(text: str) -> bool:
    """Thanks, a farewell, or that there is nothing more."""
    return _CLOSING.search(text) is not None


def is_open(text: str) -> bool:
    """It cannot end here."""
    text = _HALF_DAY.sub("一下", text)
    if _ANSWER.search(text) or _CLOSED_TAIL.search(text):
        return False
    if _HESITATION.search(text) or _OPEN_TAIL.search(text):
        return True
    if _WANTS_OBJECT.search(text) and not _QUESTION.search(text):
        return True
    subordinate = _SUBORDINATE.search(text)
    if subordinate and not _REQUEST_PARTICLE.search(text) and not _MAIN_CLAUSE.search(text[subordinate.end() :]):
        return True
    in_front = _OBJECT_IN_FRONT.search(text)
    return in_front is not None and not _MOVED.search(in_front["rest"])


def is_fragment(text: str) -> bool:
    """A topic about which nothing is said yet: no verb, no question, more than one word."""
    if _ANSWER.search(text) or _CLOSED_TAIL.search(text) or _FINAL_PARTICLE.search(text) or _QUESTION.search(text):
        return False
    if _GREETED.search(text):
        return True
    return (len(text) >= 3 and not _VERB.search(text)) or _ABOUT.search(text) is not None


def is_complete(text: str) -> bool:
    """It stands for itself."""
    if _CAME_FOR.search(text):
        return True
    if _INTRODUCTION.search(text):
        return False
    if _ANSWER.search(text) or _FINAL_PARTICLE.search(text) or _QUESTION.search(text):
        return True
    return _VERB.search(text) is not None
