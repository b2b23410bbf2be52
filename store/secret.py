"""The one list of what looks like a secret, for the bank and for extraction.

Product list: `spec/extraction.md` §23.7 with `spec/bank.md` §20.3 SEC-001–006; exceptions: `decisions.md` §4.6;
payment cards besides. The patterns of the port (`spec/extraction.md` §12) stand apart, for comparison. Every search is
linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from store.card import card_numbers

MASK = "[REDACTED]"
"""What stands in the place of a masked secret (`spec/extraction.md` §12)."""

Span = tuple[int, int]

_PASSES = 8
"""Bound on masking again what masking uncovered; two are enough for text that is not made to need more."""

_REACH = 400
"""More characters than any rule but the private key's reads of what stands before white space that it reads over."""
_LONGEST = 3
"""More times than a mask is longer than what it replaces: a value has four characters."""
_MARGIN = 24 << 10
"""Characters looked at beyond those that are wanted: about what `_settled` gives up, three times."""
_BREAK = re.compile(r"[ \t\n\r]")

_RUN = "A-Za-z0-9_-"
_SHAPES: tuple[tuple[str, str], ...] = (
    ("signed token", rf"(?<![{_RUN}])[{_RUN}]{{16,}}+\.[{_RUN}]{{16,}}+\.[{_RUN}]{{16,}}+"),
    ("AWS key id", r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    ("GitHub token", r"gh[pousr]_[A-Za-z0-9]{20,}+"),
    ("GitHub token", r"github_pat_[A-Za-z0-9_]{20,}+"),
    ("npm token", r"npm_[A-Za-z0-9]{30,}+"),
    ("Slack token", r"xox[baprs]-[A-Za-z0-9-]{10,}+"),
    ("Google key", r"AIza[A-Za-z0-9_-]{30,}+"),
)
"""Patterns 2 to 8 of `spec/extraction.md` §12."""

_LATER_SHAPES: tuple[tuple[str, str], ...] = (
    ("GitLab token", rf"(?<![{_RUN}])gl(?:pat|ptt|dt|rt|cbt|oas|soat)-[{_RUN}]{{20,}}+"),
    ("Hugging Face token", rf"(?<![{_RUN}])hf_[A-Za-z0-9]{{30,}}+"),
)
"""Tokens that name their maker and stand in neither list; the patterns of the port stay what they are."""

PORT_PATTERNS: tuple[re.Pattern[str], ...] = (
    re.compile(rf"(?:sk|pk|rk|tok|key|secret|token|password)[{_RUN}]{{12,}}+"),
    *(re.compile(shape) for _, shape in _SHAPES),
)
"""The eight patterns of the port, in its order (`spec/extraction.md` §12)."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule's name for people and how it finds the spans to mask."""

    name: str
    spans: Callable[[str], Iterator[Span]]


def port_redact(text: str) -> str:
    """The text with the port's eight patterns masked; a text is secret-bearing there when this changes it."""
    for pattern in PORT_PATTERNS:
        text = pattern.sub(MASK, text)
    return text


def find_secrets(text: str) -> tuple[str, ...]:
    """Names of the rules that find a secret in the text, in the order of the list; never the text itself.

    Looks at the text as it is, with hidden characters and fences blanked, and with them deleted, so that a token split
    by a backtick or a zero-width character is found (ext-D12).
    """
    return tuple(dict.fromkeys(name for name, _ in _hits(_composed(text))))


def secrets_among(texts: Iterable[str]) -> tuple[str, ...]:
    """The same over several texts that stand apart."""
    return tuple(dict.fromkeys(name for text in texts for name in find_secrets(text)))


def mask(text: str) -> str:
    """The text with every secret replaced by `[REDACTED]`; unchanged, byte for byte, when there is none. Idempotent."""
    for _ in range(_PASSES):
        masked = _masked(text)
        if masked is None:
            break
        text = masked
    return text


def mask_beginning(text: str, points: int, *, cut: bool = False) -> str:
    """The first code points of `mask(text)`, composed (NFC), found without a look at much more of the text than that.

    A text is looked at as a whole only where it holds a private key, or no white space. `cut`: the text is itself the
    beginning of a longer one, up to white space there; what its rest could change is left out, so it may be shorter.
    """
    size = points + _MARGIN
    while hit := _BREAK.search(text, size):
        head = _composed(text[: hit.start()])
        if _has_key(head):
            break
        if len(sure := _sure_of(head, points)) >= points:
            return sure
        size = hit.start() * 4
    if cut:
        return "" if _has_key(text) else _sure_of(_composed(text), points)
    return _composed(mask(text))[:points]


def _has_key(text: str) -> bool:
    return any(_PEM.search(form) for form, _ in _forms(text))


def _sure_of(head: str, points: int) -> str:
    """What is masked alike whatever follows a text without a private key after white space, at most so much of it."""
    masked = mask(head)
    return masked[: max(0, min(points, len(masked) - _LONGEST * (len(head) - _settled(head))))]


def _settled(head: str) -> int:
    """Where the part of a text begins that what follows it may change: every mask may bring the next within reach."""
    at = len(head)
    for _ in range(2 * _PASSES):
        left = _REACH
        while left and at:
            at -= 1
            left -= head[at] not in _FENCES + "~" and unicodedata.category(head[at]) not in {"Cc", "Cf"}
        at = max(head.rfind(" ", 0, at), head.rfind("\n", 0, at), 0)
    return at


def _masked(text: str) -> str | None:
    """One pass; None when nothing was found. A mask may uncover the start of a next secret, so there are more."""
    plain = _composed(text)
    spans = _merged([span for _, span in _hits(plain)])
    if not spans:
        return None
    masked, at = [], 0
    for start, end in spans:
        masked += [plain[at:start], MASK]
        at = end
    return "".join(masked) + plain[at:]


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _hits(text: str) -> Iterator[tuple[str, Span]]:
    """Rule names with spans of the text, over its three forms."""
    forms = _forms(text)
    for rule in _RULES:
        for form, places in forms:
            for start, end in rule.spans(form):
                yield rule.name, (start, end) if places is None else (places[start], places[end - 1] + 1)


def _merged(spans: list[Span]) -> list[Span]:
    done: list[Span] = []
    for start, end in sorted(spans):
        if done and start < done[-1][1]:
            done[-1] = (done[-1][0], max(end, done[-1][1]))
        else:
            done.append((start, end))
    return done


_FENCES = "<>`"
_PLAIN = re.compile(r"[\x20-\x7e\t\n\r]*")


def _forms(text: str) -> list[tuple[str, list[int] | None]]:
    """The text as it is, neutralised, and without separators (`spec/extraction.md` §23.7 a–c), with original places."""
    forms: list[tuple[str, list[int] | None]] = [(text, None)]
    if _PLAIN.fullmatch(text) and not any(char in text for char in "<>`~"):
        return forms
    blanked: list[str] = []
    joined: list[str] = []
    blanked_at: list[int] = []
    joined_at: list[int] = []
    for index, char in enumerate(text):
        if char in _FENCES:
            continue
        hidden = not char.isspace() and unicodedata.category(char) in {"Cc", "Cf"}
        if not (char == "~" and blanked and blanked[-1] == "~"):
            blanked.append(" " if hidden else char)
            blanked_at.append(index)
        if not hidden:
            joined.append(char)
            joined_at.append(index)
    return [*forms, ("".join(blanked), blanked_at), ("".join(joined), joined_at)]


# --- rules ------------------------------------------------------------------------------------------------------------

_WORDS = "secret|token|password|passwd|passphrase|pwd|credentials?"
_KEY_NAMES = "(?:api|private|secret|access|ssh|signing)[_. -]?key"
_GAP = r"[ \t]{0,4}"
_VALUE = r"""(?:"(?P<double>[^"\n]{4,256})"|'(?P<single>[^'\n]{4,256})'|["'“]?(?P<bare>[^\s"'”]{4,}+))"""
_TRAILING = ".,;)]}>。，；！？）"

_ASSIGNMENT = re.compile(
    rf"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:{_WORDS}|{_KEY_NAMES})[\"'\])]?{_GAP}(?:[:=]=?|=>|\uff1a){_GAP}{_VALUE}"
)
_SAID = re.compile(rf"\b(?i:password|passphrase|passcode)[ \t]{{1,4}}(?i:is|was)[ \t]{{1,4}}{_VALUE}")
_SAID_CHINESE = re.compile(rf"(?:密码|口令|密钥|令牌){_GAP}(?:是|为|[:=\uff1a]){_GAP}[\"'“]?(?P<bare>[!-~]{{4,}}+)")
_AUTHORIZATION = re.compile(
    rf"(?i:authorization)[\"']?{_GAP}[:=]{_GAP}[\"']?"
    rf"(?P<scheme>(?i:bearer|basic|token|digest|apikey)[ \t]{{1,4}})?(?P<bare>[^\s\"']{{4,}}+)"
)
_BEARER = re.compile(r"\b(?i:bearer|basic)[ \t]{1,4}(?P<bare>[A-Za-z0-9._~+/=-]{8,}+)")
_QUERY = re.compile(
    r"[?&](?P<name>(?i:[a-z_-]{0,40}(?:token|secret|password|passwd|signature|credential|api[_-]?key|access[_-]?key)"
    r"|key|sig|auth|pwd))=(?P<bare>[^\s&#\"']{4,}+)"
)
_URL_LOGIN = re.compile(r"(?<=[A-Za-z0-9])://[^\s/:@]{0,256}+:(?P<bare>[^\s/@]{1,256}+)@")
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}-----")
_PREFIX = re.compile(rf"(?<![{_RUN}])(?:sk|pk|rk)[-_][{_RUN}]{{8,}}+")
_RUNS = re.compile(rf"[{_RUN}]{{15,}}+")
_KEYWORD = re.compile(r"(?<![A-Za-z0-9])(?i:key|secret|token|password)[_-]")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{40,}+(?![0-9A-Za-z])")
_BEFORE_HASH = re.compile(
    r"(?i)(?:commit|revision|rev|sha-?\d{0,3}|hash|提交|哈希)(?:值|id)?[\s:=@#(\"'/\uff1a]{0,4}\Z"
)

_STANDS_FOR_NOTHING = re.compile(
    r"\$\{{0,2}[\w.:-]{1,64}\}{0,2}|\{\{?[^{}]{1,64}\}?\}|%\w{1,64}%|<[^<>]{1,64}>|[*•x.…]{3,64}|process\.env\.\w{1,64}"
    r"|os\.(?:environ|getenv)\S{1,64}"
)
"""References to a value kept elsewhere, and blanks."""
_NO_VALUES = frozenset(
    {
        "expired",
        "false",
        "hidden",
        "invalid",
        "missing",
        "nil",
        "none",
        "null",
        "optional",
        "redacted",
        "required",
        "string",
        "true",
        "undefined",
    }
)


def _real(value: str) -> bool:
    """Whether a value is a value, and not a mask, a reference, a blank or the next name."""
    left = value.replace(MASK, "").strip(_TRAILING + "([{")
    if len(left) < 4 or left.lower() in _NO_VALUES:
        return False
    named = len(value) <= 24 and _NAME.fullmatch(value)
    return not named and not _STANDS_FOR_NOTHING.fullmatch(value.rstrip(".,;"))


_NAME = re.compile(rf"[\"']?(?i:{_WORDS}|{_KEY_NAMES})[\"']?[:=\uff1a]+")


def _random(value: str) -> bool:
    """Whether a value looks made by a machine: digits among letters, padding, or longer than words are."""
    digit = any(char.isdigit() for char in value)
    if digit or value.endswith("="):
        return len(value) >= 8
    if "-" in value or "_" in value:
        return False
    return len(value) >= 20 or (len(value) >= 16 and any(char.isupper() for char in value[1:]))


def _valued(pattern: re.Pattern[str], accept: Callable[[re.Match[str], str], bool]) -> Callable[[str], Iterator[Span]]:
    """A rule that masks only the value; after a value that is none the search goes on inside it."""

    def spans(text: str) -> Iterator[Span]:
        at = 0
        while hit := pattern.search(text, at):
            group = next(name for name in ("double", "single", "bare") if hit.groupdict().get(name))
            start, end = hit.span(group)
            if group == "bare":
                end = start + len(hit[group].rstrip(_TRAILING)) if not hit[group].endswith(MASK) else end
            if accept(hit, text[start:end]):
                yield start, end
                at = hit.end()
            else:
                at = max(start, hit.start() + 1)

    return spans


def _whole(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Span]]:
    return lambda text: (hit.span() for hit in pattern.finditer(text))


def _pem(text: str) -> Iterator[Span]:
    at = 0
    while hit := _PEM.search(text, at):
        closed = _PEM_END.search(text, hit.end())
        at = closed.end() if closed else len(text)
        yield hit.start(), at


def _keyword_runs(text: str) -> Iterator[Span]:
    """A keyword, a hyphen or underscore, and 11+ characters with a digit: one look at each run keeps it linear."""
    for run in _RUNS.finditer(text):
        hit = _KEYWORD.search(text, *run.span())
        if hit and run.end() - hit.end() >= 11 and any(char.isdigit() for char in text[hit.end() : run.end()]):
            yield hit.start(), run.end()


def _hex(text: str) -> Iterator[Span]:
    """40+ hex digits, unless they name a commit or stand in the path of an address (`decisions.md` §4.6)."""
    for hit in _HEX.finditer(text):
        if not any(char.isdigit() for char in hit[0].removeprefix("0x")):
            continue  # a word without a digit is never a secret
        if _BEFORE_HASH.search(text[max(0, hit.start() - 24) : hit.start()]):
            continue
        word = re.split(r"\s", text[max(0, hit.start() - 512) : hit.start()])[-1]
        if "://" not in word or "?" in word.rsplit("://", 1)[-1]:
            yield hit.span()


def _authorized(hit: re.Match[str], value: str) -> bool:
    return _real(value) and (_random(value) or (bool(hit["scheme"]) and len(value) >= 8))


_WEAK_NAMES = frozenset({"key", "sig", "auth", "pwd"})


def _queried(hit: re.Match[str], value: str) -> bool:
    return _real(value) and (hit["name"].lower() not in _WEAK_NAMES or _random(value))


_RULES: tuple[_Rule, ...] = (
    *(_Rule(name, _whole(re.compile(shape))) for name, shape in _SHAPES),
    *(_Rule(name, _whole(re.compile(shape))) for name, shape in _LATER_SHAPES),
    _Rule("key prefix", _whole(_PREFIX)),
    _Rule("private key", _pem),
    _Rule("password in an address", _valued(_URL_LOGIN, lambda _, value: _real(value))),
    _Rule("secret in an address", _valued(_QUERY, _queried)),
    _Rule("authorization", _valued(_AUTHORIZATION, _authorized)),
    _Rule("authorization", _valued(_BEARER, lambda _, value: _random(value))),
    _Rule("named secret", _valued(_ASSIGNMENT, lambda _, value: _real(value))),
    _Rule("named secret", _valued(_SAID, lambda _, value: _real(value) and any(char.isdigit() for char in value))),
    _Rule("named secret", _valued(_SAID_CHINESE, lambda _, value: _real(value))),
    _Rule("keyword and digits", _keyword_runs),
    _Rule("long hex number", _hex),
    _Rule("card number", card_numbers),
)
"""Product rules in the order in which their names are told."""
