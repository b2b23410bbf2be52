"""Asking for the text that is about to be lost: pasted, or the name of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from store import clock
from store.errors import MemdeskError
from tui.audited import named_file
from tui.widgets.form import Field, Form


@dataclass(frozen=True, slots=True)
class Text:
    """A text to audit: itself and where it is from, or the name of a file that is still to be read."""

    text: str = ""
    source: str = ""
    file: str = ""


def audit_form(text: Text) -> Form:
    """Asks for a text or a file; what was given before stands in it."""
    fields = (
        Field("text", "text", text.text if not text.file else "", kind="text"),
        Field("file", "or a file", text.file, placeholder="~/notes.md"),
    )
    return Form("What is about to be lost?", fields, check=_fault, focus="text", verb="audit")


def given(values: Mapping[str, str]) -> Text:
    """The text that the form's values name."""
    if values["text"].strip():
        return Text(values["text"], pasted_now())
    return Text(file=values["file"].strip())


def pasted_now() -> str:
    """What a text is called that was pasted now."""
    return f"text pasted {clock.now():%Y-%m-%d %H:%M}"


def _fault(values: Mapping[str, str]) -> str:
    text, file = values["text"].strip(), values["file"].strip()
    if text and file:
        return "Give a text or a file, not both."
    if not text and not file:
        return "Paste the text that is about to be lost, or name a file with it."
    return file_fault(file) if file else ""


def file_fault(name: str) -> str:
    """Why a file cannot be read, as a sentence; "" when it can, as far as is known without opening it."""
    try:
        named_file(name)
    except MemdeskError as error:
        return str(error)
    return ""
