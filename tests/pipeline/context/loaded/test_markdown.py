"""What stands in a Markdown file: front matter, comments, code, links, imports, statements, each at its line."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.loaded.markdown import front, imports, spoken, statements, targets, without_comments

TEXT = st.text(st.sampled_from("ab @[]()<>!-`~#\n\t§.*|{}\\/:é\u202e"), max_size=200)


def said(text: str) -> list[tuple[int, str, str]]:
    """Line, section and text of every statement."""
    lines = text.split("\n")
    return [(one.line, one.section, one.text) for one in statements(spoken(lines), Path("x.md"), "x.md")]


def test_front_matter_that_is_no_yaml_still_yields_its_keys() -> None:
    lines = [
        "---",
        "name: style",
        "description: tabs: never",
        'title: "a: b"',
        "metadata: ",
        "  type: feedback",
        "---",
        "x",
    ]
    found, taken = front(lines)
    assert taken == 7
    assert found == {
        "name": "style",
        "description": "tabs: never",
        "title": "a: b",
        "metadata": "",
        "type": "feedback",
    }


def test_three_dashes_without_an_end_are_no_front_matter() -> None:
    assert front(["---", "name: style"]) == ({}, 0)
    assert front(["text", "---", "name: style", "---"]) == ({}, 0)


def test_comments_end_where_they_end_and_code_hides_them() -> None:
    lines = ["a <!-- b --> c <!-- d", "e", "f --> g", "`<!-- no -->`", "```", "<!-- no", "```", "h"]
    shown, comments = without_comments(lines)
    assert shown == ["a  c ", "", " g", " " * 13, "", "", "", "h"]
    assert comments == [(1, 1), (1, 3)]


def test_an_unclosed_comment_or_fence_runs_to_the_end() -> None:
    assert without_comments(["a", "<!-- b", "c"])[0] == ["a", "", ""]
    assert without_comments(["a", "```", "@b.md", "~~~"])[0] == ["a", "", "", ""]


def test_statements_are_bullets_with_their_continuation_and_paragraphs() -> None:
    text = "# Tests\n\nRun them\nbefore a push.\n- one\n  goes on\n2) two\n\n"
    more = "## Other\n* [x] three\n| a | b |\n@docs/a.md\n---\nlast"
    assert said(text + more) == [
        (3, "Tests", "Run them before a push."),
        (5, "Tests", "one goes on"),
        (7, "Tests", "two"),
        (10, "Other", "three"),
        (14, "Other", "last"),
    ]


def test_links_may_hold_brackets_titles_and_escapes() -> None:
    line = '[a](x%20y.md "title") [b](<u v.md>) [c](p(1).md) ![pic](p.png) [d]() [[name|shown]]'
    assert [(one.text, one.kind) for one in targets([line])] == [
        ("x y.md", "link"),
        ("u v.md", "link"),
        ("p(1).md", "link"),
        ("name", "name"),
    ]


def test_imports_end_before_the_sentence_does() -> None:
    line = "See @docs/a.md, (@b.md) and @~/c.md; @my\\ file.md! me@example.org @@x @<y> @https://x.org"
    assert [one.text for one in imports([line])] == ["docs/a.md", "b.md", "~/c.md", "my file.md"]


@given(TEXT)
def test_fuzz_any_text_keeps_its_lines(text: str) -> None:
    lines = text.split("\n")
    shown, comments = without_comments(lines)
    assert len(shown) == len(lines) == len(spoken(lines))
    assert all(1 <= first <= last <= len(lines) for first, last in comments)
    found = [*targets(shown), *imports(shown)]
    assert all(1 <= one.line <= len(lines) and one.text for one in found)
    for one in statements(spoken(lines), Path("x"), "x"):
        assert one.text.split()[0] in lines[one.line - 1]
