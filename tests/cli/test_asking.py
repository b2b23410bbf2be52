"""`recall` and `list` for whoever writes more than words: operators, slips, words left out, a model that is away."""

from __future__ import annotations

import socket

import pytest

from pipeline.worker import Worker
from store.index.search import searching
from tests.cli.desk import Desk


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk("config", "set", "meaning", "off")
    desk.remember("FACT", "vpn", "The database is behind the vpn")
    desk.remember("FACT", "lunch", "green tea and soup at noon")
    desk.remember("PREF", "tea", "green tea before noon", "--owner", "aria")
    desk.remember("PREF", "tone", "brief answers", "--owner", "lan")
    return desk


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a server that does not run; asking it by litellm, which takes seconds to start, is a failure."""

    def started(*_: object) -> None:
        raise AssertionError("litellm was started")

    monkeypatch.setattr(Worker, "call", started)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


# --- operators


def test_operators_without_words_list_what_passes_them_by_utility(filled: Desk) -> None:
    for _ in range(3):
        filled("recall", "brief")
    found = filled.json("recall", "type:pref", "--no-usage").json
    assert ([memory["subject"] for memory in found["memories"]], found["total"]) == (["tone", "tea"], 2)
    assert "wordless" not in found
    assert filled.json("recall", "type:pref owner:aria", "--no-usage").subjects == ["tea"]
    assert filled.json("recall", "", "--no-usage").json["total"] == 4


def test_a_limit_counts_what_passed_and_an_agent_gets_what_it_may_read(filled: Desk) -> None:
    answer = filled("recall", "type:pref", "--limit", "1", "--no-usage")
    assert (len(answer.out.splitlines()), answer.err) == (1, "1 of 2 shown; --limit shows more.\n")
    assert filled.json("recall", "type:pref", "--as", "aria", "--no-usage").subjects == ["tea"]
    assert filled("recall", "type:bound").err == "No memory matches.\n"


def test_a_query_of_signs_alone_says_that_it_has_no_words(filled: Desk) -> None:
    answer = filled("recall", "!!!")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == "There are no searchable words in the query; write one that says what to look for.\n"
    assert filled.json("recall", "!!!").json["wordless"] is True


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("vpn is:archived", "Recall reads live memories only; list the others with `memdesk list is:archived`."),
        ("vpn is:trash", "Recall reads live memories only; list the others with `memdesk list is:trash`."),
        ("is:pending", "is:pending are proposals, no memories; list them with `memdesk review`."),
        ("on call sort:time", "Recall goes by score; another order is `memdesk list sort:time`."),
        ("typ:pref tea", "typ:pref means nothing; write type: for that, or put it in quotes to look for the words."),
        ("tea before:foo", "before:foo means nothing; write a date as 2026, 2026-10 or 2026-10-12."),
    ],
)
def test_what_recall_cannot_do_is_refused_with_what_to_do_instead(filled: Desk, query: str, sentence: str) -> None:
    answer = filled("recall", query)
    assert (answer.code, answer.out, answer.err) == (2, "", sentence + "\n")
    refused = filled("recall", query, "--json").json["error"]
    assert f"{refused['message']}; {refused['todo']}" == sentence


def test_other_rankers_take_the_query_as_it_is(filled: Desk) -> None:
    assert filled("recall", "vpn sort:time", "--ranker", "yotta", "--no-usage").code == 0
    assert filled.json("recall", "tea sort:relevance", "--no-usage").subjects


def test_a_list_that_is_empty_says_so(filled: Desk) -> None:
    for words in (["owner:nobody"], ["zebra"], ["--type", "bound"], ["--state", "trash"]):
        answer = filled("list", *words)
        assert (answer.code, answer.out, answer.err) == (0, "", "No memory matches.\n")
    answer = filled("list", "owner:nobody", "--json")
    assert (answer.code, answer.memories, answer.err) == (0, [], "")


# --- words as a shell gives them


@pytest.mark.parametrize(
    ("verb", "words"),
    [("list", ["-type:fact"]), ("recall", ["-tea green"]), ("recall", ["-x"]), ("suggest", ["-lunch", "tea"])],
)
def test_a_word_with_a_minus_in_front_is_told_where_to_stand(filled: Desk, verb: str, words: list[str]) -> None:
    answer = filled(verb, *words)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert f"put -- before words that begin with a minus, as `memdesk {verb} -- -lunch tea`" in answer.err
    assert "Put -- before words that begin with a minus." in " ".join(filled(verb, "--help").out.split())
    assert filled(verb, "--", "-lunch", "tea").code == 0


def test_a_mistyped_option_is_told_as_before(filled: Desk) -> None:
    assert "minus" not in filled("list", "--lmit", "3").err
    assert "minus" not in filled("show", "-x").err


def test_words_left_out_stand_behind_two_dashes(filled: Desk) -> None:
    assert filled.json("recall", "--no-usage", "--json", "--", "-lunch", "green").subjects == ["tea"]


def test_recall_takes_several_words_as_list_does(filled: Desk) -> None:
    apart, whole = (
        filled.json("recall", *words, "--no-usage") for words in (["tea", "green", "noon"], ["tea green noon"])
    )
    assert apart.json == whole.json
    assert apart.json["query"] == "tea green noon"


# --- a word that stands nowhere


def test_a_mistyped_word_is_not_corrected_but_what_may_have_been_meant_is_named(filled: Desk) -> None:
    answer = filled("recall", "databse")
    assert (answer.code, answer.out, answer.err) == (0, "", "No memory has 'databse' (perhaps database was meant).\n")
    answer = filled("recall", "gren", "databse", "tea", "--no-usage")
    assert "green tea before noon" in answer.out
    assert answer.err == "No memory has 'gren' (perhaps green was meant) or 'databse' (perhaps database was meant).\n"


def test_with_meaning_the_same_sentence_says_that_the_nearest_are_shown(filled: Desk) -> None:
    filled("config", "set", "meaning", "bundled")
    filled.remember("FACT", "storage", "databases")
    answer = filled("recall", "databsae", "--no-usage")
    assert answer.out
    said = "No memory has 'databsae' (perhaps database or databases was meant); these are the nearest in meaning.\n"
    assert answer.err == said


def test_an_agent_is_named_no_word_that_it_may_not_read(filled: Desk) -> None:
    assert "answers" in filled("recall", "answrs", "--as", "lan").err
    assert filled("recall", "answrs", "--as", "aria").err == "No memory matches.\n"


# --- an embedding model whose server is away


def test_a_server_that_does_not_run_is_one_sentence_at_once_and_words_find(filled: Desk, nowhere: str) -> None:
    filled("config", "set", "meaning", "openai/scripted")
    filled("config", "set", "meaning_api_base", nowhere)
    for _ in range(2):
        answer = filled("recall", "green tea", "--no-usage")
        assert (answer.code, len(answer.out.splitlines())) == (0, 2)
        assert answer.err == f"The server of openai/scripted at {nowhere} cannot be reached; check that it runs.\n"


@pytest.mark.parametrize(
    "address", ["nonsense", "localhost:11434", "ftp://host/x", "http://", "http://a b", "http://x:y"]
)
def test_an_address_that_names_no_server_is_refused(desk: Desk, address: str) -> None:
    answer = desk("config", "set", "meaning_api_base", address)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == f"meaning_api_base is an address that begins with http:// or https://; {address!r} is none.\n"
    for good in ("http://localhost:11434", "https://example.com/v1", ""):
        assert desk("config", "set", "meaning_api_base", good).code == 0


def test_every_memory_is_searched_while_another_program_makes_the_index(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own index would be of the newest memories alone, and nobody who reads a file of answers would know."""
    monkeypatch.setattr(searching, "AT_ONCE", 1)
    monkeypatch.setattr("tui.cli.indexed.rebuild", lambda *_: False)
    assert filled.json("recall", "green tea", "--no-usage").json["total"] == 2
    assert filled.json("recall", "vpn", "--no-usage").subjects == ["vpn"]
