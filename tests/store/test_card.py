"""Card numbers are secrets; order numbers, timestamps and the cards of test manuals are not."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.card import card_numbers
from store.secret import MASK, find_secrets, mask

VISA = "4539 5787 6362 " + "1486"
AMEX = "3714 496353 " + "98439"


def luhn(digits: str) -> str:
    """The digits with their check digit."""
    for check in "0123456789":
        total = sum(
            (2 * int(d) - 9 if 2 * int(d) > 9 else 2 * int(d)) if at % 2 else int(d)
            for at, d in enumerate(reversed(digits + check))
        )
        if total % 10 == 0:
            return digits + check
    raise AssertionError


def grouped(digits: str, separator: str = " ") -> str:
    """Fifteen or sixteen digits as they stand on the card."""
    cuts = (0, 4, 10, 15) if len(digits) == 15 else (0, 4, 8, 12, 16)
    return separator.join(digits[start:end] for start, end in itertools.pairwise(cuts))


@pytest.mark.parametrize("separator", [" ", "-", "\xa0"])
@pytest.mark.parametrize("start", ["4539", "5312", "2221", "2720", "6011", "6511", "6221", "3530", "3487", "3712"])
def test_a_card_number_in_its_groups_is_masked(start: str, separator: str) -> None:
    length = 14 if start[:2] in {"34", "37"} else 15
    card = grouped(luhn((start + "987654321098765")[:length]), separator)
    assert find_secrets(f"pay with {card}, ok") == ("card number",)
    assert mask(f"卡号{card}。") == f"卡号{MASK}。"


@pytest.mark.parametrize(
    "text",
    [
        VISA.replace(" ", ""),
        grouped("4539578763621487"),
        grouped(luhn("112233445566778")),
        f"DE89 {VISA}",
        f"{VISA} 1234",
        "4539 5787-6362 " + "1486",
        "test with 4242 4242 4242 4242 and 4000 0025 0000 3155",
        "test with 5555-5555-5555-4444, 3782 822463 10005 or 4111 1111 1111 1111",
        "at 1777629600000",
        "12345678-1234-1234-1234-123456789012",
        f"x{VISA}",
    ],
)
def test_other_long_numbers_are_left_alone(text: str) -> None:
    assert find_secrets(text) == ()


@given(st.from_regex(r"[0-9]{4}([ -][0-9]{4}){1,5}|[0-9]{12,20}", fullmatch=True))
def test_property_only_whole_grouped_numbers_with_a_right_check_digit_are_cards(text: str) -> None:
    for start, end in card_numbers(text):
        digits = "".join(char for char in text[start:end] if char.isdigit())
        assert (start, end) == (0, len(text)) and luhn(digits[:-1]) == digits and len(digits) in {15, 16}
