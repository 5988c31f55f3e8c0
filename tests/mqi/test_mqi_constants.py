"""Constants: a sample of every kind by value, and the look-up of names."""

from __future__ import annotations

import pytest

from libremq.mqi import constants as C
from libremq.mqi.constant_names import name_of, names_of, value_of

INTEGERS = {
    "MQCC_FAILED": 2,
    "MQRC_NO_MSG_AVAILABLE": 2033,
    "MQRC_UNKNOWN_OBJECT_NAME": 2085,
    "MQGMO_WAIT": 1,
    "MQGMO_SYNCPOINT": 2,
    "MQGMO_CONVERT": 16384,
    "MQPMO_SYNCPOINT": 2,
    "MQOO_INPUT_SHARED": 2,
    "MQOO_OUTPUT": 16,
    "MQPER_PERSISTENT": 1,
    "MQEI_UNLIMITED": -1,
    "MQIA_CURRENT_Q_DEPTH": 3,
    "MQCA_Q_NAME": 2016,
    "MQRO_COD": 2048,
    "MQENC_NATIVE": 546,
    "MQMF_LAST_MSG_IN_GROUP": 16,
    "MQCCSI_APPL": -3,
    "MQCMDL_CURRENT_LEVEL": 1001,
}


@pytest.mark.parametrize(("name", "value"), INTEGERS.items())
def test_integers(name: str, value: int) -> None:
    assert getattr(C, name) == value


def test_text_keeps_its_blanks() -> None:
    assert C.MQFMT_STRING == "MQSTR   "
    assert C.MQFMT_NONE == " " * 8
    assert C.MQMD_STRUC_ID == "MD  "


def test_binary_and_single_characters() -> None:
    assert bytes(24) == C.MQMI_NONE
    assert bytes(40) == C.MQSID_NONE
    assert C.MQGS_LAST_MSG_IN_GROUP == "L"
    assert C.MQSEG_INHIBITED == " "


def test_the_whole_set_is_there() -> None:
    names = [name for name in vars(C) if name.startswith("MQ")]
    assert len(names) == 5390
    assert all(isinstance(vars(C)[name], int | str | bytes) for name in names)


@pytest.mark.parametrize(
    ("prefix", "value", "name"),
    [
        ("MQRC", 2033, "MQRC_NO_MSG_AVAILABLE"),
        ("MQRC", 0, "MQRC_NONE"),
        ("MQRC", 2120, "MQRC_CONVERTED_MSG_TOO_BIG"),
        ("MQRC", 2192, "MQRC_STORAGE_MEDIUM_FULL"),
        ("MQRCCF", 4010, "MQRCCF_HOST_NOT_AVAILABLE"),
        ("MQIA", 1, "MQIA_APPL_TYPE"),
        ("MQGMO", 1, "MQGMO_WAIT"),
        ("MQCC", 1, "MQCC_WARNING"),
        ("MQOT", 1, "MQOT_Q"),
        ("MQFMT", "MQSTR   ", "MQFMT_STRING"),
        ("MQRC", 12345, "12345"),
        ("NOSUCH", 1, "1"),
    ],
)
def test_name_of(prefix: str, value: int | str, name: str) -> None:
    assert name_of(prefix, value) == name


def test_names_and_values_go_both_ways() -> None:
    assert value_of("MQRC_Q_FULL") == 2053
    assert value_of("annotations") is None
    assert value_of("MQRC_NO_SUCH_THING") is None
    for value, name in names_of("MQCMD").items():
        assert value_of(name) == value
