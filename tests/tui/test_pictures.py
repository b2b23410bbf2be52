"""The pictures show what the program shows."""

from __future__ import annotations

import pytest

from tests.tui.pictures import PICTURES, SIZES, Picture, mark, places, taken


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.mode)
def test_a_picture_shows_the_screen_as_it_is_now(picture: Picture, size: tuple[int, int]) -> None:
    """Stale? Look at the difference, and when it is meant, run `make screenshots`."""
    text, _ = taken(picture, size)
    text_place, svg_place = places(picture, size)
    assert text_place.read_text(encoding="utf-8") == text + "\n"
    assert svg_place.read_text(encoding="utf-8").rstrip().endswith(mark(text))


def test_a_picture_asks_for_nothing_from_the_network() -> None:
    for picture in PICTURES:
        for size in SIZES:
            assert "url(" not in places(picture, size)[1].read_text(encoding="utf-8").replace("url(#", "")
