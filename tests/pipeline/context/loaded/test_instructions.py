"""Instruction files: the person's own, those of the folders above, the nearest last; imports, comments, links."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.context.loaded.detect import detect
from pipeline.context.loaded.loaded import Loaded
from tests.pipeline.context.loaded.disk import Machine, cited, of, piece, put, told


def layout(machine: Machine, name: str, folder: Path | None = None) -> Loaded:
    """One layout of the project, or of a folder in it."""
    (found,) = [one for one in detect(folder or machine.project, machine.places).layouts if one.name == name]
    return found


def test_claude_code_loads_the_persons_files_then_the_parents_then_the_nearest(machine: Machine) -> None:
    nearest = machine.project / "packages" / "web"
    put(machine.home / ".claude" / "CLAUDE.md", "- mine\n")
    put(machine.home / ".claude" / "rules" / "style.md", "- my rule\n")
    put(machine.home / "CLAUDE.md", "- above the project\n")
    put(machine.project / "CLAUDE.md", "- project\n")
    put(machine.project / ".claude" / "CLAUDE.md", "- project too\n")
    put(machine.project / ".claude" / "rules" / "b.md", "- rule b\n")
    put(machine.project / ".claude" / "rules" / "deep" / "a.md", "- rule a\n")
    put(machine.project / "CLAUDE.local.md", "- mine here\n")
    put(nearest / "CLAUDE.md", "- web\n")
    put(nearest / "src" / "CLAUDE.md", "- src\n")
    assert told(layout(machine, "claude-instructions", nearest)) == [
        ("loaded", "~/.claude/CLAUDE.md", "1"),
        ("loaded", "~/.claude/rules/style.md", "1"),
        ("loaded", "~/CLAUDE.md", "1"),
        ("loaded", "CLAUDE.md", "1"),
        ("loaded", ".claude/CLAUDE.md", "1"),
        ("loaded", ".claude/rules/b.md", "1"),
        ("loaded", ".claude/rules/deep/a.md", "1"),
        ("loaded", "CLAUDE.local.md", "1"),
        ("loaded", "packages/web/CLAUDE.md", "1"),
        ("not loaded", "packages/web/src/CLAUDE.md", "1"),
    ]


def test_a_rule_for_some_files_is_loaded_only_there(machine: Machine) -> None:
    put(machine.project / ".claude" / "rules" / "api.md", '---\npaths:\n  - "src/api/**"\n  - lib/**\n---\n- rule\n')
    found = piece(layout(machine, "claude-instructions"), ".claude/rules/api.md")
    assert (found.fate, found.outcome) == ("not loaded", "on_demand")
    assert found.reason == "only where it works on src/api/**, lib/**"


def test_codex_looks_no_further_than_the_repository_and_an_override_stands_in_for_its_file(machine: Machine) -> None:
    put(machine.home / ".codex" / "AGENTS.md", "- mine\n")
    put(machine.home / "AGENTS.md", "- above the repository\n")
    put(machine.project / "AGENTS.md", "- project\n")
    put(machine.project / "web" / "AGENTS.override.md", "- instead\n")
    put(machine.project / "web" / "AGENTS.md", "- replaced\n")
    loaded = layout(machine, "agents-instructions", machine.project / "web")
    assert told(loaded) == [
        ("loaded", "~/.codex/AGENTS.md", "1"),
        ("loaded", "AGENTS.md", "1"),
        ("loaded", "web/AGENTS.override.md", "1"),
        ("not loaded", "web/AGENTS.md", "1"),
    ]
    assert loaded.pieces[-1].outcome == "replaced"
    assert "replaced" not in {statement.text for statement in loaded.statements}


def test_codex_takes_32_kib_of_a_projects_files_and_cuts_the_nearest(machine: Machine) -> None:
    line = "- " + "x" * 61 + "\n"  # 64 bytes
    put(machine.home / ".codex" / "AGENTS.md", line * 10)
    put(machine.project / "AGENTS.md", line * 500)
    put(machine.project / "web" / "AGENTS.md", line * 20)
    loaded = layout(machine, "agents-instructions", machine.project / "web")
    assert told(loaded)[1:] == [
        ("loaded", "AGENTS.md", "1-500"),
        ("loaded", "web/AGENTS.md", "1-12"),
        ("cut", "web/AGENTS.md", "13-20"),
    ]
    assert loaded.pieces[-1].outcome == "budget"
    (loss,) = loaded.losses
    assert (loss.kind, loss.place, len(loss.lines)) == ("cut", "web/AGENTS.md:13-20", 8)
    put(machine.home / ".codex" / "config.toml", "project_doc_max_bytes = 65_536  # more\n")
    assert layout(machine, "agents-instructions", machine.project / "web").losses == ()


def test_gemini_cursor_and_copilot_have_their_own_files(machine: Machine) -> None:
    put(machine.project / "GEMINI.md", "- gemini\n")
    put(machine.project / ".github" / "copilot-instructions.md", "- copilot\n")
    rules = machine.project / ".cursor" / "rules"
    put(rules / "always.mdc", "---\nalwaysApply: true\n---\n- always\n")
    put(rules / "globs.mdc", "---\nglobs: src/**\nalwaysApply: false\n---\n- sometimes\n")
    put(rules / "ask.mdc", "---\ndescription: how we name things\n---\n- asked\n")
    found = detect(machine.project, machine.places).layouts
    assert [(one.name, one.agent) for one in found] == [
        ("gemini-instructions", "Gemini CLI"),
        ("cursor-rules", "Cursor"),
        ("copilot-instructions", "GitHub Copilot"),
    ]
    assert [(one.name, one.fate, one.reason) for one in found[1].pieces] == [
        (".cursor/rules/always.mdc", "loaded", "loaded at start"),
        (".cursor/rules/ask.mdc", "not loaded", "only when its description fits, or it is asked for"),
        (".cursor/rules/globs.mdc", "not loaded", "only where it works on src/**"),
    ]


# --- imports


def test_imports_are_expanded_five_deep_and_no_deeper(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "@docs/d1.md\n")
    for depth in range(1, 7):
        put(machine.project / "docs" / f"d{depth}.md", f"- depth {depth}\n@d{depth + 1}.md\n")
    loaded = layout(machine, "claude-instructions")
    assert told(loaded) == [
        ("loaded", "CLAUDE.md", "1"),
        *(("loaded", f"docs/d{depth}.md", "1-2") for depth in range(1, 6)),
        ("cut", "docs/d6.md", "1-2"),
    ]
    assert loaded.pieces[-1].via == "docs/d5.md:2"
    (loss,) = loaded.losses
    assert loss.title == "2 lines are never loaded: imported 6 deep, and at most 5 are followed"
    assert cited(loss) == [("docs/d6.md", 1, "- depth 6"), ("docs/d6.md", 2, "@d7.md")]


def test_an_import_in_code_or_in_a_comment_is_none(machine: Machine) -> None:
    text = "`@a.md` ``x @a.md`` <!-- @a.md -->\n```md\n@a.md\n```\n~~~\n@a.md\n```\n~~~\n<!--\n@a.md\n-->\nme@a.md\n"
    put(machine.project / "CLAUDE.md", text)
    put(machine.project / "a.md", "- text\n")
    assert layout(machine, "claude-instructions").links == ()


def test_a_file_imported_twice_is_loaded_once_and_a_circle_ends(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "@a.md, (@b.md)\n")
    put(machine.project / "a.md", "@b.md\n")
    put(machine.project / "b.md", "@./CLAUDE.md\n")
    loaded = layout(machine, "claude-instructions")
    assert [(one.name, one.outcome) for one in loaded.pieces] == [
        ("CLAUDE.md", "always"),
        ("a.md", "always"),
        ("b.md", "always"),
        ("b.md", "duplicate"),
    ]
    assert [(loss.kind, loss.place) for loss in loaded.losses] == [("link", "b.md:1")]


def test_an_import_that_leads_nowhere_is_told_and_a_mention_is_not(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "Ask @alice, use @types/node and @dataclass.\nSee @docs/gone.md and @~/gone\n")
    assert of(machine.report(machine.project), "link") == [
        ("CLAUDE.md:2", "@docs/gone.md: there is no such file"),
        ("CLAUDE.md:2", "@~/gone: there is no such file"),
    ]


@pytest.mark.parametrize("target", ["../outside.md", "/etc/passwd", "link.md", "~/.ssh/id_rsa", "folder/outside.md"])
def test_an_import_out_of_the_project_is_not_opened(machine: Machine, target: str) -> None:
    secret = put(machine.home / "outside.md", "secret words\n")
    put(machine.home / ".ssh" / "id_rsa", "secret words\n")
    (machine.project / "link.md").symlink_to(secret)
    (machine.project / "folder").symlink_to(machine.home)
    put(machine.project / "CLAUDE.md", f"@{target}\n")
    loaded = layout(machine, "claude-instructions")
    assert [(link.target, link.state) for link in loaded.links] == [(target, "outside")]
    assert "secret words" not in repr(loaded)


def test_a_project_may_import_the_persons_own_markdown(machine: Machine) -> None:
    put(machine.home / "notes" / "mine.md", "- mine\n")
    put(machine.project / "CLAUDE.md", "@~/notes/mine.md\n")
    loaded = layout(machine, "claude-instructions")
    assert told(loaded) == [("loaded", "CLAUDE.md", "1"), ("loaded", "~/notes/mine.md", "1")]


def test_a_file_that_is_a_link_to_another_one_of_the_project_is_read_and_lost_once(machine: Machine) -> None:
    put(machine.project / "AGENTS.md", "- one rule of the house\n@gone.md\n")
    (machine.project / "CLAUDE.md").symlink_to("AGENTS.md")
    report = machine.report(machine.project)
    assert [one.name for one in report.layouts] == ["claude-instructions", "agents-instructions"]
    assert [told(one) for one in report.layouts] == [[("loaded", "CLAUDE.md", "1-2")], [("loaded", "AGENTS.md", "1-2")]]
    assert [(loss.kind, loss.title) for loss in report.losses] == [("link", "@gone.md: there is no such file")]


def test_a_file_that_is_a_link_out_of_the_project_is_told(machine: Machine) -> None:
    put(machine.home / "elsewhere.md", "secret words\n")
    (machine.project / "CLAUDE.md").symlink_to(machine.home / "elsewhere.md")
    report = machine.report(machine.project)
    assert of(report, "unread") == [("CLAUDE.md", "it leads out of the folder, and is not followed")]
    assert "secret words" not in repr(report)


def test_a_comment_of_its_own_is_for_people_and_one_in_a_line_leaves_the_line(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "- one <!-- x -->\n<!-- a\nb -->\n- two\n```\n<!-- code -->\n```\n")
    assert [(one.outcome, one.lines) for one in layout(machine, "claude-instructions").pieces] == [
        ("always", "1"),
        ("for_people", "2-3"),
        ("always", "4-7"),
    ]


def test_bytes_that_are_no_utf_8_are_told_with_their_line(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", b"\xef\xbb\xbf- good\r\n- caf\xe9\r\n")
    report = machine.report(machine.project)
    assert of(report, "unread") == [("CLAUDE.md:2", "a line holds bytes that are no UTF-8")]
    assert report.layouts[0].statements[0].text == "good"
