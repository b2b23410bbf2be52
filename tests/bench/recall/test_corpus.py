"""The generated bank and what is typed over it."""

from __future__ import annotations

from collections import Counter
from functools import cache

from store.memory import DEFAULT_SCOPES
from tests.bench.recall.corpus import LONGEST, SHORTEST, Row, memories, rows
from tests.bench.recall.cutting import cut, is_cjk
from tests.bench.recall.typing import CLASSES, HOSTILE, finds, hostile, sessions, typos

COUNT = 1_000


@cache
def bank() -> list[Row]:
    return rows(COUNT)


def test_a_bank_is_the_same_in_every_run_and_a_larger_one_begins_with_it() -> None:
    assert rows(50) == bank()[:50]
    assert rows(50, seed=8) != bank()[:50]
    assert bank()[0].id == "m000000" and bank()[0].text.startswith("就烙酌的的了市场如果了会版本")


def test_rows_are_of_the_promised_length_and_languages() -> None:
    sizes = sorted(len(row.text) for row in bank())
    assert sizes[0] >= SHORTEST and sizes[-1] <= LONGEST
    assert 150 <= sizes[COUNT // 2] <= 250 and sizes[-1] > 800
    english = sum(not any(map(is_cjk, row.text)) for row in bank())
    mixed = sum(any(map(is_cjk, row.text)) and any(word in row.text for word in (" the ", " of ")) for row in bank())
    assert 0.52 * COUNT < english < 0.66 * COUNT and mixed > 0.03 * COUNT
    assert any("src/" in row.text for row in bank()) and any("_" in row.text for row in bank())


def test_most_words_are_rare_and_a_few_are_everywhere() -> None:
    held = Counter(token for row in bank() for token in set(cut(row.text)))
    assert held.most_common(1)[0][1] > COUNT // 3
    assert len(held) > 6 * COUNT and sum(times == 1 for times in held.values()) > len(held) // 3


def test_rows_are_memories_of_a_bank() -> None:
    made = list(memories(bank()[:20]))
    assert len({memory.id for memory in made}) == len({memory.sha for memory in made}) == 20
    assert all(memory.type in DEFAULT_SCOPES and memory.statement and memory.owner for memory in made)


def test_sessions_are_typed_one_character_at_a_time_and_never_twice_the_same() -> None:
    typed = sessions(bank(), seed=1)
    assert len(typed) == 48 and {key.of for session in typed for key in session} == set(CLASSES)
    for session in typed:
        last = session[-1].text
        assert [key.text for key in session] == [last[:end] for end in range(1, len(last) + 1) if last[end - 1] != " "]
    assert typed == sessions(bank(), seed=1) and typed != sessions(bank(), seed=2)


def test_a_typo_is_one_edit_and_no_word_of_the_bank() -> None:
    tried = typos(bank(), count=100)
    assert len(tried) == 100 and tried == typos(bank(), count=100)
    words = {word for row in bank() for word in cut(row.text)}
    for typo in tried:
        assert typo.typed not in words and typo.meant in words
        assert typo.typed in _edits(typo.meant)


def test_a_typo_is_found_where_the_meant_word_stands() -> None:
    typo = typos(bank(), count=1)[0]
    where = [at for at, row in enumerate(bank()) if typo.meant in row.text.lower()]
    elsewhere = [at for at in range(COUNT) if at not in where]
    assert finds(typo, bank(), [elsewhere[0], where[0]]) and not finds(typo, bank(), elsewhere[:5])


def test_hostile_queries_are_as_many_as_promised_and_the_same_ones() -> None:
    assert len(hostile()) == HOSTILE and hostile() == hostile()
    together = "".join(hostile())
    assert all(sign in together for sign in '"-:\x00\ud800🇨🇳م北ＡΩ\u200b')


def _edits(word: str) -> set[str]:
    """Everything that one replaced, missing, added or exchanged letter makes of a word."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return {
        *(head + rest[1:] for head, rest in cuts if rest),
        *(head + letter + rest[1:] for head, rest in cuts if rest for letter in letters),
        *(head + letter + rest for head, rest in cuts for letter in letters),
        *(head + rest[1] + rest[0] + rest[2:] for head, rest in cuts if len(rest) > 1),
    }
