"""The numbers, weekdays and months that a text states, in English and Chinese, as values that can be compared.

They serve to tell that two texts differ in a number (ctx-D19); so a number read where there is none costs a look, one
that is passed over would cost a fact.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_OTHER: dict[str, float] = {
    **{"half": 0.5, "twice": 2, "double": 2, "thrice": 3, "triple": 3, "dozen": 12, "hundred": 100, "hundreds": 100},
    **{"thousand": 1000, "thousands": 1000, "million": 10**6, "millions": 10**6, "billion": 10**9},
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "june", "july", "august", "september", "october", "november")
_DAYS = {name: name[:3] for name in (*_WEEKDAYS, *_MONTHS, "december")}
"""Names of days and months, and what stands for each; `may` is more often another word."""
_WORDS: dict[str, float | str] = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: value for value, word in enumerate(_ORDINALS, 1)},
    **_TENS,
    **_OTHER,
    **_DAYS,
    **{f"{name}s": short for name, short in _DAYS.items() if name in _WEEKDAYS},
    **{short: short for short in ("mon", "tue", "wed", "thu", "fri", "jan", "feb", "apr", "jun", "jul", "aug", "sep")},
    **{"sept": "sep", "oct": "oct", "nov": "nov", "dec": "dec"},
}
_UNITS = {
    "ms": "ms|milliseconds?|毫秒",
    "s": "s|secs?|seconds?|秒钟?",
    "min": "mins?|minutes?|分钟?",
    "h": "h|hrs?|hours?|个?小时",
    "days": "d|days?|天",
    "weeks": "wks?|weeks?|周(?![一二三四五六日天末])|个?星期(?![一二三四五六日天])",
    "months": "months?|个月",
    "years": "yrs?|years?|年",
    "%": "%|percent",
    "kb": "ki?b",
    "mb": "mi?b",
    "gb": "gi?b",
    "tb": "ti?b",
    "kg": "kgs?|kilos?|公斤|千克",
    "g": "g|grams?|克",
    "km": "kms?|公里",
    "$": "usd|dollars?|美元",
    "€": "eur|euros?|欧元",
    "£": "gbp|pounds?|英镑",
    "¥": "cny|rmb|yuan|元|人民币",
}
_CURRENCIES = "$€£¥"
_UNIT = re.compile("[ -]?(?:" + "|".join(f"({words})" for words in _UNITS.values()) + ")(?![a-z])")
"""A unit right behind a number; each group is one of `_UNITS`, in their order."""
_DIGITS = dict(zip("零〇一二两三四五六七八九俩仨", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3), strict=True))
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
_HAN = "".join((*_DIGITS, *_SMALL, *_LARGE))
_FORMAL = str.maketrans("壹贰貳叁參肆伍陆陸柒捌玖拾佰仟萬億兩", "一二二三三四五六六七八九十百千万亿两")
_NO_NUMBER = re.compile(
    f"(?<![{_HAN}\\d])(?:一(?:定|起|样|般|直|律|致|下|些|旦|切|边|并|向|贯|步|方面|再|味)|万一(?![{_HAN}])"
    "|千万(?=不|别|要|勿|记|小心)|十分(?!钟|之))|(?:统|唯|单|逐|同|之|某|任|进|下|上)一(?:步)?|第一时间"
)
"""Chinese words that are written with a numeral and count nothing."""
_FOUND = re.compile(
    rf"(?P<digits>(?:(?<![A-Za-z0-9_])[-−])?(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?:\.\d+)*)"
    rf"(?P<scale>[{''.join((*_SMALL, *_LARGE))}]+|k\b)?"
    rf"|(?<![a-z])(?:(?P<tens>{'|'.join(_TENS)})[- ](?P<ones>{'|'.join(_ONES[1:10])})"
    rf"|(?P<word>{'|'.join(_WORDS)}))(?![a-z])"
    rf"|(?P<han>[{_HAN}]+)|(?P<half>半)"
)


Quantity = tuple[str, str]
"""A value and its unit; the unit is "" when none stands behind the number."""


@lru_cache(4096)
def measured(text: str) -> tuple[Quantity, ...]:
    """The quantities in the order of the text: `3 days`, `three days` and `三天` all state `("3", "days")`."""
    plain = _NO_NUMBER.sub("　", _latin_digits(unicodedata.normalize("NFKC", text)).translate(_FORMAL).lower())
    found: list[Quantity] = []
    at = 0
    while number := _FOUND.search(plain, at):
        unit = _UNIT.match(plain, number.end())
        found.append((_value(number), _unit(unit) or _sign(plain[: number.start()])))
        at = unit.end() if unit else number.end()
    return tuple(found)


def _unit(found: re.Match[str] | None) -> str:
    return list(_UNITS)[found.lastindex - 1] if found and found.lastindex else ""


def _sign(before: str) -> str:
    """The sign of a currency that stands before a number."""
    return before[-1] if before.rstrip(_CURRENCIES) != before else ""


def quantities(text: str) -> tuple[str, ...]:
    """The values without their units: `5k` states `5000`, `Fridays` states `fri`."""
    return tuple(value for value, _ in measured(text))


def same_quantity(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities may be the same: of the same value, and of the same unit where both name one."""
    return one[0] == other[0] and (one[1] == other[1] or not one[1] or not other[1])


def _latin_digits(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)


def _value(found: re.Match[str]) -> str:
    if found["digits"]:
        return _scaled(found["digits"].replace(",", "").replace("−", "-"), found["scale"] or "")
    if found["tens"]:
        return str(_TENS[found["tens"]] + _ONES.index(found["ones"]))
    if found["word"]:
        return str(_WORDS[found["word"]])
    return str(_han(found["han"])) if found["han"] else "0.5"


def _scaled(digits: str, scale: str) -> str:
    sign, bare = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, point, rest = bare.partition(".")
    plain = f"{whole.lstrip('0') or '0'}{point}{rest}"
    if not scale or rest.count("."):
        return sign + plain
    factor = 1000 if scale == "k" else _han("一" + scale)
    value = float(plain) * factor
    return sign + (str(int(value)) if value.is_integer() else str(value))


def _han(run: str) -> int:
    """The value of Chinese numerals: `十五` 15, `二〇二六` 2026, `三万二千` 32000."""
    if not any(one in _SMALL or one in _LARGE for one in run):
        return int("".join(str(_DIGITS[one]) for one in run))
    total = part = digit = 0
    largest = 1
    for one in run:
        if one in _DIGITS:
            digit = _DIGITS[one]
        elif one in _SMALL:
            part, digit = part + (digit or 1) * _SMALL[one], 0
        elif total and _LARGE[one] > largest:  # 一万亿: all that came before counts
            total, part, digit, largest = (total + part + digit) * _LARGE[one], 0, 0, _LARGE[one]
        else:
            total, part, digit, largest = total + (part + digit or 1) * _LARGE[one], 0, 0, _LARGE[one]
    return total + part + digit
