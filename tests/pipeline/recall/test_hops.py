"""An answer in pieces: what the best memories speak of leads to the others, and several moments come up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from pipeline.recall.answering import Similar, ask
from pipeline.recall.encoding.encoders import Floats
from pipeline.recall.encoding.question import Questions
from pipeline.recall.explain import why
from pipeline.recall.filtering.query import parse
from pipeline.recall.formula.hybrid import Ranked, rank_rows
from pipeline.recall.formula.meaning import Meaning
from pipeline.recall.formula.several import asks_for_several
from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.weights import WEIGHTS, Weights
from pipeline.recall.found import find
from pipeline.recall.hits import Recall
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.index.search.aligned import Aligned, Late
from store.index.search.building import build
from store.index.search.doc import Doc
from store.index.search.index import SearchIndex
from store.index.search.meant import Meant, entry_of
from store.index.search.strings import Strings
from store.index.search.vectors import quantised, vectors_of
from store.memory import Memory
from store.view import View

TODAY = date(2026, 10, 12)


def memory(name: str, text: str, evidence: str = "", **more: str) -> Memory:
    path = f"facts/{name}.md"
    return replace(Memory(path, path, name.ljust(64, "0"), statement=text, evidence=evidence), **more)  # type: ignore[arg-type]


KILN = memory("kiln", "The pottery course has a kiln at Ashdown.")
TWO = memory("two", "A pottery course with friends is fun, says Noor.")
THREE = memory("three", "Pottery is sold on Sundays at Farhill.")
LEADS = memory("leads", "Pottery is sold on Sundays at Ashdown.")
AWAY = memory("away", "The train to Ashdown is slow.")
BANK = (KILN, TWO, THREE, LEADS, AWAY)


class Letters:
    """An encoder that tells texts apart by their letters."""

    id, dim = "letters@1", 64

    def encode(self, texts: Sequence[str], kind: str = "entry") -> Floats:
        counted = np.array([np.bincount([ord(sign) % self.dim for sign in text], minlength=self.dim) for text in texts])
        return (counted / np.linalg.norm(counted, axis=1)[:, None]).astype(np.float32)

    def close(self) -> None:
        """Nothing is held."""


def asked(memories: tuple[Memory, ...], query: str, agent: str | None = None, *, meaning: bool = True) -> Recall:
    searchable, encoder = Searchable.of(View.of(memories)), Letters()
    followed, meant = searchable.followed, Meant(None, encoder.id)
    rows = [row for one in memories if (row := followed.row(one.id)) is not None]
    meant.add([entry_of(followed, row) for row in rows], encoder.encode([one.statement for one in memories]))
    similar = Similar(meant, Questions(encoder)) if meaning else None
    return ask(searchable, query, Within(TODAY, agent), similar=similar)


def ranked(index: SearchIndex, texts: Mapping[str, str], query: str, weights: Weights = WEIGHTS) -> Ranked:
    """What an agent is answered, over an index whose entries are named in `texts`."""
    encoder, keys = Letters(), [index.key(row) for row in range(len(index))]
    rows, scales = quantised(encoder.encode([texts[key] for key in keys]))
    vectors = vectors_of(encoder.id, (Strings.of(keys), Strings.of(keys)), rows, scales)
    late = Late(np.zeros((0, encoder.dim), np.int8), np.zeros(0, np.float32))
    meaning = Meaning(Aligned(vectors, late, np.arange(len(index))), encoder.encode([query])[0])
    return rank_rows(Sight(index), query, 9, texts=lambda row: texts[keys[row]], meaning=meaning, weights=weights)


def names(found: Recall) -> list[str]:
    return [hit.memory.id.removeprefix("facts/").removesuffix(".md") for hit in found.hits]


def said(found: Recall, name: str) -> str:
    return next("\n".join(why(hit)) for hit in found.hits if hit.memory.id == f"facts/{name}.md")


def test_what_speaks_of_the_same_rare_thing_as_the_best_comes_before_what_does_not() -> None:
    found = asked(BANK, "pottery course")
    assert names(found).index("leads") < names(found).index("three")
    assert "has 'ashdown', as the best hits do" in said(found, "leads")


def test_words_that_lead_on_find_nothing_by_themselves() -> None:
    assert not any(
        "as the best hits do" in said(asked(BANK, "pottery course"), name) for name in ("kiln", "two", "three")
    )
    assert "away" not in names(asked(BANK, "pottery course", meaning=False))


def test_without_meaning_there_is_no_second_round() -> None:
    assert "as the best hits do" not in said(asked(BANK, "pottery course", meaning=False), "leads")


def test_who_types_gets_no_second_round() -> None:
    searchable = Searchable.of(View.of(BANK))
    typed = find(searchable, parse("pottery course "), "relevance", 10).ranked
    assert typed is not None
    assert typed.hops is None


def test_a_word_that_everybody_uses_leads_nowhere() -> None:
    many = tuple(memory(f"m{at}", f"Ashdown report {at} of the council.") for at in range(120))
    found = asked((KILN, TWO, THREE, LEADS, *many), "pottery course")
    assert not any("as the best hits do" in line for hit in found.hits for line in why(hit))


def test_of_equal_best_ones_none_leads_on() -> None:
    same = tuple(memory(f"s{at}", "Pottery by the kiln.") for at in range(4))
    found = asked((*same, memory("other", "Pottery, they say, and a kiln.")), "pottery")
    assert not any("as the best hits do" in line for hit in found.hits for line in why(hit))


def test_what_an_agent_may_not_read_leads_to_nothing() -> None:
    secret = memory("secret", "Pottery course of Ashdown, Ashdown.", scope="private", owner="mara")
    for query in ("pottery course", "which pottery is sold"):
        theirs, without = asked((*BANK, secret), query, "lan"), asked(BANK, query, "lan")
        assert names(theirs) == names(without)
        assert [hit.final for hit in theirs.hits] == pytest.approx([hit.final for hit in without.hits])


def test_chinese_leads_on_by_its_pairs() -> None:
    bank = (
        memory("1", "陶艺课在青石镇的旧窑厂。"),
        memory("2", "陶艺课很有意思,朋友们都说好。"),
        memory("3", "陶艺作品周日在白云镇卖。"),
        memory("4", "陶艺作品周日在青石镇卖。"),
    )
    found = asked(bank, "陶艺课")
    assert names(found).index("4") < names(found).index("3")
    assert "as the best hits do" in said(found, "4")


def test_an_index_that_grew_leads_on_as_a_fresh_one() -> None:
    docs = [Doc(one.id, "0", one.statement) for one in BANK]
    texts = {doc.key: doc.text for doc in docs}
    given = []
    for index in (SearchIndex(build(docs)), SearchIndex(build(docs[1:3])).changed([], [docs[4], docs[3], docs[0]])):
        best = ranked(index, texts, "pottery course")
        assert best.hops is not None
        given.append({index.key(int(row)): float(score) for row, score in zip(best.rows, best.scores, strict=True)})
    assert list(given[0]) == list(given[1])
    assert given[0] == pytest.approx(given[1])


@pytest.mark.parametrize(
    ("query", "several"),
    [
        ("what books does she read", True),
        ("which European countries has she been to", True),
        ("how many times did they meet", True),
        ("what have they both painted", True),
        ("in what ways does he help", True),
        ("她去过哪些城市", True),
        ("what is her address", False),
        ("what was this about", False),
        ("where does she live", False),
        ("她住在哪里", False),
    ],
)
def test_a_query_for_several_things_is_told_from_one_for_one(query: str, several: bool) -> None:
    assert asks_for_several(query) == several


TURNS = (
    *(memory(f"a{at}", "We talked of her books and books.", f"dsh/s1#event:{at}") for at in (1, 2, 3, 4)),
    memory("b", "She read a few of the books at home, by the fire, that long winter.", "dsh/s2#event:1"),
)


def test_who_asks_for_several_sees_another_moment_before_more_of_the_same() -> None:
    one, several = asked(TURNS, "the books"), asked(TURNS, "what books are there")
    place = {query: names(found).index("b") for query, found in (("one", one), ("several", several))}
    assert place["one"] == 4
    assert place["several"] < place["one"]
    assert "stands close to better hits, and the query asks for several" in said(several, "a1") + said(several, "a4")
    assert "asks for several" not in said(one, "a1") + said(one, "a4")


def test_each_number_is_told() -> None:
    bank = (*BANK, *TURNS, memory("turn", "The pottery? By the fire.", "dsh/s2#event:1"))
    for query in ("what pottery courses are there", "which books of the winter", "pottery course"):
        for hit in asked(bank, query).hits:
            added = sum(part.value for part in hit.parts if "+" in part.words)
            for part in hit.parts:
                added *= part.value if "×" in part.words else 1
            assert added == pytest.approx(hit.final, rel=1e-4)


def test_the_weights_of_the_second_round_can_be_nothing() -> None:
    none = replace(WEIGHTS, hop=0.0, again=0.0)
    texts = {f"{at}": one.statement for at, one in enumerate(BANK)}
    index = SearchIndex(build([Doc(key, "0", text) for key, text in texts.items()]))
    bare, led = (ranked(index, texts, "pottery course", weights) for weights in (none, WEIGHTS))
    assert set(bare.rows.tolist()) == set(led.rows.tolist())
    assert max(led.scores) == max(bare.scores)
    assert bare.scores.tolist() != led.scores.tolist()


def test_a_model_that_was_replaced_by_one_of_another_size_is_a_sentence_and_words_go_on_finding() -> None:
    class Longer(Letters):
        dim = 96

    memories = (Memory("facts/1.md", "facts/1.md", "a" * 64, statement="The ferry leaves at noon."),)
    searchable, meant = Searchable.of(View.of(memories)), Meant(None, Letters.id)
    meant.add([entry_of(searchable.followed, 0)], Letters().encode(["The ferry leaves at noon."]))
    found = ask(searchable, "ferry", Within(TODAY), similar=Similar(meant, Questions(Longer())))
    assert [hit.memory.id for hit in found.hits] == ["facts/1.md"]
    assert any("replaced under its name" in note for note in found.notes)
