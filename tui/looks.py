"""How the workbench looks: its themes and its stylesheet, and nothing drawn twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from tui.options import Options, theme_for
from tui.stylesheet import OnceParsed
from tui.theme import DEFAULTS, THEMES, plain

if TYPE_CHECKING:
    from textual.theme import Theme


class Looks(App[int]):
    """An application in our colours."""

    TITLE = "Memdesk"
    CSS_PATH = "app.tcss"

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(ansi_color=True if plain() else None)
        self.options = options or Options()
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_for(self.options.theme)
        self.stylesheet = OnceParsed(variables=self.get_css_variables())

    def get_theme(self, theme_name: str) -> Theme | None:
        """A theme by its name; Textual asks for every line that it draws, so the answer is looked up, not made."""
        return self._registered_themes.get(theme_name) or super().get_theme(theme_name)

    def delay_update(self, delay: float = 0.05) -> None:
        """Draw nothing while one screen gives way to another; before the first there is nothing that could flash."""
        if self.current_mode != self.DEFAULT_MODE:
            super().delay_update(delay)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colour names for themes that do not know them."""
        return DEFAULTS
