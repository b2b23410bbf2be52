"""ChatGPT exports (`spec/formats.md` §6): conversations that are trees of messages, of which one branch is live."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.formats.content import KEPT_OF_MODEL, clip, mapping, string
from pipeline.formats.documents import Member
from pipeline.formats.envelopes import Table
from pipeline.formats.exports import conversations, span
from pipeline.formats.session import Author, Damage, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded, words_in

NAME = "chatgpt"
MARK = "mapping"
"""The key by which a conversation is recognised (`spec/formats.md` §15)."""
STREAMED: frozenset[str] = frozenset()
PROFILE = "profile and custom instructions"
"""The reason of a person's own settings: no message, a source of its own."""
SAVED = "saved-memory context"
"""The reason of what the service remembered: may become memories, never evidence."""
ABANDONED = "abandoned branch"
BROKEN = "messages that do not hang on the live branch of the conversation are taken as abandoned"
RING = "the messages of the conversation lead in a ring"

_PROSE = frozenset({"text", "multimodal_text"})
_THOUGHT = frozenset({"thoughts", "reasoning_recap"})
_SETTINGS = ("user_profile", "user_instructions", "about_user_message", "about_model_message")
_OWN_PROJECT = "g-p-"


@dataclass(slots=True)
class _Tree:
    """The nodes of a conversation, the parent of each ("" for none) and its children."""

    nodes: Mapping[str, dict[str, Any]]
    parents: dict[str, str] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)


def read_document(parts: Iterable[Member | Damage], source: Source) -> tuple[Session, ...]:
    """The sessions of an export: one per conversation that holds a message. Damage is reported, never raised."""
    return conversations(parts, source, NAME, MARK, _session)


def _session(conversation: dict[str, Any], source: Source) -> Session:
    frame = Frame(source)
    tree = _tree(mapping(conversation.get("mapping")))
    live = _live(tree, string(conversation.get("current_node")), frame)
    turns = tuple(_turns(tree, live, frame))
    started, ended = span(frame, conversation.get("create_time"), conversation.get("update_time"))
    return Session(
        format=NAME,
        id=clip(string(conversation.get("conversation_id")) or string(conversation.get("id")), 200),
        path=str(source.path),
        turns=turns,
        project=_project(conversation),
        started=started,
        ended=ended,
        damage=frame.report(),
    )


def _project(conversation: dict[str, Any]) -> str:
    """The person's custom project. Without one there is none: a project for each chat would keep gaps apart."""
    named = (string(conversation.get(key)) for key in ("conversation_template_id", "gizmo_id"))
    return next((clip(name, 200) for name in named if name.startswith(_OWN_PROJECT)), "")


def _tree(nodes: dict[str, Any]) -> _Tree:
    tree = _Tree({name: node for name, node in nodes.items() if isinstance(node, dict)})
    for name, node in tree.nodes.items():
        listed = node.get("children")
        for child in listed if isinstance(listed, list) else ():
            if isinstance(child, str) and child in tree.nodes:
                tree.parents.setdefault(child, name)
    for name, node in tree.nodes.items():
        if (parent := string(node.get("parent"))) in tree.nodes:
            tree.parents[name] = parent
    for name, parent in tree.parents.items():
        tree.children.setdefault(parent, []).append(name)
    return tree


def _live(tree: _Tree, current: str, frame: Frame) -> dict[str, None]:
    """The nodes of the live branch, from its root to `current` or, without that, to the newest leaf."""
    name = current if current in tree.nodes else _newest(tree)
    path: dict[str, None] = {}
    while name in tree.nodes and name not in path:
        path[name] = None
        name = tree.parents.get(name, "")
    if name in path:
        frame.damaged(Damage(0, 0, RING))
    return dict.fromkeys(reversed(path))


def _newest(tree: _Tree) -> str:
    """The leaf with the latest time, the last one of the file among equals; any node where rings leave no leaf."""
    leaves = [name for name in tree.nodes if not tree.children.get(name)] or list(tree.nodes)
    ranked = ((_moment(tree.nodes[name]), place) for place, name in enumerate(leaves))
    return leaves[max(ranked)[1]] if leaves else ""


def _moment(node: dict[str, Any]) -> float:
    time = mapping(node.get("message")).get("create_time")
    return time if isinstance(time, int | float) and abs(time) < 1 << 53 else -1


def _turns(tree: _Tree, live: dict[str, None], frame: Frame) -> Iterator[Turn]:
    """The turns of the live branch, and after the message from which they branched off those that were abandoned.

    `seq` counts the messages of the live branch; an abandoned message has that of the one it hangs on.
    """
    seq, met = 0, set(live)
    for name in live:
        seq += isinstance(tree.nodes[name].get("message"), dict)
        yield from _said(tree.nodes[name], name, seq, frame, abandoned=False)
        for other in _beside(tree, name, met):
            yield from _said(tree.nodes[other], other, max(seq, 1), frame, abandoned=True)
    rest = [name for name in tree.nodes if name not in met]
    loose = [turn for name in rest for turn in _said(tree.nodes[name], name, max(seq, 1), frame, abandoned=True)]
    if loose:
        frame.damaged(Damage(0, 0, BROKEN))
    yield from loose


def _beside(tree: _Tree, name: str, met: set[str]) -> Iterator[str]:
    """What branches off a node, each branch from its beginning to its end; `met` are the nodes that were given."""
    waiting = list(reversed(tree.children.get(name, [])))
    while waiting:
        other = waiting.pop()
        if other not in met:
            met.add(other)
            yield other
            waiting.extend(reversed(tree.children.get(other, [])))


def _said(node: dict[str, Any], name: str, seq: int, frame: Frame, *, abandoned: bool) -> Iterator[Turn]:
    message = mapping(node.get("message"))
    said = [words for words in _words(message, frame.source.table) if words.text.strip()]
    if not said:
        return
    at, doubtful = frame.time(message.get("create_time"))
    ref = string(message.get("id")) or name
    for words in said:
        reason = words.reason or (ABANDONED if abandoned else "")
        kept = clip(words.text, KEPT_OF_MODEL) if words.reason in {PROFILE, SAVED} else bounded(words)
        yield Turn(seq, ref, words.author, kept, at, doubtful, reason, abandoned=abandoned)


def _words(message: dict[str, Any], table: Table) -> Iterator[Words]:
    """Who wrote a message, by its fields first; only what is left of role user is looked at as text."""
    content, about = mapping(message.get("content")), mapping(message.get("metadata"))
    kind, role = string(content.get("content_type")), string(mapping(message.get("author")).get("role"))
    settings = mapping(about.get("user_context_message_data"))
    if kind == "model_editable_context":
        yield Words(Author.INJECTED, string(content.get("model_set_context")), SAVED)
    elif kind == "user_editable_context" or settings:
        yield from _profile(content | settings)
    elif role == "tool":
        yield Words(Author.TOOL, _shown(content), "tool")
    elif about.get("is_visually_hidden_from_conversation") or about.get("is_user_system_message"):
        yield Words(Author.INJECTED, _shown(content), "hidden message")
    elif role == "user":
        yield from _user(kind, content, table)
    elif role == "assistant":
        yield from _assistant(message, kind, content)
    else:
        yield Words(Author.INJECTED, _shown(content), clip(role, 40) or "no role")


def _profile(settings: dict[str, Any]) -> Iterator[Words]:
    return (Words(Author.INJECTED, string(settings.get(key)), PROFILE) for key in _SETTINGS)


def _user(kind: str, content: dict[str, Any], table: Table) -> Iterator[Words]:
    if kind not in _PROSE:
        author = Author.DOCUMENT if kind.startswith("tether") else Author.INJECTED
        yield Words(author, _shown(content), clip(kind, 40) or "no content type")
        return
    for part in _parts(content):
        yield from words_in(_spoken(part), table)


def _spoken(part: Any) -> str:
    """A part as the person typed it or, in a voice chat, said it to the machine; "" for pictures and other things."""
    if isinstance(part, dict) and part.get("content_type") == "audio_transcription" and part.get("direction") == "in":
        return string(part.get("text"))
    return string(part)


def _assistant(message: dict[str, Any], kind: str, content: dict[str, Any]) -> Iterator[Words]:
    to = string(message.get("recipient"))
    if to == "bio":
        yield Words(Author.TOOL, _shown(content), "saved memory")
    elif to not in {"", "all"} or kind == "code":
        yield Words(Author.TOOL, _shown(content), "tool call")
    elif kind == "system_error":
        yield Words(Author.INJECTED, _shown(content), "error of the service")
    elif kind not in _THOUGHT:
        yield Words(Author.MODEL, _shown(content))


def _parts(content: dict[str, Any]) -> list[Any]:
    listed = content.get("parts")
    return listed if isinstance(listed, list) else []


def _shown(content: dict[str, Any]) -> str:
    """What a message of a machine says, in whichever field its kind keeps it."""
    listed = (string(part) or string(mapping(part).get("text")) for part in _parts(content))
    fields = (string(content.get(key)) for key in ("title", "text", "result"))
    return clip("\n".join(text for text in (*listed, *fields) if text), KEPT_OF_MODEL)
