"""Which encoder the person's settings name."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.recall.encoding.asked_model import AskedModel, EmbeddingSettings
from pipeline.recall.encoding.bundled import Bundled, missing
from pipeline.recall.encoding.encoders import Encoder
from store.config import Config

OFF, BUNDLED = "off", "bundled"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The encoder of the person's settings; None when there is none, then `notice` says why unless they want none."""

    encoder: Encoder | None
    notice: str = ""


def encoder_of(config: Config) -> Chosen:
    """The encoder that the setting `meaning` names. Quick: nothing is loaded, started or asked before it is used."""
    named = str(config.get("meaning"))
    if named == OFF:
        return Chosen(None)
    if named in {"", BUNDLED}:
        why = missing()
        return Chosen(None, why if named else "") if why else Chosen(Bundled())
    return Chosen(
        AskedModel(
            EmbeddingSettings(
                named,
                str(config.get("meaning_api_base")) or None,
                float(config.get("model_timeout")),
                str(config.get("meaning_query_prefix")),
                str(config.get("meaning_entry_prefix")),
            )
        )
    )
