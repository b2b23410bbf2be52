"""English words that mean the same though no rule leads from one to the other: irregular forms, everyday synonyms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from store.index.search.stems import stem

_IRREGULAR = """
go goes going went gone | buy bought | bring brought | think thought | teach taught | catch caught | fight fought
seek sought | see saw seen | eat ate eaten | give gave given | take took taken | make made | get got gotten
come came | become became | begin began begun | run ran | drink drank drunk | sing sang sung | swim swam swum
write wrote written | drive drove driven | ride rode ridden | rise rose risen | speak spoke spoken
break broke broken | choose chose chosen | wear wore worn | tear tore torn | know knew known | grow grew grown
throw threw thrown | fly flew flown | draw drew drawn | show showed shown | fall fell fallen | feel felt | keep kept
sleep slept | leave left | meet met | lead led | feed fed | build built | send sent | spend spent | lend lent
lose lost | find found | hold held | hear heard | tell told | sell sold | say said | pay paid | stand stood
understand understood | win won | sit sat | forget forgot forgotten | steal stole stolen | freeze froze frozen
wake woke woken | hide hid hidden | bite bit bitten | shake shook shaken | mean meant | dream dreamt | learn learnt
burn burnt | light lit | shoot shot | hang hung | stick stuck | dig dug | swing swung | ring rang rung
sink sank sunk | blow blew blown | deal dealt | bend bent | lie lay lain | child children kid kids | man men
woman women | person people | foot feet | tooth teeth | mouse mice | wife wives | life lives | knife knives
leaf leaves | shelf shelves | good better best | bad worse worst
"""
_SYNONYMS = """
movie film | job work career occupation | kid child | mom mother mum | dad father | buy purchase | city town
doctor physician | dog puppy pup | cat kitten | picture photo photograph image | house home | car vehicle
begin start | end finish | big large | trip travel journey vacation holiday | exercise workout | ill sick
illness disease | happy glad | sad upset | scared afraid | fear afraid | help assist | gift present
marry wedding marriage | book novel | meal dinner | cook bake | shop store | money financial finance
nation country | company firm business | boss manager | coworker colleague | friend buddy | hobby interest
study education | school college university | teacher instructor | song music | instrument guitar piano violin
paint painting art | sea ocean beach | forest woods | bike bicycle | phone mobile | computer laptop
flat apartment | birthday born | allergy allergic | degree graduate graduation | spouse wife husband
sibling brother sister | parent mother father | award prize | contest competition tournament | game match
race marathon | injury injured hurt | accident crash | quit resign | hire employ | relax unwind | enjoy love like
hate dislike | favorite favourite | repair fix | error bug mistake | delete remove | create make
choose decide select pick | meeting appointment | talk chat speak discuss | plan intend | goal aim | dream wish
learn study | volunteer charity | religion faith church | diet food | snack treat | clothes clothing outfit
scary horror | exam test | salary pay | rent lease | move relocate | adopt adoption | cancer tumor
grandma grandmother | grandpa grandfather
"""
Groups = Mapping[str, tuple[str, ...]]


def _groups(written: str) -> Groups:
    """The stems that stand for the same, by stem."""
    found: dict[str, dict[str, None]] = {}
    for group in written.replace("\n", " | ").split("|"):
        stems = list(dict.fromkeys(map(stem, group.split())))
        for one in stems:
            found.setdefault(one, {}).update(dict.fromkeys(other for other in stems if other != one))
    return {one: tuple(others) for one, others in found.items()}


@cache
def irregular() -> Groups:
    """The stems of the other forms of a word (`go`, `went`), by stem."""
    return _groups(_IRREGULAR)


@cache
def synonyms() -> Groups:
    """The stems of everyday words of about the same meaning, by stem."""
    return _groups(_SYNONYMS)
