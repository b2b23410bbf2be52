"""What can be done with memories on any screen that shows them: each act is one changeset and says what it did."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from store.called import called
from store.errors import MemdeskError
from store.memory import Memory
from tui.asking import Asking, asks
from tui.messages import BASE, TEXT
from tui.screens.bank_detail import as_json, as_text
from tui.screens.frame import Framed
from tui.text import count, one_line

if TYPE_CHECKING:
    from store.changes import MoveMemory, PutMemory

OLDER = " The text below its --- still says the earlier statement; E changes that too."
CHANGES = ("item.edit", "item.editor", "item.trash")
ON_MEMORIES = (*CHANGES, "item.protect", "item.copy", "item.copy-json", "bank.copy-text", "bank.restore", "item.links")


class MemoryActs(Framed):
    """A screen with memories. It gives `targets()` (marked, else the current one) and `current_memory()`."""

    def targets(self) -> Sequence[Memory]:
        """What an action applies to."""
        return ()

    def current_memory(self) -> Memory | None:
        """The memory under the cursor."""
        return None

    def acted(self) -> None:
        """An act was asked for on the targets: marks go, the cursor moves on."""

    def awaited(self) -> None:
        """Something was asked for and is not written yet: the rows show which memories wait."""

    def why_not(self, id: str) -> str:
        """A key on memories needs one that is not protected, not in the trash, and not being written."""
        if reason := super().why_not(id):
            return reason
        if id not in ON_MEMORIES:
            return ""
        memory = self.current_memory()
        if memory is None:
            return "There is no memory here."
        if id == "bank.restore" and memory.state != "trashed":
            return "It is not in the trash; T shows what is."
        if id in {*CHANGES, "item.protect"} and memory.state == "trashed":
            return "It is in the trash; r puts it back first."
        if id in CHANGES and all(one.immutable for one in self.targets()):
            return "It is protected; press p first."
        if id in {"item.trash", "item.protect", "bank.restore"} and not self._settled():
            return "It is still being written; try again in a moment."
        return ""

    # --- changes

    def do_item_trash(self) -> None:
        """To the trash, without a question: `u` takes it back."""
        from store.changes import MoveMemory  # what changes something is not needed for the first frame

        free = [memory for memory in self._settled() if not memory.immutable]
        kept = len(self.targets()) - len(free)
        if not free:
            return
        done = f"Moved {_named(free)} to the trash."
        if kept:
            done += f" {count(kept, 'protected one')} stayed."
        self._commit([MoveMemory(memory.id, "trashed", memory.sha) for memory in free], "trash", free, done)

    def do_bank_restore(self) -> None:
        """Back from the trash."""
        from store.changes import MoveMemory

        chosen = [memory for memory in self._settled() if memory.state == "trashed"]
        if chosen:
            moves = [MoveMemory(memory.id, "live", memory.sha) for memory in chosen]
            self._commit(moves, "restore", chosen, f"Put {_named(chosen)} back.")

    def do_item_protect(self) -> None:
        """Immutable, or not any more: all alike, after the first."""
        from store.changes import PutMemory

        chosen = self._settled()
        if not chosen:
            return
        on = not chosen[0].immutable
        puts = [
            PutMemory(memory.id, {"immutable": on}, base=memory.sha) for memory in chosen if memory.immutable is not on
        ]
        word = "Protected" if on else "No longer protected:"
        self._commit(puts, "protect" if on else "unprotect", chosen, f"{word} {_named(chosen)}.", move_on=False)

    def _commit(
        self,
        changes: Sequence[MoveMemory | PutMemory],
        verb: str,
        memories: Sequence[Memory],
        done: str,
        *,
        move_on: bool = True,
    ) -> None:
        ids = [memory.id for memory in memories]
        names = called(memories[0].id) if len(memories) == 1 else count(len(memories), "memory", "memories")
        self.workbench.desk.commit(changes, f"{verb} {names}", done, ids)
        if move_on:
            self.acted()
        self.awaited()

    def _settled(self) -> list[Memory]:
        """The targets without those that wait to be written already: a key pressed twice acts once."""
        pending = self.workbench.desk.pending
        return [memory for memory in self.targets() if memory.id not in pending]

    # --- editing

    @asks
    def do_item_new(self) -> Asking:
        """A new memory, in a form."""
        from tui.screens import bank_edit
        from tui.widgets.form import Form

        owner = self.workbench.remembered.get("owner")
        fields = bank_edit.fields_of(None, self.workbench.desk.view, owner)
        typed = self.workbench.typed.pop(("item.new", ""), None)
        check = partial(bank_edit.check, new=True)
        values = yield Form("A new memory", fields, check=check, focus="subject", typed=typed)
        if values is None:
            return
        if values["owner"].strip():
            self.workbench.remembered.set("owner", values["owner"].strip())
        subject = one_line(values["subject"], 60)
        reason = f"remember a {values['type']}"
        self.workbench.desk.commit([bank_edit.new_change(values)], reason, f"Remembered {subject}.", typed=values)

    @asks
    def do_item_edit(self) -> Asking:
        """Edit here; a text that is too long for a form goes to the editor."""
        from tui.screens import bank_edit
        from tui.widgets.form import Form

        memory = self.current_memory()
        if memory is None:
            return
        if len(memory.statement) + len(memory.body) > bank_edit.BODY_LIMIT:
            self.say("This text is too long for a form.", "item.editor")
            return
        fields = bank_edit.fields_of(memory, self.workbench.desk.view)
        title = f"Edit {memory.name.removesuffix('.md')}"
        typed = self.workbench.typed.pop(("item.edit", memory.id), None)
        values = yield Form(title, fields, check=bank_edit.check, focus="statement", typed=typed)
        change = None if values is None else bank_edit.edit_change(memory, fields, values)
        if values is not None and change is None:
            self.say("Nothing was changed.")
        elif change is not None:
            self._save(memory, change, values)

    def do_item_editor(self) -> None:
        """Edit the whole file in `$EDITOR`; the change is joined with what others did meanwhile."""
        from tui import editor

        memory = self.current_memory()
        if memory is None:
            return
        kept = self.workbench.typed.get(("item.editor", memory.id))
        try:
            data, base = self._source(memory.id, kept)
            edited = editor.edit(self.app, data, memory.name)
        except MemdeskError as error:
            self.say(str(error))
            return
        self.workbench.typed.pop(("item.editor", memory.id), None)
        edited = kept[TEXT] if edited is None and kept is not None else edited
        if edited is None:
            self.say("Nothing was changed.")
        elif not edited.strip():
            self.say("The editor left an empty file; nothing was changed. x moves a memory to the trash.")
        else:
            from store.changes import PutMemory
            from tui.screens.bank_edit import left_behind

            note = OLDER if left_behind(memory, edited) else ""
            self._save(memory, PutMemory(memory.id, text=edited, base=base), {TEXT: edited, BASE: base}, note)

    def _source(self, id: str, kept: Mapping[str, str] | None) -> tuple[bytes, str]:
        """What the editor opens and the hash of the file it comes from: the file, or a text that could not be saved."""
        from hashlib import sha256

        if kept is not None:
            return kept[TEXT].encode(), kept[BASE]
        data = self.workbench.desk.bank.source(id)
        return data, sha256(data).hexdigest()

    def _save(self, memory: Memory, change: PutMemory, typed: Mapping[str, str] | None = None, note: str = "") -> None:
        what = ", ".join(sorted(change.fields)) if change.fields else "the text"
        done = f"Saved {what} of {_named([memory])}.{note}"
        self.workbench.desk.commit([change], f"edit {called(memory.id)}", done, [memory.id], typed)
        self.awaited()

    # --- copying

    def do_item_copy(self) -> None:
        """The text; the bank copies the path."""
        self.copy(as_text(self.targets()), "the text")

    def do_bank_copy_text(self) -> None:
        """The text, on the screen where `y` copies the path."""
        self.copy(as_text(self.targets()), "the text")

    def do_item_copy_json(self) -> None:
        """As JSON."""
        self.copy(as_json(self.targets()), f"{count(len(self.targets()), 'memory', 'memories')} as JSON")


def _named(memories: Sequence[Memory]) -> str:
    """One memory by its subject, several by their number."""
    if len(memories) != 1:
        return count(len(memories), "memory", "memories")
    subject = one_line(memories[0].subject, 60)
    return re.sub(r"[.:;,]+$", "", subject) or memories[0].name
