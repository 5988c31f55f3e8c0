"""The table of authorities: words, values, and what applies to what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.security import authorities
from libremq.security.authorities import APPLICABLE, OBJECT_TYPES, expand, mask_of, values, words

ALL = {
    # what ALL means for each type, as MQ's own records for the administrators list it
    "QUEUE": "BROWSE CHG CLR DLT DSP GET INQ PUT PASSALL PASSID SET SETALL SETID",
    "QMGR": "ALTUSR CHG CONNECT DLT DSP INQ SET SETALL SETID SYSTEM CTRL",
    "PROCESS": "CHG DLT DSP INQ SET",
    "NAMELIST": "CHG DLT DSP INQ",
    "TOPIC": "CHG CLR DLT DSP PASSALL PASSID SETALL SETID SUB RESUME PUB CTRL",
    "CHANNEL": "CHG DLT DSP CTRL CTRLX",
    "CLNTCONN": "CHG DLT DSP",
    "LISTENER": "CHG DLT DSP CTRL",
    "SERVICE": "CHG DLT DSP CTRL",
    "AUTHINFO": "CHG DLT DSP INQ",
    "COMMINFO": "CHG DLT DSP",
    "RQMNAME": "PUT",
}
ADMIN = {"CHG", "CLR", "DLT", "DSP", "CTRL", "CTRLX"}


@pytest.mark.parametrize("word", ALL)
def test_groups_mean_what_the_type_has(word: str) -> None:
    of = authorities.object_type(word).value
    everything = ALL[word].split()
    assert [authorities.word(value).upper() for value in values(expand(["ALL"], of))] == everything
    assert set(words(expand(["ALLADM"], of))) == {one.lower() for one in everything if one in ADMIN}
    assert set(words(expand(["ALLMQI"], of))) == {
        one.lower() for one in everything if one not in ADMIN and one != "SYSTEM"
    }
    assert expand(["NONE"], of) == 0 and values(0) == (C.MQAUTH_NONE,)
    assert expand(["ALL", "CRT"], of) == APPLICABLE[of]


def test_the_four_groups_and_all_words_have_their_values() -> None:
    assert {word: authorities.authority_value(word) for word in ("ALL", "alladm", "AllMqi", "none")} == {
        "ALL": C.MQAUTH_ALL,
        "alladm": C.MQAUTH_ALL_ADMIN,
        "AllMqi": C.MQAUTH_ALL_MQI,
        "none": C.MQAUTH_NONE,
    }
    known = {name.lower(): value for name, value in vars(C).items() if name.startswith("MQAUTH_")}
    assert sorted(row.value for row in authorities.AUTHORITIES) == sorted(
        value for value in known.values() if 0 < value <= C.MQAUTH_SYSTEM
    )
    assert authorities.authority_value("put") == authorities.authority_value("PUT") == C.MQAUTH_OUTPUT
    assert authorities.authority_value(C.MQAUTH_OUTPUT) == C.MQAUTH_OUTPUT


@pytest.mark.parametrize("row", OBJECT_TYPES)
def test_every_authority_applies_or_is_refused(row: authorities.ObjectType) -> None:
    for authority in authorities.AUTHORITIES:
        if authorities.bit(authority.value) & APPLICABLE[row.value]:
            assert expand([authority.word], row.value) == expand([authority.value], row.value) != 0
        else:
            with pytest.raises(MQError) as caught:
                expand([authority.word], row.value)
            assert caught.value.reason == C.MQRCCF_AUTH_VALUE_ERROR
            assert authority.word.upper() in caught.value.detail
    for spelling in (row.value, row.word, row.name, row.short_name, row.word.lower()):
        assert authorities.object_type(spelling) is row


@pytest.mark.parametrize("given", ["", "putt", "+put", 23, -4, 99])
def test_no_authority(given: int | str) -> None:
    with pytest.raises(MQError) as caught:
        expand([given], C.MQOT_Q)
    assert caught.value.reason == C.MQRCCF_AUTH_VALUE_ERROR


@pytest.mark.parametrize("given", ["SUB", 4, "qlocal"])
def test_no_object_type(given: int | str) -> None:
    with pytest.raises(MQError) as caught:
        authorities.object_type(given)
    assert caught.value.reason == C.MQRC_OBJECT_TYPE_ERROR


def test_values_and_masks_are_two_forms_of_one_thing() -> None:
    for mask in APPLICABLE.values():
        assert mask_of(values(mask)) == mask
    assert expand(words(APPLICABLE[C.MQOT_Q]), C.MQOT_Q) == APPLICABLE[C.MQOT_Q]
    assert mask_of([C.MQAUTH_NONE]) == 0


def test_the_page_lists_every_authority() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/authorities.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$", page, re.MULTILINE)
    assert [row[0] for row in rows] == [row.word for row in authorities.AUTHORITIES]
    for (word, text, _, types), row in zip(rows, authorities.AUTHORITIES, strict=True):
        assert text == row.text
        names = [one.name for one in OBJECT_TYPES if authorities.bit(row.value) & APPLICABLE[one.value]]
        shown = {"all types": 0, "all types but rqmname": 1}.get(types)
        assert (len(OBJECT_TYPES) - len(names) == shown) if shown is not None else types == ", ".join(names), word
