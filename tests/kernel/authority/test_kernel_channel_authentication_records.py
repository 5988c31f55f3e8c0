"""SET CHLAUTH and DISPLAY CHLAUTH: actions, refusals, what survives a restart, and MATCH."""

from __future__ import annotations

from typing import Any

import pytest
from helper_media import Life

from libremq.kernel.authority import channel_authentication_records
from libremq.kernel.authority.channel_authentication_records import find_records, match_runcheck, rules, set_chlauth
from libremq.kernel.state import object_changes
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.reasons import reason

CHANNEL = {"USERSRC": "CHANNEL"}
NOBODY = {"USERSRC": "NOACCESS"}


@pytest.fixture
def life() -> Life:
    found = Life()
    for rule in rules(found.qm.core.catalogue):
        object_changes.remove_record(found.qm.core, "CHLAUTH", rule.name)
    return found


def shown(life: Life) -> list[str]:
    return [rule.name for rule in rules(life.qm.core.catalogue)]


def sets(life: Life, profile: str, rule_type: str, action: str = "ADD", **attributes: Any) -> int:
    return set_chlauth(life.qm.core, profile, rule_type, attributes, action)


def refused(life: Life, *words: str, **attributes: Any) -> str:
    before = [dict(rule.__dict__) for rule in rules(life.qm.core.catalogue)]
    with pytest.raises(MQError) as caught:
        sets(life, *words, **attributes)
    assert [dict(rule.__dict__) for rule in rules(life.qm.core.catalogue)] == before
    assert caught.value.detail
    return reason(caught.value.reason).name


def test_a_new_queue_manager_has_the_rules_of_mq() -> None:
    assert shown(Life()) == [
        "* BLOCKUSER",
        "SYSTEM.* ADDRESSMAP ADDRESS('*')",
        "SYSTEM.ADMIN.SVRCONN ADDRESSMAP ADDRESS('*')",
    ]


def test_mappings_are_added_replaced_and_removed(life: Life) -> None:
    assert sets(life, "APP.*", "ADDRESSMAP", ADDRESS="10.*", MCAUSER="one") > 0
    assert refused(life, "APP.*", "ADDRESSMAP", ADDRESS="10.*", MCAUSER="two") == "MQRCCF_CHLAUTH_ALREADY_EXISTS"
    sets(life, "APP.*", "ADDRESSMAP", "REPLACE", ADDRESS="10.*", MCAUSER="two", DESCR="second")
    sets(life, "APP.*", "ADDRESSMAP", "REPLACE", ADDRESS="11.*", **NOBODY)
    first, second = rules(life.qm.core.catalogue)
    assert (first.mcauser, first.descr, second.usersrc) == ("two", "second", C.MQUSRC_NOACCESS)
    sets(life, "APP.*", "ADDRESSMAP", "REMOVE", ADDRESS="10.*")
    assert shown(life) == ["APP.* ADDRESSMAP ADDRESS('11.*')"]
    assert refused(life, "APP.*", "ADDRESSMAP", "REMOVE", ADDRESS="10.*") == "MQRCCF_CHLAUTH_NOT_FOUND"


def test_lists_grow_and_shrink(life: Life) -> None:
    sets(life, "*", "BLOCKUSER", USERLIST=("a", "b"), DESCR="kept")
    sets(life, "*", "BLOCKUSER", USERLIST=("b", "c"), WARN="YES")
    (rule,) = rules(life.qm.core.catalogue)
    assert (rule.userlist, rule.descr, rule.warn) == (("a", "b", "c"), "kept", C.MQWARN_YES)
    sets(life, "*", "BLOCKUSER", "REMOVE", USERLIST=("a",))
    assert rules(life.qm.core.catalogue)[0].userlist == ("b", "c")
    assert refused(life, "*", "BLOCKUSER", "REMOVE", USERLIST=("b", "x")) == "MQRCCF_CHLAUTH_NOT_FOUND"
    sets(life, "*", "BLOCKUSER", "REPLACE", USERLIST=("z",))
    assert rules(life.qm.core.catalogue)[0].userlist == ("z",)
    sets(life, "*", "BLOCKUSER", "REMOVE", USERLIST=("z",))
    assert shown(life) == []


def test_removing_all(life: Life) -> None:
    sets(life, "APP.*", "ADDRESSMAP", ADDRESS="10.*", **NOBODY)
    sets(life, "APP.*", "ADDRESSMAP", ADDRESS="11.*", **NOBODY)
    sets(life, "APP.*", "USERMAP", CLNTUSER="u", **NOBODY)
    sets(life, "*", "BLOCKADDR", ADDRLIST=("10.1.*",))
    sets(life, "APP.*", "ADDRESSMAP", "REMOVEALL")
    sets(life, "APP.*", "ADDRESSMAP", "REMOVEALL")  # there are none left, and that is fine
    sets(life, "*", "BLOCKADDR", "REPLACE", ADDRLIST=())
    assert shown(life) == ["APP.* USERMAP CLNTUSER('u')"]


def test_rules_survive_a_restart_and_a_kill(life: Life) -> None:
    sets(life, "APP.*", "SSLPEERMAP", SSLPEER="CN=alice,O='x'", SSLCERTI="O=CA", ADDRESS="10.*", MCAUSER="app")
    sets(life, "*", "BLOCKUSER", USERLIST=("a", "*MQADMIN"))
    life.qm.force(sets(life, "*", "BLOCKADDR", ADDRLIST=("10.1.2.3-9", "2001:db8:*")))
    before = [dict(rule.__dict__) for rule in rules(life.qm.core.catalogue)]
    for orderly in (True, False):
        life.restart(orderly=orderly)
        assert [dict(rule.__dict__) for rule in rules(life.qm.core.catalogue)] == before


REFUSED: list[tuple[tuple[str, ...], dict[str, Any], str]] = [
    (("", "ADDRESSMAP"), {"ADDRESS": "*", **NOBODY}, "MQRCCF_PROFILE_NAME_MISSING"),
    (("A B", "ADDRESSMAP"), {"ADDRESS": "*", **NOBODY}, "MQRCCF_CHLAUTH_NAME_ERROR"),
    (("X" * 21, "ADDRESSMAP"), {"ADDRESS": "*", **NOBODY}, "MQRCCF_CHLAUTH_NAME_ERROR"),
    (("APP", "BLOCKADDR"), {"ADDRLIST": ("10.*",)}, "MQRCCF_CHLAUTH_NAME_ERROR"),
    (("*", "NONSENSE"), {"ADDRESS": "*", **NOBODY}, "MQRCCF_CHLAUTH_TYPE_ERROR"),
    (("*", "ADDRESSMAP", "DO"), {"ADDRESS": "*", **NOBODY}, "MQRCCF_CHLAUTH_ACTION_ERROR"),
    (("*", "ADDRESSMAP"), NOBODY, "MQRCCF_PARM_MISSING"),
    (("*", "BLOCKUSER"), {}, "MQRCCF_PARM_MISSING"),
    (("*", "USERMAP"), NOBODY, "MQRCCF_PARM_MISSING"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "*"}, "MQRCCF_PARM_MISSING"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "*", "USERLIST": ("a",), **NOBODY}, "MQRCCF_WRONG_CHLAUTH_TYPE"),
    (("*", "BLOCKUSER"), {"USERLIST": ("a",), "MCAUSER": "b"}, "MQRCCF_WRONG_CHLAUTH_TYPE"),
    (("*", "ADDRESSMAP", "REMOVE"), {"ADDRESS": "*", "MCAUSER": "b"}, "MQRCCF_WRONG_CHLAUTH_ACTION"),
    (("*", "ADDRESSMAP", "REMOVEALL"), {"ADDRESS": "*"}, "MQRCCF_WRONG_CHLAUTH_ACTION"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "*", "MCAUSER": "b", **CHANNEL}, "MQRCCF_WRONG_CHLAUTH_USERSRC"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "*", "WARN": "YES", **CHANNEL}, "MQRCCF_WRONG_CHLAUTH_USERSRC"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "*", "USERSRC": "ANY"}, "MQRCCF_CHLAUTH_USERSRC_ERROR"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "*", "WARN": "MAYBE", **NOBODY}, "MQRCCF_CHLAUTH_WARN_ERROR"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "*", "CHCKCLNT": "REQUIRED", **NOBODY}, "MQRCCF_CHLAUTH_CHKCLI_ERROR"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "*", "CHCKCLNT": "OPTIONAL", **CHANNEL}, "MQRCCF_CHLAUTH_CHKCLI_ERROR"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "10.0.0", **NOBODY}, "MQRCCF_ADDRESS_ERROR"),
    (("*", "ADDRESSMAP"), {"ADDRESS": "10.0.0.9-1", **NOBODY}, "MQRCCF_IPADDR_RANGE_ERROR"),
    (("*", "BLOCKADDR"), {"ADDRLIST": ("host.example.com",)}, "MQRCCF_ADDRESS_ERROR"),
    (("*", "BLOCKADDR"), {"ADDRLIST": ("10.0.0.1-5", "10.0.0.3-9")}, "MQRCCF_IPADDR_RANGE_CONFLICT"),
    (("*", "USERMAP"), {"CLNTUSER": "a*", **NOBODY}, "MQRCCF_CHLAUTH_CLNTUSER_ERROR"),
    (("*", "BLOCKUSER"), {"USERLIST": ("a*",)}, "MQRCCF_ATTR_VALUE_ERROR"),
    (("*", "SSLPEERMAP"), {"SSLPEER": "no name", **NOBODY}, "MQRCCF_SSL_PEER_NAME_ERROR"),
    (("*", "SSLPEERMAP"), {"SSLPEER": "CN=a", "SSLCERTI": "=", **NOBODY}, "MQRCCF_SSL_PEER_NAME_ERROR"),
]


@pytest.mark.parametrize(("words", "attributes", "expected"), REFUSED)
def test_what_is_refused_changes_nothing(
    life: Life, words: tuple[str, ...], attributes: dict[str, Any], expected: str
) -> None:
    assert refused(life, *words, **attributes) in (expected, expected.replace("ADDRESS_ERROR", "IPADDR_ERROR"))


def test_ranges_of_two_rules_that_overlap_in_part(life: Life) -> None:
    sets(life, "*", "ADDRESSMAP", ADDRESS="10.0.0.1-5", **NOBODY)
    assert refused(life, "*", "ADDRESSMAP", ADDRESS="10.0.0.3-9", **NOBODY) == "MQRCCF_IPADDR_RANGE_CONFLICT"
    sets(life, "*", "ADDRESSMAP", ADDRESS="10.0.0.3-4", **NOBODY)
    sets(life, "A*", "ADDRESSMAP", ADDRESS="10.0.0.3-9", **NOBODY)


def test_a_list_has_a_limit(life: Life) -> None:
    sets(life, "*", "BLOCKUSER", USERLIST=tuple(f"u{number}" for number in range(100)))
    assert refused(life, "*", "BLOCKUSER", USERLIST=("one", "more")) == "MQRCCF_CHLAUTH_MAX_EXCEEDED"


# DISPLAY


@pytest.mark.parametrize(
    ("pattern", "match", "expected"),
    [
        ("SYSTEM.*", "GENERIC", ["SYSTEM.*", "SYSTEM.DEF.*", "SYSTEM.DEF.SVRCONN"]),
        ("SYSTEM.DEF.SVRCONN", "GENERIC", ["SYSTEM.DEF.SVRCONN"]),
        ("SYSTEM.*", "EXACT", ["SYSTEM.*"]),
        ("SYSTEM.DEF.SVRCONN", "ALL", ["*", "SYSTEM.*", "SYSTEM.DEF.*", "SYSTEM.DEF.SVRCONN"]),
        ("*", "GENERIC", ["*", "APP", "SYSTEM.*", "SYSTEM.DEF.*", "SYSTEM.DEF.SVRCONN"]),
    ],
)
def test_which_records_are_shown(life: Life, pattern: str, match: str, expected: list[str]) -> None:
    for profile in ("*", "APP", "SYSTEM.*", "SYSTEM.DEF.*", "SYSTEM.DEF.SVRCONN"):
        sets(life, profile, "BLOCKUSER", USERLIST=("a",))
    catalogue = life.qm.core.catalogue
    assert [rule.chlauth for rule in find_records(catalogue, pattern, match)] == expected
    assert find_records(catalogue, pattern, match, "BLOCKUSER") == find_records(catalogue, pattern, match, "ALL")
    with pytest.raises(MQError) as caught:
        find_records(catalogue, pattern, match, "USERMAP")
    assert caught.value.reason == C.MQRCCF_CHLAUTH_NOT_FOUND


def check(
    life: Life, channel: str = "APP", address: str = "10.0.0.1", **facts: Any
) -> channel_authentication_records.RunCheck:
    return match_runcheck(life.qm.core.catalogue, channel, address, is_privileged={"mqm"}.__contains__, **facts)


def test_runcheck_shows_what_would_happen(life: Life) -> None:
    life.qm.define("CHANNEL", "APP", {"CHLTYPE": "SVRCONN", "MCAUSER": "fixed"})
    assert check(life, client_user="alice") == channel_authentication_records.RunCheck((), "fixed", True)
    sets(life, "*", "BLOCKUSER", USERLIST=("*MQADMIN",))
    sets(life, "*", "ADDRESSMAP", ADDRESS="*", **NOBODY)
    sets(life, "APP", "USERMAP", CLNTUSER="alice", MCAUSER="app")
    sets(life, "APP", "USERMAP", CLNTUSER="boss", MCAUSER="mqm")
    found = check(life, client_user="alice")
    assert ([rule.type_word for rule in found.records], found.user, found.allowed) == (["USERMAP"], "app", True)
    found = check(life, client_user="boss")
    assert ([rule.type_word for rule in found.records], found.user, found.allowed) == (["BLOCKUSER"], "mqm", False)
    found = check(life, client_user="bob")
    assert ([rule.type_word for rule in found.records], found.allowed) == (["ADDRESSMAP"], False)
    sets(life, "*", "ADDRESSMAP", "REPLACE", ADDRESS="*", WARN="YES", **NOBODY)
    found = check(life, client_user="bob")
    assert ([rule.type_word for rule in found.records], found.user, found.allowed) == (["ADDRESSMAP"], "fixed", True)
    sets(life, "*", "BLOCKADDR", ADDRLIST=("10.*",))
    assert [rule.type_word for rule in check(life, client_user="alice").records] == ["BLOCKADDR"]


@pytest.mark.parametrize(
    ("channel", "address", "facts"),
    [
        ("A*", "10.0.0.1", {"client_user": "u"}),
        ("A", "10.*", {"client_user": "u"}),
        ("A", "host.example.com", {"client_user": "u"}),
        ("A", "", {"client_user": "u"}),
        ("A", "10.0.0.1", {}),
        ("A", "10.0.0.1", {"client_user": "u", "queue_manager": "QM2"}),
        ("A", "10.0.0.1", {"queue_manager": "QM*"}),
    ],
)
def test_runcheck_is_about_one_connection(life: Life, channel: str, address: str, facts: dict[str, str]) -> None:
    with pytest.raises(MQError) as caught:
        check(life, channel, address, **facts)
    assert caught.value.reason == C.MQRCCF_CHLAUTH_RUNCHECK_ERROR


def test_runcheck_says_that_the_rules_are_disabled(life: Life) -> None:
    life.qm.alter("QMGR", "", {"CHLAUTH": "DISABLED"})
    with pytest.raises(MQError) as caught:
        check(life, client_user="u")
    assert caught.value.reason == C.MQRCCF_CHLAUTH_DISABLED
