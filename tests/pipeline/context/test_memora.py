"""The chat layout: what stands in which message, what of the bank it shows, and what it leaves out with its reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.assembled import segments
from pipeline.context.baseline import baseline_of, from_document, to_document
from pipeline.context.difference import difference
from pipeline.context.fates import Fates
from pipeline.context.layouts.chat import Chat, Message
from pipeline.context.layouts.setting_memories import trigger
from pipeline.context.layouts.tokens import estimate_tokens
from pipeline.context.needs import needs
from pipeline.context.pack import Pack, assemble
from pipeline.context.request import Request
from pipeline.context.since import since
from pipeline.context.whatif import next_with_budget, status_cost
from pipeline.measure import units
from store.errors import BadInput
from store.joined import joined
from store.memory import Memory
from store.setting_file import SettingFile, read_setting
from store.view import View
from tests.pipeline.context.worlds import NOW, answered, hooks, requests, views

MEMORA = Request("nova", layout="memora", now=NOW)


def fact(at: int, statement: str = "redis holds the cache", **fields: object) -> Memory:
    path = f"facts/{at}.md"
    plain: dict[str, object] = {"subject": f"n{at}", "statement": statement, "created": "2026-11-01", "ordinal": at}
    return Memory(id=path, path=path, sha="", **{**plain, **fields})  # type: ignore[arg-type]


def setting(path: str, text: str) -> SettingFile:
    return read_setting(f"settings/{path}.md", text.encode(), "sha")


def bank(*memories: Memory, files: tuple[SettingFile, ...] = (), facts: dict[str, str] | None = None) -> View:
    """A bank with setting files, and with confirmed facts about the person by the ids of their memories."""
    rows = {
        f"p{at}": {"category": "preference", "field": "f", "value": f"f: {value}", "state": "confirmed", "memory": id}
        for at, (id, value) in enumerate((facts or {}).items())
    }
    return View.of(memories, {"profile": rows}, setting_files={file.path: file for file in files})


def standing(pack: Pack) -> list[str]:
    return [segment.section for segment in segments(pack) if segment.stands]


def outcomes(pack: Pack) -> dict[str, str]:
    return {fate.id: fate.outcome for fate in Fates(pack)}


@given(st.data())
def test_property_a_chat_is_counted_as_it_is_sent(data: st.DataObject) -> None:
    """Lines, sections, bar, segments and messages all add up to the estimate of what is sent."""
    view, request = data.draw(views()), data.draw(requests(["memora"]))
    pack = assemble(view, request, data.draw(hooks(view, request)))
    sent = sum(message.tokens for message in pack.messages)
    assert sum(line.units for line in pack.lines) == sent == pack.bar.used
    assert sum(section.units for section in pack.sections) == sent
    assert sum(segment.tokens for segment in segments(pack) if segment.stands) == sent
    used = 0
    for line in pack.lines:
        assert line.used_before == used
        used += line.units


@given(st.data())
def test_property_a_chat_that_was_cut_is_within_its_budget(data: st.DataObject) -> None:
    """Nine tenths of the budget hold everything but what says that something is missing."""
    view, request = data.draw(views()), data.draw(requests(["memora"]))
    request = replace(request, budget=data.draw(st.integers(1, 600)))
    pack = assemble(view, request, data.draw(hooks(view, request)))
    if "placeholder" in standing(pack):
        added = [one for one in segments(pack) if one.stands and one.section in {"placeholder", "summary"}]
        least = max(request.budget * 9 // 10, pack.messages[0].tokens)  # the system message is never cut
        assert pack.bar.used - sum(one.tokens for one in added) <= least
    else:
        assert pack.bar.used <= request.budget or len(pack.messages) <= 3 or pack.messages[0].tokens >= request.budget


@given(st.data())
def test_property_every_segment_says_why(data: st.DataObject) -> None:
    view, request = data.draw(views()), data.draw(requests(["memora"]))
    pack = assemble(view, request)
    shown = {entry for line in pack.lines for entry in line.entries}
    told = segments(pack)
    assert all(segment.why and segment.chars == units(segment.text) for segment in told)
    assert {id for segment in told if segment.stands for id in segment.origins if id in view.memories} == shown
    files = {id for segment in told for id in segment.origins} - set(view.memories)
    assert files == {file.path for file in view.setting_files.values() if file.kind in KINDS}


KINDS = {"persona", "rule", "skill", "guardrail"}


@given(st.data())
def test_property_protected_memories_that_stand_stay_whatever_the_hook_takes(data: st.DataObject) -> None:
    view, request = data.draw(views()), replace(data.draw(requests(["memora"])), budget=0)
    every = tuple(memory.path for memory in view.live)
    before, after = assemble(view, request), assemble(view, request, answered(every, every))
    protected = {id for id in before.included if view.memories[id].type in {"BOUND", "COMMIT"}}
    assert protected <= set(after.included)
    assert all(after.allowed(view.memories[id]) for id in after.included)


def test_the_messages_of_a_turn_stand_one_after_the_other() -> None:
    files = (
        setting("personas/ada", "---\ndescription: an engineer\n---\nYou care."),
        setting("rules/brief", "Be brief."),
        setting("skills/cache", "---\nkeywords: redis\n---\nLook at the keys first."),
    )
    view = bank(fact(1), fact(2, "about the person", type="PREF"), files=files, facts={"facts/2.md": "short answers"})
    chat = Chat(
        conversation=(Message("system", "old"), Message("user", "hello"), Message("assistant", "hi")), tools=("grep",)
    )
    pack = assemble(view, replace(MEMORA, focus="redis", chat=chat))
    roles = ["system", "user", "assistant", "system", "system", "user"]
    assert [message.role for message in pack.messages] == roles
    system = pack.messages[0].content.split("\n\n---\n\n")
    assert system[0] == "【当前角色】ada · an engineer\n\nYou care.\n\n【用户画像】\n- 偏好：short answers"
    assert system[1] == "## brief\nBe brief."
    assert system[2].endswith("可用工具：\n- grep")
    assert pack.messages[3].content == "【当前技能】cache\nLook at the keys first."
    assert pack.messages[4].content == "【相关记忆】\n- [2026-11-01] n1: redis holds the cache"
    assert pack.messages[5].content == "<user_input>\nredis\n</user_input>"
    assert pack.text.split("\n\n[", 1)[0] == f"[system]\n{pack.messages[0].content}"
    assert [(one.section, one.why) for one in pack.dropped] == [
        ("conversation", "system messages of earlier turns are made anew")
    ]


def test_a_fact_of_the_profile_is_not_recalled_as_well() -> None:
    view = bank(fact(1), fact(2), facts={"facts/1.md": "the cache"})
    pack = assemble(view, replace(MEMORA, focus="redis", limit=1))
    assert [(fate.id, fate.place, fate.outcome) for fate in Fates(pack)] == [
        ("facts/1.md", "profile 1", "included"),
        ("facts/2.md", "recall 1", "included"),
    ]
    assert (pack.included, pack.used) == (("facts/1.md", "facts/2.md"), ("facts/2.md",))


def test_facts_on_one_line_are_memories_of_their_own_for_the_hook_and_in_a_difference() -> None:
    view = bank(fact(1), fact(2), facts={"facts/1.md": "tea", "facts/2.md": "quiet"})
    whole = assemble(view, MEMORA)
    less = assemble(view, MEMORA, answered(("facts/1.md", "facts/2.md"), ("facts/2.md",)))
    assert "- 偏好：tea，quiet" in whole.text
    assert "- 偏好：tea\n" in less.text
    assert outcomes(less) == {"facts/1.md": "included", "facts/2.md": "evicted"}
    assert difference(whole, less).left == ("facts/2.md",)
    assert status_cost(less).units == 0


def test_a_private_fact_of_another_is_neither_told_nor_named() -> None:
    path = "private/rhea/prefs/x.md"
    secret = Memory(id=path, path=path, sha="", type="PREF", scope="private", owner="rhea", statement="secret")
    pack = assemble(bank(secret, facts={path: "secret"}), MEMORA)
    assert "secret" not in pack.text
    assert outcomes(pack) == {}


def test_what_the_words_do_not_bring_to_mind_is_unmatched_and_a_limit_lets_in_the_rest() -> None:
    view = bank(*(fact(at) for at in range(3)), fact(9, "quite another thing"))
    fates = Fates(assemble(view, replace(MEMORA, focus="redis", limit=1)))
    assert [(fate.id, fate.outcome, fate.needs_limit) for fate in fates] == [
        ("facts/0.md", "included", None),
        ("facts/1.md", "over_limit", 2),
        ("facts/2.md", "over_limit", 3),
        ("facts/9.md", "unmatched", None),
    ]
    assert dict(fates.counts.outcomes) | {"over_limit": 2, "unmatched": 1} == dict(fates.counts.outcomes)
    assert [fate.id for fate in fates if fate.outcome == "unmatched"] == ["facts/9.md"]
    silent = Fates(assemble(view, MEMORA))
    assert {fate.outcome for fate in silent} == {"unmatched"}


def test_the_recalled_block_is_full_from_the_first_line_that_is_too_much() -> None:
    view = bank(*(fact(at, "redis " + "c" * (10 if at == 10 else 300)) for at in range(11)))
    fates = Fates(assemble(view, replace(MEMORA, focus="redis", limit=11)))
    rows = [(fate.outcome, fate.shortfall > 0) for fate in fates]
    assert rows == [("included", False)] * 9 + [("block_full", True)] * 2
    block = next(message for message in fates.pack.messages if message.content.startswith("【相关记忆】"))
    assert units(block.content) <= 2000 < units(block.content) + 220
    assert all(len(line) <= len("- [2026-11-01] n0: ") + 200 for line in block.content.split("\n"))


def test_what_there_is_no_room_for_says_which_budget_would_do() -> None:
    conversation = tuple(Message("user" if at % 2 == 0 else "assistant", "x" * 300) for at in range(4))
    view = bank(*(fact(at, "redis " + "c" * 300) for at in range(5)))
    request = replace(MEMORA, focus="redis", chat=Chat(conversation=conversation))
    whole = assemble(view, request)
    tight = assemble(view, replace(request, budget=300))
    fates = Fates(tight)
    assert outcomes(tight) == dict.fromkeys((f"facts/{at}.md" for at in range(5)), "budget")
    assert "placeholder" in standing(tight)
    fate = fates[0]
    least = fate.attempts[0].enough
    assert fate.shortfall == least - 300
    told = needs(fates, fate, next_with_budget(tight))
    assert told is not None
    assert (told.budget, told.exact) == (least, True)
    assert set(outcomes(assemble(view, replace(request, budget=least))).values()) == {"included"}
    assert set(outcomes(assemble(view, replace(request, budget=least - 1))).values()) == {"budget"}
    assert whole.budget == 120_000
    assert whole.bar.over == 0


def test_the_last_rounds_are_told_in_short_only_when_they_lost_their_places() -> None:
    conversation = tuple(Message("user" if at % 2 == 0 else "assistant", f"turn {at} " + "x" * 900) for at in range(8))
    request = replace(MEMORA, chat=Chat(conversation=conversation))
    assert "recent" not in standing(assemble(bank(), replace(request, budget=2300)))
    pack = assemble(bank(), replace(request, budget=1000))
    recent = next(message for message in pack.messages if message.content.startswith("【最近对话】"))
    assert [line[:9] for line in recent.content.split("\n")[1:]] == [
        *("用户：turn 2", "助手：turn 3", "用户：turn 4", "助手：turn 5", "用户：turn 6", "助手：turn 7")
    ]


@pytest.mark.parametrize(
    ("words", "skill"),
    [
        ("warm the CACHE", "trigger"),
        ("redis and docker", "docker"),
        ("redis and nginx", "both"),
        ("docker", "docker"),
        ("dockers", ""),
        ("", ""),
    ],
)
def test_the_skill_that_fits_is_told_in_the_same_turn(words: str, skill: str) -> None:
    files = (
        setting("skills/both", "---\nkeywords: redis, docker, nginx\n---\nboth"),
        setting("skills/docker", "---\nkeywords: docker\n---\ndocker"),
        setting("skills/trigger", "---\ntrigger: /warm .*cache/g\n---\ntrigger"),
    )
    pack = assemble(bank(files=files), replace(MEMORA, focus=words))
    assert [one.text.split("\n")[1] for one in segments(pack) if one.section == "skill" and one.stands] == (
        [skill] if skill else []
    )


def test_setting_files_that_are_not_told_say_why() -> None:
    files = (
        setting("personas/a", "> a template"),
        setting("personas/b", "first"),
        setting("personas/c", "second"),
        setting("rules/t", "> a template"),
        setting("rules/guardrails/g", "pattern: /x/\naction: block"),
        setting("skills/broken", "---\ntrigger: (\n---\nx"),
        setting("skills/slow", "---\ntrigger: (a+)+b\n---\nx"),
    )
    view = bank(files=files)
    pack = assemble(view, replace(MEMORA, focus="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))
    assert {one.origin.removeprefix("settings/"): one.why for one in pack.dropped} == {
        "personas/a.md": "it is only a template",
        "personas/c.md": "another persona is active",
        "rules/t.md": "it is only a template",
        "rules/guardrails/g.md": "guardrails check, they are not told",
        "skills/broken.md": "its trigger is no pattern that can be read",
        "skills/slow.md": "its trigger could search for too long",
    }
    assert "first" in pack.text
    named = assemble(view, replace(MEMORA, chat=Chat(persona="c")))
    assert "second" in named.text
    assert "block" not in named.text


def test_two_banks_tell_the_rules_and_facts_of_both() -> None:
    one = bank(fact(1), files=(setting("rules/r", "of the project"),), facts={"facts/1.md": "tabs"})
    two = bank(fact(1), files=(setting("rules/r", "of the person"),), facts={"facts/1.md": "tea"})
    pack = assemble(joined(one, two), MEMORA)
    assert pack.text.index("of the project") < pack.text.index("of the person")
    assert "- 偏好：tabs，tea" in pack.text
    assert pack.included == ("project:facts/1.md", "user:facts/1.md")


def test_a_call_is_counted_with_its_arguments_and_sent_as_it_came() -> None:
    call = Message("assistant", "I look.", ("c1",), '[{"id": "c1", "function": {"name": "grep"}}]')
    answer = Message("tool", "nothing", answers="c1")
    pack = assemble(bank(), replace(MEMORA, chat=Chat(conversation=(call, answer))))
    assert pack.messages[1:] == (call, answer)
    size = sum(line.units for line in pack.lines if line.message == 1)
    assert size == call.tokens == estimate_tokens(call.content + call.arguments)


def test_a_layout_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInput, match="yotta, memora"):
        assemble(bank(), replace(MEMORA, layout="other"))


def test_a_kept_chat_knows_every_fact_of_a_line_again() -> None:
    view = bank(fact(1), fact(2), facts={"facts/1.md": "tea", "facts/2.md": "quiet"})
    pack = assemble(view, MEMORA)
    kept = from_document(to_document(baseline_of(pack, "before")))
    assert since(kept, pack).items == ()
    less = assemble(bank(fact(1), fact(2), facts={"facts/1.md": "tea"}), MEMORA)
    assert [(item.id, item.kind) for item in since(kept, less).items] == [("facts/2.md", "left")]


@pytest.mark.parametrize("pattern", ["(a+)+b", r"(\w+\s?)*$", "(a|aa)+b", "((a+))+b", ".*.*.*.*b", "a" * 301])
def test_a_trigger_that_could_search_for_ever_is_not_tried(pattern: str) -> None:
    assert trigger(setting("skills/x", f"---\ntrigger: {pattern}\n---\nx"))[0] is None


@pytest.mark.parametrize("pattern", [r"/c\+\+/i", "deploy.*prod", "(warm|fill) the cache", "部署|发布"])
def test_a_trigger_as_people_write_them_is_tried(pattern: str) -> None:
    found = trigger(setting("skills/x", f"---\ntrigger: {pattern}\n---\nx"))[0]
    assert found is not None
    assert found.search("C++, DEPLOY to PROD, Fill the cache, 发布")
