"""`list`, `recall` and `show`: what they print for people and for programs."""

from __future__ import annotations

import pytest

from tests.cli.desk import Desk, entry, tree

KEYS = [
    *("id", "type", "label", "subject", "statement", "scope", "owner", "tags", "source"),
    *("created", "updated", "state", "immutable", "utility", "importance"),
]


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "Fires at 1240 C", "--tag", "pottery", "--source", "chat")
    desk.remember("PREF", "tone", "brief answers", "--owner", "aria")
    desk.remember("FACT", "glaze", "celadon")
    return desk


def test_list_prints_one_line_for_each_memory(filled: Desk) -> None:
    answer = filled("list")
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "FACT    facts/2026/10/2026-10-12-0001.md  kiln: Fires at 1240 C",
        "FACT    facts/2026/10/2026-10-12-0002.md  glaze: celadon",
        "PREF    private/aria/prefs/2026/10/2026-10-12-0001.md  tone: brief answers",
    ]
    assert answer.err == ""


def test_a_memory_has_the_same_keys_in_every_answer(filled: Desk) -> None:
    for words in (("list",), ("recall", "kiln"), ("show", "facts/2026/10/2026-10-12-0001.md")):
        memory = filled.json(*words).memories[0]
        assert list(memory)[: len(KEYS)] == KEYS
    assert memory["tags"] == ["pottery"]
    assert (memory["source"], memory["scope"], memory["state"]) == ("chat", "public", "live")


@pytest.mark.parametrize(
    ("words", "subjects"),
    [
        (("celadon",), ["glaze"]),
        (("type:PREF",), ["tone"]),
        (("--type", "fact"), ["kiln", "glaze"]),
        (("tag:pottery",), ["kiln"]),
        (("owner:aria",), ["tone"]),
        (("type:FACT -celadon",), ["kiln"]),
        (("--limit", "1"), ["kiln"]),
        (("--state", "trash"), []),
        (("nothing-like-it",), []),
        (("cel",), ["glaze"]),
        (("eladon",), []),
        (("id:2026-10-12-0002",), ["glaze"]),
        (("kiln", "1240 c"), ["kiln"]),
        (('"fires at" -tone',), ["kiln"]),
        (("is:private",), ["tone"]),
        (("sort:type",), ["kiln", "glaze", "tone"]),
        (("sort:time", "type:fact,pref"), ["kiln", "glaze", "tone"]),
        (("sort:use -is:private",), ["kiln", "glaze"]),
        (("is:trash",), []),
    ],
)
def test_list_filters_as_the_screen_does(filled: Desk, words: tuple[str, ...], subjects: list[str]) -> None:
    assert filled.json("list", *words).subjects == subjects


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("list", "before:foo"), "before:foo means nothing; write a date as 2026, 2026-10 or 2026-10-12."),
        (("list", "kiln", "before:2026-13-45"), "before:2026-13-45 means nothing; write a date as"),
        (("list", "type:nonsense"), "type:nonsense means nothing; write type: with one of FACT, PREF, BOUND, COMMIT."),
        (("list", "typ:pref"), "typ:pref means nothing; write type: for that, or put it in quotes"),
        (("list", "is:pending"), "is:pending are proposals, no memories; list them with `memdesk review`."),
        (("list", "sort:relevance"), "A list has no relevance; rank the memories with `memdesk recall`."),
        (("list", "--type", "X"), "There is no type 'X'; use one of FACT, PREF, BOUND, COMMIT."),
        (("recall", "kiln", "--type", "X"), "There is no type 'X'; use one of FACT, PREF, BOUND, COMMIT."),
        (("recall", "kiln", "--limit", "-3"), "Invalid value for '--limit': -3 is not in the range x>=0;"),
        (("review", "--kind", "foo"), "There is no kind 'foo'; use one of fact, profile, insight, suggestion,"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_and_not_answered_with_nothing(
    filled: Desk, words: tuple[str, ...], sentence: str
) -> None:
    answer = filled(*words)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert answer.err.startswith(sentence)


def test_a_type_may_be_written_small_in_a_recall_and_a_kind_that_waits_for_nothing_is_none(filled: Desk) -> None:
    assert filled.json("recall", "kiln", "--type", "fact", "--no-usage").subjects[0] == "kiln"
    assert filled.json("recall", "kiln", "--type", "bound", "--no-usage").subjects == []
    assert filled("review", "--kind", "edit").out == "Nothing waits.\n"


def test_a_word_left_out_can_stand_first_behind_two_dashes(filled: Desk) -> None:
    answer = filled("list", "--", "-celadon", "type:FACT")
    assert answer.out.splitlines() == ["FACT    facts/2026/10/2026-10-12-0001.md  kiln: Fires at 1240 C"]


def test_the_total_counts_what_a_limit_cuts(filled: Desk) -> None:
    assert filled.json("list", "--limit", "1").json["total"] == 3


def test_recall_says_how_it_ranked(filled: Desk) -> None:
    found = filled.json("recall", "kiln").json
    assert list(found) == ["schema", "ranker", "query", "memories", "total"]
    assert (found["ranker"], found["query"]) == ("hybrid", "kiln")
    memory = found["memories"][0]
    assert memory["subject"] == "kiln"
    assert {"score", "final", "why"} <= set(memory)
    assert "explain" not in memory


def test_recall_explains_in_words(filled: Desk) -> None:
    answer = filled("recall", "kiln", "--explain")
    first, *why = answer.out.splitlines()
    assert "kiln: Fires at 1240 C" in first
    assert why[0].startswith("        has 'kiln' (+")
    explained = filled.json("recall", "kiln", "--explain").memories[0]["explain"]
    assert (explained["ranker"], explained["memory"]["standing"]) == ("hybrid", "keep")
    assert explained["parts"][0]["found"] == "kiln"


def test_recall_of_nothing_is_no_fault(filled: Desk) -> None:
    filled("config", "set", "meaning", "off")
    answer = filled("recall", "zzzz")
    assert (answer.code, answer.out, answer.err) == (0, "", "No memory matches.\n")
    assert filled.json("recall", "zzzz").memories == []


def test_what_is_only_near_in_meaning_is_found_in_another_language_and_told_to_be_so(filled: Desk) -> None:
    assert filled("remember", "FACT", "tea", "I like green tea").code == 0
    answer = filled("recall", "喜欢绿茶", "--explain")
    assert answer.err == "No memory has a word of it; these are the nearest in meaning.\n"
    first, *why = answer.out.splitlines()
    assert "tea: I like green tea" in first
    assert why[0].startswith("        is near in meaning (+")


def test_a_year_has_four_digits(filled: Desk) -> None:
    answer = filled("recall", "kiln", "--year", "26")
    assert (answer.code, answer.err) == (2, "A year has four digits, like 2026; '26' has not.\n")


def test_show_prints_the_memory_with_its_history(filled: Desk) -> None:
    answer = filled("show", "facts/2026/10/2026-10-12-0001.md")
    assert answer.out.splitlines() == [
        "FACT  facts/2026/10/2026-10-12-0001.md  live",
        "kiln",
        "Fires at 1240 C",
        "scope       public",
        "tags        pottery",
        "source      chat",
        "created     2026-10-12",
        "updated     2026-10-12",
        "change 1  2026-10-12T12:00:00.000Z  remember kiln  you",
    ]


def test_show_as_json_has_body_path_and_history(filled: Desk) -> None:
    (memory,) = filled.json("show", "facts/2026/10/2026-10-12-0001.md").memories
    assert (memory["body"], memory["path"]) == ("Fires at 1240 C", "facts/2026/10/2026-10-12-0001.md")
    (change,) = memory["history"]
    assert (change["change"], change["by"], change["origin"]) == (1, "you", "script")
    assert [touched["id"] for touched in change["memories"]] == ["facts/2026/10/2026-10-12-0001.md"]


def test_show_raw_is_the_file_to_the_byte(filled: Desk) -> None:
    id = "facts/2026/10/2026-10-12-0001.md"
    assert filled("show", id, "--raw").out.encode() == tree(filled.root)[id]
    both = filled("show", id, "--raw", "--json")
    assert both.code == 2
    assert both.json["error"] == {
        "message": "--raw prints a file and --json an object",
        "todo": "give one of them.",
    }


@pytest.mark.parametrize("reference", ["2026-10-12-0002.md", "2026-10-12-0002", "facts/2026/10/2026-10-12-0002.md"])
def test_a_memory_is_named_by_its_path_or_its_file_name(filled: Desk, reference: str) -> None:
    assert filled.json("show", reference).subjects == ["glaze"]


def test_a_name_in_two_folders_lists_both(filled: Desk) -> None:
    answer = filled("show", "2026-10-12-0001")
    assert answer.code == 2
    assert answer.err == (
        "'2026-10-12-0001' names 2 memories; give one of: "
        "facts/2026/10/2026-10-12-0001.md, private/aria/prefs/2026/10/2026-10-12-0001.md.\n"
    )


def test_an_unknown_id_is_one_sentence(filled: Desk) -> None:
    answer = filled("show", "nowhere.md", "--json")
    sentence = "There is no memory 'nowhere.md'; use an id that `memdesk list` prints."
    wrong, _, todo = sentence.partition("; ")
    assert (answer.code, answer.err) == (2, sentence + "\n")
    assert answer.json == {"schema": 1, "error": {"message": wrong, "todo": todo}}


USED = "facts/2026/10/2026-10-12-0001.md"


@pytest.mark.parametrize(
    ("words", "uses"),
    [
        (("recall", "kiln"), 1),
        (("recall", "kiln", "--no-usage"), 0),
        (("recall", "kiln", "--explain"), 0),
        (("--read-only", "recall", "kiln"), 0),
        (("list", "kiln"), 0),
        (("show", USED, "--explain"), 0),
    ],
)
def test_only_recall_counts_as_a_use(filled: Desk, words: tuple[str, ...], uses: int) -> None:
    assert filled(*words).code == 0
    assert filled.json("show", USED, "--explain").json["explain"]["access_count"] == uses


def test_list_and_show_value_a_memory_with_its_uses(filled: Desk) -> None:
    before = filled.json("show", USED).memories[0]["utility"]
    for _ in range(5):
        filled("recall", "kiln")
    after = filled.json("show", USED).memories[0]["utility"]
    assert after > before
    assert [memory["utility"] for memory in filled.json("list", "kiln").memories] == [after]


def test_a_file_that_cannot_be_read_is_told_and_the_rest_is_listed(filled: Desk) -> None:
    broken = filled.root / "facts" / "2026" / "10" / "broken.md"
    broken.write_bytes(b"---\ntype: FACT\nsubject: x\n" + b"x: " + b"y" * 70_000 + b"\n---\nbody\n")
    answer = filled("list")
    assert (answer.code, len(answer.out.splitlines())) == (0, 3)
    assert answer.err.startswith("facts/2026/10/broken.md: ")
    (problem,) = filled.json("list").json["problems"]
    assert problem["path"] == "facts/2026/10/broken.md"


def test_an_agent_hears_of_its_own_broken_files_alone(filled: Desk) -> None:
    for owner in ("aria", "lan"):
        path = filled.root / "private" / owner / "prefs" / "broken.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"---\nx: " + b"y" * 70_000 + b"\n---\n")
    problems = filled.json("list", "--as", "aria").json["problems"]
    assert [problem["path"] for problem in problems] == ["private/aria/prefs/broken.md"]


def test_memories_of_other_engines_are_read_as_they_are(filled: Desk) -> None:
    entry(filled.root, "facts/2026-01-02-0003.md", "flat and old", subject="old", created="2026-01-02")
    assert filled.json("show", "2026-01-02-0003").subjects == ["old"]
