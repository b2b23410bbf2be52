"""How the person's settings say that extraction runs: shared by the command and the Sessions screen."""

from __future__ import annotations

from dataclasses import replace

from pipeline.extract.options import Options as ExtractOptions
from pipeline.model import ModelSettings, runs_here
from store.config import Config

ALL = 1_000_000
"""More windows than a transcript has."""


def model_settings(config: Config, model: str | None = None, api_base: str | None = None) -> ModelSettings | None:
    """The model to call: what the command says, else the person's settings, else none (the offline rules)."""
    named = model or str(config.get("model"))
    if not named:
        return None
    base = api_base or str(config.get("api_base")) or None
    word = str(config.get("small_model"))
    small = word == "on" or (not word and runs_here(named, base))
    return ModelSettings(named, base, float(config.get("model_timeout")), small=small)


def extract_options(config: Config, model: ModelSettings | None) -> ExtractOptions:
    """How transcripts are cut and what a model may name, as the person's settings say.

    A run with a model goes so many windows far and no further; the offline rules, which cost nothing, read to the end.
    """
    found = ExtractOptions(window_messages=int(config.get("window_messages")), facets=bool(config.get("facets")))
    if model is None:
        return replace(found, max_windows_per_run=ALL)
    return replace(found, repair_answers=True, model=model.model)


def parallel(config: Config) -> int:
    """How many calls to a model may be under way at the same time."""
    return int(config.get("parallel"))
