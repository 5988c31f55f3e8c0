"""What a selector is shown of a message: all that it names, read from no more bytes than it takes."""

from __future__ import annotations

import random

import pytest

from libremq.kernel.properties import property_delivery
from libremq.kernel.properties.message_properties import PROPERTIES_MAX, Properties
from libremq.kernel.properties.property_delivery import TAGS_MAX, extract, present, to_rfh2
from libremq.kernel.properties.property_lookup import look_up
from libremq.kernel.properties.selector import compile_selector
from libremq.mqi import constants as C
from libremq.mqi.rfh2 import Folder, Rfh2, parse_chain
from libremq.mqi.structs import MQMD

NAMES = ["colour", "size", "a.b", "a.g.b", "mcd.Type", "jms.Cid", "mq_usr.x.y", "größe", "b"]
RFH2 = MQMD(Format=C.MQFMT_RF_HEADER_2)


def _values(rng: random.Random) -> Properties:
    properties = Properties()
    for name in rng.sample(NAMES, rng.randrange(len(NAMES))):
        value = rng.choice(["red", "größe", 7, -1, 2.5, True, b"\0colour", None])
        properties.set(name, value, validate=False)
    return properties


@pytest.mark.parametrize("seed", range(60))
def test_it_finds_what_reading_everything_finds(seed: int) -> None:
    rng = random.Random(seed)
    stored, in_data = _values(rng), _values(rng)
    header = to_rfh2(in_data, "MQSTR")
    header.name_value_ccsid = rng.choice((1208, 1200, 13488))
    data = header.build(rng.choice((273, 546))) + b"colour and size in the data"
    md = MQMD(Format=rng.choice((C.MQFMT_RF_HEADER_2, "MQSTR")))
    everything = stored
    if md.Format == C.MQFMT_RF_HEADER_2:
        everything = stored.merged_over(extract(data, md.Format, 1208, 546)[0])
    names = frozenset(rng.sample(NAMES, rng.randrange(1, 4)))
    found, _ = look_up(md, stored.encode(), data, names)
    assert {name: found.value(name) for name in names} == {name: everything.value(name) for name in names}


def test_a_selector_says_what_it_reads() -> None:
    text = "colour = 'red' AND (usr.size > 3 OR NOT a.b IS NULL) AND JMSType LIKE 'x%' AND Root.MQMD.Priority > 1"
    assert compile_selector(text).names == {"colour", "size", "a.b", "mcd.Type"}
    assert compile_selector("JMSPriority > 4").names == set()
    assert compile_selector("JMSCorrelationID = 'x' AND n IN (1, 2) AND m + o BETWEEN p AND 2").names == {
        "jms.Cid", "n", "m", "o", "p",
    }  # fmt: skip


def test_nothing_is_parsed_that_cannot_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is nowhere in the header is no property, wherever else in the message it may be."""
    parsed: list[bytes] = []
    whole = parse_chain

    def noted(data: bytes, *args: object) -> object:
        parsed.append(data)
        return whole(data, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(property_delivery, "parse_chain", noted)
    header = to_rfh2(Properties({"colour": "red"})).build()
    assert not look_up(RFH2, b"", header + b"size", frozenset({"size"}))[0]
    assert not parsed
    assert look_up(RFH2, b"", header + b"size", frozenset({"colour"}))[0].value("colour") == "red"
    assert parsed == [header]


def _header(elements: int) -> bytes:
    text = "<usr>" + "".join(f"<p{number}>x</p{number}>" for number in range(elements)) + "</usr>"
    return Rfh2([Folder(text)], format="MQSTR").build()


def test_a_header_with_too_many_elements_is_data() -> None:
    """Nobody parses it: neither a selector nor a get, whatever the get asks for. It passes as it came."""
    many = _header(TAGS_MAX // 2) + b"body"
    few = _header(PROPERTIES_MAX) + b"body"
    name = frozenset({"p7"})
    assert look_up(RFH2, b"", many, name)[0].value("p7") is None
    assert look_up(RFH2, b"", few, name)[0].value("p7") == "x"
    for options in (C.MQGMO_PROPERTIES_IN_HANDLE, C.MQGMO_NO_PROPERTIES, 0):
        data, *_, handed = present(
            None,
            "MQHRF2",
            1208,
            546,
            many,
            gmo_options=options,
            has_handle=bool(options & C.MQGMO_PROPERTIES_IN_HANDLE),
        )
        assert data == many and not handed
    force = C.MQGMO_PROPERTIES_FORCE_MQRFH2
    behind = present(Properties({"colour": "red"}), "MQHRF2", 1208, 546, many, gmo_options=force)
    assert behind[0].endswith(many) and b"<colour>red</colour>" in behind[0]


def test_many_folders_count_as_one() -> None:
    text = "<usr>" + "".join(f"<p{number}>x</p{number}>" for number in range(100)) + "</usr>"
    data = Rfh2([Folder(text)] * (TAGS_MAX // 200), format="MQSTR").build()
    assert look_up(RFH2, b"", data, frozenset({"p7"}))[0].value("p7") is None
    half = Rfh2([Folder(text)] * (TAGS_MAX // 400), format="MQSTR").build()
    assert look_up(RFH2, b"", half, frozenset({"p7"}))[0].value("p7") == "x"


def test_what_is_looked_at_has_its_price() -> None:
    """By which a search knows when its slice is used up."""
    few, many = _header(10), _header(PROPERTIES_MAX)
    here, elsewhere = frozenset({"p7"}), frozenset({"none"})
    assert look_up(RFH2, b"", many, here)[1] > 100 * look_up(RFH2, b"", few, here)[1]
    assert look_up(RFH2, b"", many, elsewhere)[1] < look_up(RFH2, b"", many, here)[1] // 10
    stored = Properties({f"p{number}": "x" for number in range(1000)}).encode()
    assert look_up(MQMD(), stored, b"", here)[1] > 10 * look_up(MQMD(), stored, b"", elsewhere)[1]


def test_every_name_is_looked_for() -> None:
    stored = Properties({f"p{number}": "x" * 100 for number in range(100)}).encode()
    names = frozenset(f"q{number}" for number in range(500))
    assert look_up(MQMD(), stored, b"", names)[1] > 100 * look_up(MQMD(), stored, b"", frozenset({"q"}))[1]
