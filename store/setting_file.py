"""Setting files: rules, personas and skills as Markdown with flat front matter (`spec/memora.md` §11.1–11.2, 11.6).

The codec is its own: every line splits at the first colon, nothing nests, nothing is quoted, all values are text.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from store.errors import BadInput

FOLDER = "settings"
"""Where a bank's setting files lie (`decisions.md` §2.3)."""
FOLDERS: Mapping[str, str] = {
    "persona": "personas",
    "rule": "rules",
    "skill": "skills",
    "guardrail": "rules/guardrails",
}
"""The folder of each kind, below `FOLDER`."""
SUGGESTED = ("rule", "persona", "skill")
"""The kinds that a suggestion may make."""
LONGEST_NAME = 100
NAME_BYTES = 200
"""Bytes of a name: room for `.md` and the mark of a prepared copy in the 255 that file systems give."""
LARGEST = 256 * 1024
"""Bytes of the largest file that is read (`decisions.md` §3.4)."""
TEMPLATE = 200
"""Characters up to which a file of headings and block quotes is only a template (`spec/memora.md` §11.3)."""
_SKIPPED = frozenset({"README.md", "CHANGELOG.md", "LICENSE"})
_SPLIT = re.compile("[,，、;]")


@dataclass(frozen=True, slots=True)
class SettingFile:
    """One setting file as it was last read. `path` is bank-relative, `sha` the SHA-256 of its bytes, `text` all of it.

    `kind` is persona, rule, skill, guardrail or what its own front matter says; `body` is the text without the latter.
    """

    path: str
    sha: str
    text: str
    kind: str
    name: str
    body: str
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def keywords(self) -> tuple[str, ...]:
        """The words by which a persona or a skill is found."""
        return split_keywords(self.fields.get("keywords", ""))

    @property
    def template(self) -> bool:
        """Whether it holds nothing yet: at most 200 characters of headings and block quotes."""
        lines = [line.strip() for line in self.body.splitlines()]
        said = [line for line in lines if line and not line.startswith("#")]
        return len(self.text) <= TEMPLATE and bool(said) and all(line.startswith(">") for line in said)


def parse_frontmatter(raw: str) -> tuple[dict[str, str], str]:
    """The fields between a first line `---` and the next one, and the text after it; no block: none and all of it."""
    first, newline, rest = raw.partition("\n")
    if not newline or first.rstrip("\r") != "---":
        return {}, raw
    lines = rest.split("\n")
    for at, line in enumerate(lines):
        if line.rstrip("\r") == "---":
            return _fields(lines[:at]), "\n".join(lines[at + 1 :])
    return {}, raw


def _fields(lines: Sequence[str]) -> dict[str, str]:
    pairs = (line.partition(":") for line in lines)
    return {key.strip(): value.strip() for key, colon, value in pairs if colon and key.strip() and value.strip()}


def serialize_frontmatter(fields: Mapping[str, object]) -> str:
    """`key: value` lines without their fence; what is None is left out.

    Raises `BadInput` for a value of several lines, and for a key that could not be read back.
    """
    lines = []
    for key, value in fields.items():
        if value is None:
            continue
        if not key.strip() or ":" in key or _breaks(key) or _breaks(str(value)):
            raise BadInput(f"{key!r} cannot stand in a setting file: keys and values are one line each.")
        lines.append(f"{key}: {value}")
    return "\n".join(lines)


def _breaks(text: str) -> bool:
    return len(text.splitlines()) > 1 or text != text.rstrip("\r\n")


def split_keywords(text: str) -> tuple[str, ...]:
    """A list as it stands in front matter, with ASCII or Chinese separators, each word once."""
    return tuple(dict.fromkeys(word for part in _SPLIT.split(text) if (word := part.strip())))


def is_setting(path: str) -> bool:
    """Whether a bank-relative path lies in the folder of the setting files."""
    return path.startswith(f"{FOLDER}/")


def is_setting_name(name: str) -> bool:
    """Whether a file of this name in such a folder is one (`spec/memora.md` §11.1)."""
    return name.endswith(".md") and not name.startswith((".", "_")) and name not in _SKIPPED


def check_name(name: str) -> str:
    """The name as it is written: composed, checked. Raises `BadInput` for one that could lead anywhere else."""
    name = unicodedata.normalize("NFC", name)
    good = all(char in "_-" or unicodedata.category(char)[0] in "LNM" for char in name)
    if not 1 <= len(name) <= LONGEST_NAME or not good or not is_setting_name(f"{name}.md"):
        raise BadInput(
            f"A rule, persona or skill needs a name of 1 to {LONGEST_NAME} letters, digits, - or _; change its name."
        )
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        size = NAME_BYTES + 1
    if size > NAME_BYTES:
        raise BadInput("This name is too long for a file; shorten it.")
    return name


def setting_path(kind: str, name: str) -> str:
    """Where the file of that name lies, bank-relative. Raises `BadInput` for a kind that no suggestion makes."""
    if kind not in SUGGESTED:
        raise BadInput(f"{kind!r} is none of {', '.join(SUGGESTED)}; choose one of these.")
    return f"{FOLDER}/{FOLDERS[kind]}/{check_name(name)}.md"


def check_setting_path(path: str) -> str:
    """The path itself, when it names a file that may be written. Raises `BadInput` for any other."""
    for kind in SUGGESTED:
        folder = f"{FOLDER}/{FOLDERS[kind]}/"
        name = path.removeprefix(folder).removesuffix(".md")
        if path == f"{folder}{name}.md" and name == check_name(name):
            return path
    raise BadInput(
        f"{path!r} is no place for a setting file; use settings/rules, settings/personas or settings/skills."
    )


def render(
    kind: str,
    name: str,
    content: str,
    confidence: float,
    now: datetime,
    *,
    description: str = "",
    keywords: Sequence[str] = (),
    before: SettingFile | None = None,
) -> str:
    """The whole text of a setting file (`spec/memora.md` §11.6).

    `confidence` is 0..1 and becomes its score. A file that was there keeps its other front matter, with its order.
    Raises `BadInput` for a name, a description or keywords that cannot be written.
    """
    if not content.strip():
        raise BadInput("There is no text left to write; give it some, or reject it.")
    at = now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    fields: dict[str, str | None] = dict(before.fields) if before is not None else {}
    name = check_name(name)
    fields |= {"id": f"{kind}:{name}", "source": kind, "name": name}
    if description:
        fields["description"] = description
    if keywords:
        fields["keywords"] = ", ".join(keywords)
    fields |= {"score": f"{confidence:g}", "createdAt": fields.get("createdAt") or at, "accessedAt": at}
    return f"---\n{serialize_frontmatter(fields)}\n---\n\n{content.strip()}\n"


def read_setting(path: str, data: bytes, sha: str) -> SettingFile:
    """A file's bytes as a setting. Raises `BadInput` for bytes that are no such text."""
    if len(data) > LARGEST:
        raise BadInput(f"The file is larger than {LARGEST // 1024} KiB and is not read; make it smaller.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput("The file is not UTF-8 text; save it as UTF-8.") from error
    fields, body = parse_frontmatter(text)
    folder, _, name = path.removeprefix(f"{FOLDER}/").removesuffix(".md").rpartition("/")
    kind = next((kind for kind, place in FOLDERS.items() if place == folder), "unknown")
    return SettingFile(path, sha, text, fields.get("source", kind), fields.get("name", name), body.strip(), fields)


def shown(files: Mapping[str, SettingFile], path: str, data: bytes | None) -> dict[str, SettingFile]:
    """The files once this one holds these bytes (None: it is gone)."""
    rest = {name: file for name, file in files.items() if name != path}
    if data is None or not is_setting_name(path.rpartition("/")[2]):
        return rest
    try:
        return {**rest, path: read_setting(path, data, hashlib.sha256(data).hexdigest())}
    except BadInput:
        return rest
