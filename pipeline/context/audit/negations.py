"""What a text denies, in English and Chinese, as something that can be compared with another text (ctx-D19)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_ENGLISH = (
    r"not|no|never|none|nor|neither|nothing|nobody|nowhere|cannot|hardly|rarely|seldom|without|unless|except|non|off|false|won['’]?t"
    r"|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?|ban(?:s|ned)?|avoid(?:s|ed|ing)?|refuse[sd]?|reject(?:s|ed)?"
    r"|den(?:y|ies|ied)|disabl(?:e|es|ed|ing)|stop(?:s|ped)?|exclud(?:e|es|ed|ing)|[a-z]+n['’]t"
    r"|(?:do|does|did|is|are|was|were|should|must|could|would|ca|has|have|had|need)nt"
)
_CHINESE = "没有|并非|除非|除了|禁止|严禁|禁用|停用|停止|拒绝|避免|关闭|取消|切勿|杜绝|[不没無无未勿莫非别別毋休禁]"
_OTHERWISE = re.compile(
    "非常|未来|无论|無論|无线|无疑|不(?:仅|但|光|管|论|过)|不断(?!开)|(?<=[特区類类分级性个鉴识辨判差告])[别別]|[别別](?=[人的名墅处])"
    "|莫(?=名|斯)|沉没|淹没|休(?=息|假|眠)"
)
"""Chinese words that are written with such a character and deny nothing."""
_FILLERS = frozenset(
    ("ever", "to", "be", "been", "being", "a", "an", "the", "any", "longer", *"要得可能许准应该会再必允")
)
"""Words between a negation and what it denies."""
_HAN_RUN = re.compile("[^\\W\\da-z_不没無无未勿莫非别別毋休禁]{1,4}")
"""As much of a text without spaces as tells what is denied: 不喜欢茶 is not 不喜欢咖啡."""
_TOKEN = re.compile(rf"(?P<no>(?<![a-z])(?:{_ENGLISH})(?![a-z])|{_CHINESE})|(?P<word>[a-z0-9_]+|[^\W_])")


@lru_cache(4096)
def negations(text: str) -> tuple[str, ...]:
    """What each negation of the text denies, sorted: `never push` and `must not push` both deny `push`.

    "" stands for a negation that nothing follows. The word after the negation stands for all that it denies, in Chinese
    the next four characters.
    """
    found: list[str] = []
    waits = False
    said = _OTHERWISE.sub("　", plain(text))
    for token in _TOKEN.finditer(said):
        if token["no"]:
            found += [""] if waits else []
            waits = True
        elif waits and token["word"] not in _FILLERS:
            run = _HAN_RUN.match(said, token.start())
            found.append(run[0] if run else token["word"])
            waits = False
    return tuple(sorted([*found, ""] if waits else found))


def same_denials(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two texts deny the same; of Chinese words one may go on where the other text ends."""
    return len(some) == len(others) and all(map(_same, some, others))


def _same(one: str, other: str) -> bool:
    ends = not one.isascii() and not other.isascii() and (one.startswith(other) or other.startswith(one))
    return one == other or ends


def affirmed(text: str) -> str:
    """The text without what denies: `never push` and `push` are about the same."""
    return _TOKEN.sub(lambda found: " " if found["no"] else found[0], plain(text))


def plain(text: str) -> str:
    """The text in one form for comparing: composed, lower case, straight apostrophes."""
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'")
