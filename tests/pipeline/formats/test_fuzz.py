"""Whatever happens to a file, reading it ends, and no machine's words become the person's."""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats.detect import detect
from pipeline.formats.head import LINES, PATH, WHOLE_DOCUMENT, Recognised
from pipeline.formats.read import read, sessions
from store.errors import BadInput
from tests.pipeline.formats.base_files import MACHINE
from tests.pipeline.formats.bases import BASES, FORMATS, Base, found_in
from tests.pipeline.formats.changing import FLIPS, changed, flipped, torn
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.test_lines import cut
from tests.pipeline.formats.writing import DATA, dump, source

SECONDS = 10.0
"""Of the processor, a wide bound for one of these small files: a reader that stalls takes minutes."""
IN_LINES = sorted(name for name, base in BASES.items() if base.shape == LINES)
NAMES = sorted(BASES)


def attempt(base: Base, data: bytes) -> list[str]:
    """What the person wrote in a file, read within the bound."""
    began = time.process_time()
    found = found_in(base, data)
    assert time.process_time() - began < SECONDS
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_files_that_are_broken_below_read_well_when_whole(name: str) -> None:
    base = BASES[name]
    data = base.data(base.value)
    assert tuple(attempt(base, data)) == base.want
    assert MACHINE.encode() in data


@pytest.mark.parametrize("name", NAMES)
def test_the_files_that_are_broken_below_are_told_by_their_content(name: str, tmp_path: Path) -> None:
    base = BASES[name]
    if base.format != "mapped" and base.shape != PATH:
        (tmp_path / "file").write_bytes(base.data(base.value))
        assert (detect(tmp_path / "file").format, detect(tmp_path / "file").shape) == (base.format, base.shape)


@pytest.mark.parametrize("name", NAMES)
@given(chance=st.randoms(use_true_random=False), data=st.data())
def test_fuzz_a_file_that_was_changed_anywhere_invents_no_words_of_the_person(
    name: str, chance: random.Random, data: st.DataObject
) -> None:
    """Torn, glued, repeated, reordered, cut short, or with values of the wrong kind, several of it at once."""
    base = BASES[name]
    value = base.value
    for _ in range(chance.randrange(3)):
        value = _moved(value, chance)
    changes = data.draw(st.lists(st.tuples(st.integers(0, 10_000), VALUES), max_size=4))
    value = changed(value, changes, base.decisive)
    written = base.data(value)
    if base.shape == LINES and isinstance(value, list) and chance.random() < 0.5:
        written = torn([json.dumps(line).encode() for line in value], chance)
    elif base.shape == WHOLE_DOCUMENT and chance.random() < 0.3:
        written = written[: chance.randrange(len(written) + 1)]
    assert all(MACHINE not in text for text in attempt(base, written))


@pytest.mark.parametrize("name", NAMES)
@given(changes=st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4))
def test_fuzz_values_of_the_wrong_kind_anywhere_raise_nothing(name: str, changes: list[tuple[int, Any]]) -> None:
    """Also in the fields that say who wrote something: then nobody can know, but the file is read to its end."""
    base = BASES[name]
    attempt(base, base.data(changed(base.value, changes, frozenset())))


def _moved(value: Any, chance: random.Random) -> Any:
    """The value with one of its lists, or its files, in another order, with a member twice or one missing."""
    if isinstance(value, dict):
        if not value:
            return value
        key = chance.choice(sorted(value))
        return value | {key: _moved(value[key], chance)} if chance.random() < 0.8 else _without(value, key)
    if not isinstance(value, list) or not value:
        return value
    place, other = chance.randrange(len(value)), chance.randrange(len(value))
    kind = chance.randrange(4)
    if kind == 0:
        return [*value[:place], *value[place + 1 :]]
    if kind == 1:
        return [*value[:other], value[place], *value[other:]]
    if kind == 2:
        return chance.sample(value, len(value))
    return [*value[:place], _moved(value[place], chance), *value[place + 1 :]]


def _without(value: dict[str, Any], key: str) -> dict[str, Any]:
    """A file less; a field less could be one that says who wrote something."""
    return {name: item for name, item in value.items() if name != key} if "/" in key else value


@given(name=st.sampled_from(IN_LINES), chance=st.randoms(use_true_random=False), data=st.data())
def test_fuzz_cut_glued_and_shuffled_lines_say_nothing_that_the_whole_file_does_not(
    name: str, chance: random.Random, data: st.DataObject
) -> None:
    """Lines that are torn at their end, repeated, reordered and run together."""
    base = BASES[name]
    lines = [json.dumps(line).encode() for line in base.value]
    picked = data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=12))
    found = attempt(base, torn([lines[index] for index in picked], chance))
    assert {text for text in found if text not in ALSO} <= {*base.want}


ALSO = frozenset({"words taken back"})
"""Words that are the person's once the line that took them back is gone."""


@pytest.mark.parametrize("name", IN_LINES)
def test_a_line_torn_anywhere_and_run_into_by_another_invents_no_words(name: str) -> None:
    """Every third place of every line, once alone and once before a whole record."""
    base = BASES[name]
    first, *rest = [json.dumps(line).encode() for line in base.value]
    for number, line in enumerate(rest):
        for end in range(number % 3, len(line), 3):
            written = first + b"\n" + line[:end]
            assert {*attempt(base, written), *attempt(base, written + rest[-1] + b"\n")} <= {*base.want, *ALSO}


@given(
    name=st.sampled_from(NAMES),
    flips=FLIPS,
    packed=st.booleans(),
)
def test_fuzz_changed_bytes_raise_nothing_but_bad_input(name: str, flips: list[tuple[int, int]], packed: bool) -> None:
    base = BASES[name]
    data = base.data(base.value)
    if packed and base.shape == LINES:
        data = zstandard.ZstdCompressor().compress(data)
    data = flipped(data, flips)
    _read(data, base)
    if base.shape == PATH:
        _store(data)


def _store(data: bytes) -> None:
    """A database whose bytes were changed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "opencode.db"
        path.write_bytes(DATABASE[: len(DATABASE) // 2] + data[:200] + DATABASE[len(DATABASE) // 2 + 200 :])
        try:
            read(path, formats=FORMATS)
        except BadInput as error:
            assert str(error).startswith(folder)


DATABASE = (DATA / "transcripts" / "opencode" / "db" / "opencode.db").read_bytes()


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"{", b"[", b'{"type":"user","message":', b"\x28\xb5\x2f\xfd", b"PK\x03\x04"]),
)
def test_fuzz_any_bytes_raise_nothing_but_bad_input(data: bytes, start: bytes) -> None:
    _read(start + data, None)
    for name in NAMES:
        if BASES[name].shape != PATH:
            attempt(BASES[name], start + data)


def _read(data: bytes, base: Base | None) -> None:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(data)
        file.flush()
        for format in (None, base.format if base is not None else None):
            try:
                assert read(Path(file.name), format=format, formats=FORMATS)
            except BadInput as error:
                assert str(error).startswith(file.name)


def _samples() -> list[Path]:
    return sorted(path for path in DATA.glob("**/*.json*") if "transcripts" in path.parts or "tricky" in path.parts)


def _is_stream(path: Path) -> bool:
    return path.name != "expected.json" and "storage" not in path.parts


@pytest.mark.parametrize("path", [path for path in _samples() if _is_stream(path)], ids=lambda path: path.name)
@given(places=st.lists(st.integers(0, 200_000), max_size=6))
def test_property_a_file_reads_the_same_however_it_is_cut(path: Path, places: list[int]) -> None:
    data, found = path.read_bytes(), detect(path)
    told = source(path.name)
    assert sessions(cut(data, places), found, told) == sessions([data], found, told)


STREAMS = [name for name in NAMES if BASES[name].shape != PATH]


@given(name=st.sampled_from(STREAMS), places=st.lists(st.integers(0, 4_000), max_size=60))
def test_property_a_broken_stream_of_bytes_reads_the_same(name: str, places: list[int]) -> None:
    base = BASES[name]
    data, found = base.data(base.value), Recognised(base.format, "", base.shape)
    assert sessions(cut(data, places), found, source(), FORMATS) == sessions([data], found, source(), FORMATS)


def test_lines_of_every_format_in_one_file_are_told_by_the_first(tmp_path: Path) -> None:
    """And read by that format alone: what another one calls the person's does not count."""
    for name in IN_LINES:
        if name == "mapped":
            continue
        others = [line for other in IN_LINES if other != name for line in BASES[other].value]
        path = tmp_path / "file.jsonl"
        path.write_bytes(dump([*BASES[name].value, *others]))
        found = detect(path)
        assert found.format == BASES[name].format
        try:
            told = found_in(BASES[name], path.read_bytes())
        except BadInput:
            continue
        assert all(MACHINE not in text for text in told), name
