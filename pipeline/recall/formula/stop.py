"""Words that say little of what is looked for; left out while anything else is there (`design/recall.md` §4)."""

from __future__ import annotations

_ENGLISH = """
a about after again all am an and any are as at be been before being between both but by can could did do does
doing done down during each few for from had has have having he her here hers him his how i if in into is it its
just may me might mine more most must my no nor not now of off on only or other our ours out over own same shall
she should so some such than that the their theirs them then there these they this those through to too under up
us very was we were what when where which while who whom whose why will with would you your yours s t re ve ll d
m don didn doesn isn wasn
"""
ENGLISH = frozenset(_ENGLISH.split())
"""Articles, pronouns, auxiliaries, prepositions and question words; the last are what an apostrophe leaves over."""

CHINESE = frozenset("的了是在和与吗呢吧啊我你他她它们这那什么哪谁何怎")
"""Particles, pronouns and question words, as single characters."""
