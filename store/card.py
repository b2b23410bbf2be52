"""Numbers of payment cards, told from the many other long numbers that people write.

A class beyond `spec/extraction.md` §23.7. One random number in ten passes a card's check digit, timestamps in
milliseconds among them, so only what is written in a card's groups and begins like an issuer's is taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_GROUPS = re.compile(
    r"(?<![0-9A-Za-z_.+-])(?<![0-9][ \xa0-])"
    r"(?:[2-6][0-9]{3}([ \xa0-])[0-9]{4}\1[0-9]{4}\1[0-9]{4}|3[47][0-9]{2}([ \xa0-])[0-9]{6}\2[0-9]{5})"
    r"(?![0-9A-Za-z_]|[ \xa0-][0-9])"
)
"""Four groups of four digits, or American Express's three, with one separator throughout, apart from other numbers."""
_ISSUERS = re.compile(
    r"4|5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|3[47]|35(?:2[89]|[3-8])|6011|64[4-9]|65|62", re.ASCII
)
"""First digits of Visa, Mastercard, American Express, JCB, Discover and UnionPay."""
_TESTS = re.compile(
    "400000|4242424242424242|4111111111111111|4012888888881881|5555555555554444|5200828282828210|5105105105105100|2223003122003222"
    "|378282246310005|371449635398431|6011111111111117|6011000990139424|3566002020360505|6200000000000(?:005|047)"
)
"""Numbers that payment services publish for tests: a developer may well want these remembered."""


def card_numbers(text: str) -> Iterator[tuple[int, int]]:
    """The spans of payment card numbers in a text; time is linear in it."""
    for hit in _GROUPS.finditer(text):
        digits = re.sub("[^0-9]", "", hit[0])
        if _ISSUERS.match(digits) and not _TESTS.match(digits) and _checks(digits):
            yield hit.span()


def _checks(digits: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, Luhn's formula)."""
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits))]
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0
