"""Statements that stand in several places, and statements that contradict each other."""

from __future__ import annotations

import pytest

from tests.pipeline.context.loaded.disk import Machine, cited, of, put

# --- said in several places


def test_what_stands_in_two_files_is_told_with_both_places(machine: Machine) -> None:
    put(machine.home / ".claude" / "CLAUDE.md", "# Mine\n\n* Use *uv*, not pip.\n")
    put(machine.project / "CLAUDE.md", "Some words.\n\n1. use `uv`, not pip\n")
    (loss,) = machine.report(machine.project).of("repeated")
    assert loss.title == "said 2 times in 2 files"
    assert cited(loss) == [("~/.claude/CLAUDE.md", 3, "Use *uv*, not pip."), ("CLAUDE.md", 3, "use `uv`, not pip")]


def test_nearly_the_same_words_are_told_as_such_and_other_numbers_are_not(machine: Machine) -> None:
    put(
        machine.project / "CLAUDE.md",
        "- the integration tests run against a real Postgres container\n- keep 5 of the old backups\n",
    )
    put(machine.memory / "MEMORY.md", "- [DB](db.md)\n")
    put(
        machine.memory / "db.md",
        "The integration tests run against our real Postgres container.\n\nKeep 7 of the old backups.\n",
    )
    (loss,) = machine.report(machine.project).of("repeated")
    assert loss.title == "said 2 times in 2 files, in nearly the same words"
    assert [place for _, place, _ in cited(loss)] == [1, 1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("build the api image for staging with make", "build the web image for staging with make"),
        ("the release branch is pushed to the mirror", "the release branch is not pushed to the mirror"),
        ("keep three copies of the release archive", "keep four copies of the release archive"),
    ],
)
def test_two_things_said_alike_are_no_repetition(machine: Machine, first: str, second: str) -> None:
    put(machine.project / "CLAUDE.md", f"- {first}\n")
    put(machine.project / "AGENTS.md", f"- {second}\n")
    assert machine.report(machine.project).losses == ()


def test_a_label_says_nothing_twice(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "- [A](a.md)\n- [B](b.md)\n")
    put(machine.memory / "a.md", "**How to apply:**\n- in every test of the parser\n")
    put(machine.memory / "b.md", "**How to apply**:\n- when the exporter is touched\n")
    assert machine.report(machine.memory).losses == ()


def test_a_list_of_links_says_nothing_twice(machine: Machine) -> None:
    links = [
        f"- [src/{name}/AGENTS.md](src/{name}/AGENTS.md)\n- src/{name}/long/path/x.py\n"
        for name in ("api", "web", "cli")
    ]
    put(machine.project / "CLAUDE.md", "".join(links))
    assert machine.report(machine.project).losses == ()


def test_two_agents_may_remember_the_same(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "- wants short answers in English\n")
    put(machine.home / ".hermes" / "memories" / "USER.md", "wants short answers in English")
    assert machine.report().losses == ()


def test_an_index_line_and_its_file_are_no_repetition(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "- [Postgres in tests](db.md) — tests use a real Postgres container\n")
    put(machine.memory / "db.md", "Postgres in tests — tests use a real Postgres container\n")
    assert machine.report(machine.memory).losses == ()


def test_two_projects_memories_never_repeat_each_other(machine: Machine) -> None:
    for name in ("-a", "-b"):
        put(machine.home / ".claude" / "projects" / name / "memory" / "MEMORY.md", "- use the real database in tests\n")
    assert machine.report(machine.home / ".claude").of("repeated") == ()


def test_a_copy_of_a_file_is_told_once(machine: Machine) -> None:
    text = "".join(f"- rule about {word} of the house\n" for word in ("tea", "salt", "bread", "wine", "soup", "rice"))
    put(machine.project / "CLAUDE.md", text)
    put(machine.project / "AGENTS.md", text)
    (loss,) = machine.report(machine.project).losses
    assert (loss.kind, loss.title) == ("repeated", "6 statements stand in CLAUDE.md and in AGENTS.md")
    assert len(loss.lines) == 12


# --- contradictions


@pytest.mark.parametrize(
    ("first", "second", "sign"),
    [
        ("Never commit to main", "Commit to main", "one says so, the other not"),
        ("Don't mock the database in tests", "Mock the database in tests", "one says so, the other not"),
        ("提交信息不要用中文书写", "提交信息要用中文书写", "one says so, the other not"),
        ("Wrap code at 100 columns", "wrap code at 88 columns.", "they give different numbers"),
        ("Python 3.11 is the floor", "Python 3.12 is the floor", "they give different numbers"),
        ("Use tabs for indentation", "Use spaces for indentation", "tabs against spaces"),
        ("Use uv, not pip", "Install with pip instead of uv", "what one prefers the other puts second"),
        (
            "Prefer composition over inheritance",
            "Inheritance over composition here",
            "what one prefers the other puts second",
        ),
    ],
)
def test_statements_that_contradict_each_other_are_told(machine: Machine, first: str, second: str, sign: str) -> None:
    put(machine.project / "CLAUDE.md", f"- {first}\n")
    put(machine.project / "CLAUDE.local.md", f"\n- {second}\n")
    (loss,) = machine.report(machine.project).losses
    assert (loss.kind, loss.title) == ("contradiction", sign)
    assert cited(loss) == [("CLAUDE.md", 1, first), ("CLAUDE.local.md", 2, second)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Never commit to main", "Commit often, to branches"),
        ("see issue #12 for the plan", "see issue #13 for the plan"),
        ("2026-06-01 asked about tomatoes", "2026-06-02 asked about tomatoes"),
        ("Step 1: run the build", "Step 2: run the build"),
        ("No secrets in logs", "Never write secrets to logs"),
    ],
)
def test_what_only_looks_like_a_contradiction_is_not_told(machine: Machine, first: str, second: str) -> None:
    put(machine.project / "CLAUDE.md", f"- {first}\n")
    put(machine.project / "CLAUDE.local.md", f"- {second}\n")
    assert machine.report(machine.project).of("contradiction") == ()


def test_a_numbered_list_is_no_contradiction(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "- machine 1 has a fan\n- machine 2 has a fan\n")
    put(machine.project / "CLAUDE.local.md", "- machine 3 has a fan\n- machine 4 has a fan\n")
    assert machine.report(machine.project).of("contradiction") == ()


def test_files_of_two_agents_do_not_contradict_each_other_and_one_that_both_load_does(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "- Wrap code at 100 columns\n@shared.md\n")
    put(machine.project / "AGENTS.md", "- Wrap code at 88 columns\n@shared.md\n")
    put(machine.project / "shared.md", "- Use tabs for indentation\n")
    put(machine.project / "AGENTS.override.md", "- Use spaces for indentation\n@shared.md\n")
    assert [loss.title for loss in machine.report(machine.project).of("contradiction")] == ["tabs against spaces"]


def test_the_rules_of_two_folders_need_not_agree(machine: Machine) -> None:
    for name, rule in (("api", "tabs"), ("web", "spaces")):
        put(machine.project / name / "CLAUDE.md", f"- Use {rule} for indentation\n- never push on a Friday\n")
    assert machine.report(machine.project).losses == ()
    put(machine.project / "CLAUDE.md", "- Use tabs for indentation\n")
    assert of(machine.report(machine.project), "contradiction") == [("CLAUDE.md:1", "tabs against spaces")]
