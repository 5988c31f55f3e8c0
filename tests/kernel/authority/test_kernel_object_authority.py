"""Every call against every authority missing in turn: exactly the call that needs it fails, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from helper_authority import Rig, all_authorities, named

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQOR, MQPMO

Q, QMGR = C.MQOT_Q, C.MQOT_Q_MGR
Need = tuple[int, str, str]


@dataclass
class Call:
    name: str
    needs: set[Need]
    run: Callable[[Rig, int, Any], None]
    prepare: Callable[[Rig, int], Any] = field(default=lambda rig, hconn: None)
    after: Callable[[Rig], None] = field(default=lambda rig: None)
    alternate: set[Need] = field(default_factory=set)
    """What the alternate user needs."""


def opening(name: str, options: int, *needs: str, qmgr: str = "", kind: int = Q, on: str = "", **more: Any) -> Call:
    """MQOPEN; the needs are words on the object, or `qmgr.word`."""

    def run(rig: Rig, hconn: int, prepared: Any) -> None:
        rig.qm.open(hconn, MQOD(ObjectType=kind, ObjectName=name, ObjectQMgrName=qmgr, **more), options)

    wanted: set[Need] = set()
    for word in needs:
        wanted.add((QMGR, "self", word[5:]) if word.startswith("qmgr.") else (kind, on or name, word))
    return Call(f"MQOPEN of {name}{'@' + qmgr if qmgr else ''} {options:#x}", wanted, run)


def put1(
    name: str, options: int, *needs: str, qmgr: str = "", on: str = "", context: bool = False, user: str = ""
) -> Call:
    def prepare(rig: Rig, hconn: int) -> int:
        """A handle that has saved a context."""
        if not context:
            return 0
        rig.qm.put1(rig.admin, MQOD(ObjectName="Q"), MQMD(), MQPMO(), b"first")
        hobj = rig.qm.open(hconn, MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED | C.MQOO_SAVE_ALL_CONTEXT)
        rig.qm.get(hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
        return hobj

    def run(rig: Rig, hconn: int, prepared: Any) -> None:
        pmo = MQPMO(Options=options, Context=prepared)
        od = MQOD(ObjectName=name, ObjectQMgrName=qmgr, AlternateUserId=user)
        rig.qm.put1(hconn, od, MQMD(), pmo, b"data")

    wanted: set[Need] = set()
    for word in needs:
        wanted.add((QMGR, "self", word[5:]) if word.startswith("qmgr.") else (Q, on or name, word))
    return Call(f"MQPUT1 to {name}{'@' + qmgr if qmgr else ''} {options:#x}", wanted, run, prepare)


def with_handle(name: str, options: int, use: Callable[[Rig, int, int], Any], what: str) -> Call:
    """A call on an open handle: the open was checked, the call is not."""

    def prepare(rig: Rig, hconn: int) -> int:
        rig.qm.put1(rig.admin, MQOD(ObjectName="Q"), MQMD(), MQPMO(), b"first")
        return rig.qm.open(hconn, MQOD(ObjectName=name), options)

    return Call(f"{what} on an open handle", set(), lambda rig, hconn, hobj: use(rig, hconn, hobj), prepare)


def close_delete(options: int) -> Call:
    def prepare(rig: Rig, hconn: int) -> int:
        return rig.qm.open(hconn, MQOD(ObjectName="KEPT"), C.MQOO_INQUIRE)

    def again(rig: Rig) -> None:
        rig.keep_dynamic_queue()
        rig.set("app", Q, "KEPT", add=["all"])  # its records went with the queue before

    return Call(
        f"MQCLOSE that deletes {options:#x}",
        {(Q, "KEPT", "dlt")},
        lambda rig, hconn, hobj: rig.qm.close(hconn, hobj, options),
        prepare,
        again,
    )


def own_queue(options: int) -> Call:
    """Whoever made a dynamic queue needs nothing more for it, not even to delete it."""

    def prepare(rig: Rig, hconn: int) -> tuple[int, str]:
        od = MQOD(ObjectName="MODEL.KEPT", DynamicQName="MINE.*")
        hobj = rig.qm.open(hconn, od, C.MQOO_OUTPUT)
        return hobj, od.ObjectName

    def run(rig: Rig, hconn: int, prepared: Any) -> None:
        hobj, name = prepared
        again = rig.qm.open(hconn, MQOD(ObjectName=name), C.MQOO_INPUT_SHARED | C.MQOO_INQUIRE | C.MQOO_SET)
        rig.qm.close(hconn, again)
        rig.qm.close(hconn, hobj, options)

    return Call(f"MQCLOSE that deletes an own queue {options:#x}", set(), run, prepare)


def temporary(rig: Rig, hconn: int, prepared: Any) -> None:
    """Another connection of the user may use the queue, too."""
    od = MQOD(ObjectName="MODEL", DynamicQName="TEMP.*")
    rig.qm.open(hconn, od, C.MQOO_INPUT_EXCLUSIVE | C.MQOO_OUTPUT)
    rig.qm.put1(prepared, MQOD(ObjectName=od.ObjectName), MQMD(), MQPMO(), b"mine")
    rig.qm.disconnect(prepared)


def connect(rig: Rig, hconn: int, prepared: Any) -> None:
    rig.qm.disconnect(rig.connect())


def listed(rig: Rig, hconn: int, prepared: Any) -> None:
    """A distribution list: each of its queues by itself, so a part may fail without the rest."""
    records = [MQOR(ObjectName="Q"), MQOR(ObjectName="FAR", ObjectQMgrName="OTHER")]
    hobj = rig.qm.open(hconn, MQOD(), C.MQOO_OUTPUT, records)
    for one in rig.qm.responses(hconn, hobj):
        if one.Reason:
            rig.qm.close(hconn, hobj)
            raise mq_error(one.Reason)


def alternate(call: Call) -> Call:
    """The same as another user, who needs what the user itself needed before."""
    needs = {(QMGR, "self", "altusr")}
    return Call(f"{call.name} as another user", needs, call.run, call.prepare, alternate=call.needs)


OUTPUT = C.MQOO_OUTPUT
ALTERNATE = C.MQOO_ALTERNATE_USER_AUTHORITY
CALLS = [
    Call("MQCONN", {(QMGR, "self", "connect")}, connect),
    opening("Q", C.MQOO_INPUT_AS_Q_DEF, "get"),
    opening("Q", C.MQOO_INPUT_SHARED, "get"),
    opening("Q", C.MQOO_INPUT_EXCLUSIVE, "get"),
    opening("Q", C.MQOO_INPUT_SHARED | C.MQOO_SAVE_ALL_CONTEXT, "get"),
    opening("Q", C.MQOO_BROWSE, "browse"),
    opening("Q", C.MQOO_BROWSE | C.MQOO_CO_OP, "browse"),
    opening("Q", OUTPUT, "put"),
    opening("Q", C.MQOO_INQUIRE, "inq"),
    opening("Q", C.MQOO_SET, "set"),
    opening("Q", OUTPUT | C.MQOO_INPUT_SHARED | C.MQOO_INQUIRE, "put", "get", "inq"),
    opening("Q", OUTPUT | C.MQOO_PASS_IDENTITY_CONTEXT, "put", "passid"),
    opening("Q", OUTPUT | C.MQOO_PASS_ALL_CONTEXT, "put", "passall"),
    opening("Q", OUTPUT | C.MQOO_SET_IDENTITY_CONTEXT, "put", "setid", "qmgr.setid"),
    opening("Q", OUTPUT | C.MQOO_SET_ALL_CONTEXT, "put", "setall", "qmgr.setall"),
    opening("Q", OUTPUT, "put", qmgr="QM1"),
    opening("Q", OUTPUT, "put", qmgr="HERE"),
    opening("ALIAS", OUTPUT, "put"),
    opening("ALIAS", C.MQOO_INPUT_SHARED, "get"),
    opening("ALIAS", C.MQOO_BROWSE | C.MQOO_INQUIRE, "browse", "inq"),
    opening("REMOTE", OUTPUT, "put"),
    opening("REMOTE", C.MQOO_INQUIRE, "inq"),
    opening("REMOTE", OUTPUT | C.MQOO_SET_ALL_CONTEXT, "put", "setall", "qmgr.setall"),
    opening("FAR", OUTPUT, "put", qmgr="OTHER", on="XMIT"),
    opening("FAR", OUTPUT, "put", qmgr="XMIT", on="XMIT"),
    opening("XMIT", OUTPUT, "put", qmgr="OTHER", on="XMIT"),
    opening("XMIT", OUTPUT, "setall", "qmgr.setall", qmgr="HERE"),
    opening("FAR", OUTPUT | C.MQOO_PASS_ALL_CONTEXT, "put", "passall", qmgr="OTHER", on="XMIT"),
    opening("XMIT", OUTPUT, "setall", "qmgr.setall"),
    opening("XMIT", C.MQOO_INPUT_SHARED, "get"),
    opening("MODEL", C.MQOO_INPUT_SHARED, "get", "dsp"),
    opening("MODEL", OUTPUT | C.MQOO_INQUIRE, "put", "inq", "dsp"),
    opening("MODEL.XMIT", OUTPUT, "setall", "qmgr.setall", "dsp"),
    opening("PROC", C.MQOO_INQUIRE, "inq", kind=C.MQOT_PROCESS),
    opening("LIST", C.MQOO_INQUIRE, "inq", kind=C.MQOT_NAMELIST),
    opening("", C.MQOO_INQUIRE, "qmgr.inq", kind=QMGR),
    put1("Q", C.MQPMO_NO_SYNCPOINT, "put"),
    put1("Q", C.MQPMO_NO_CONTEXT, "put"),
    put1("Q", C.MQPMO_DEFAULT_CONTEXT, "put"),
    put1("Q", C.MQPMO_PASS_IDENTITY_CONTEXT, "put", "passid", context=True),
    put1("Q", C.MQPMO_PASS_ALL_CONTEXT, "put", "passall", context=True),
    put1("Q", C.MQPMO_SET_IDENTITY_CONTEXT, "put", "setid", "qmgr.setid"),
    put1("Q", C.MQPMO_SET_ALL_CONTEXT, "put", "setall", "qmgr.setall"),
    put1("ALIAS", C.MQPMO_NONE, "put"),
    put1("REMOTE", C.MQPMO_NONE, "put"),
    put1("FAR", C.MQPMO_NONE, "put", qmgr="OTHER", on="XMIT"),
    put1("XMIT", C.MQPMO_NONE, "setall", "qmgr.setall"),
    Call("MQOPEN of a distribution list", {(Q, "Q", "put"), (Q, "XMIT", "put")}, listed),
    Call("MQOPEN of a temporary queue", {(Q, "MODEL", "get"), (Q, "MODEL", "put"), (Q, "MODEL", "dsp")}, temporary,
         lambda rig, hconn: rig.connect(groups=frozenset({"others"}))),
    close_delete(C.MQCO_DELETE),
    close_delete(C.MQCO_DELETE_PURGE),
    own_queue(C.MQCO_DELETE),
    own_queue(C.MQCO_DELETE_PURGE),
    alternate(opening("Q", OUTPUT | ALTERNATE, "put", AlternateUserId="other")),
    alternate(opening("Q", C.MQOO_INPUT_SHARED | C.MQOO_INQUIRE | ALTERNATE, "get", "inq", AlternateUserId="other")),
    alternate(opening("Q", OUTPUT | C.MQOO_SET_ALL_CONTEXT | ALTERNATE, "put", "setall", "qmgr.setall",
                      AlternateUserId="other")),
    alternate(opening("MODEL", OUTPUT | ALTERNATE, "put", "dsp", AlternateUserId="other")),
    alternate(opening("PROC", C.MQOO_INQUIRE | ALTERNATE, "inq", kind=C.MQOT_PROCESS, AlternateUserId="other")),
    alternate(put1("Q", C.MQPMO_ALTERNATE_USER_AUTHORITY, "put", user="other")),
    alternate(put1("Q", C.MQPMO_ALTERNATE_USER_AUTHORITY | C.MQPMO_SET_IDENTITY_CONTEXT, "put", "setid", "qmgr.setid",
                   user="other")),
    with_handle("Q", OUTPUT, lambda rig, hconn, hobj: rig.qm.put(hconn, hobj, MQMD(), MQPMO(), b"more"), "MQPUT"),
    with_handle("Q", C.MQOO_INPUT_SHARED,
                lambda rig, hconn, hobj: rig.qm.get(hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_NO_SYNCPOINT)), "MQGET"),
    with_handle("Q", C.MQOO_BROWSE,
                lambda rig, hconn, hobj: rig.qm.get(hconn, hobj, MQMD(), MQGMO(Options=C.MQGMO_BROWSE_FIRST)),
                "MQGET that browses"),
    with_handle("Q", C.MQOO_INQUIRE, lambda rig, hconn, hobj: rig.qm.inquire(hconn, hobj, [C.MQIA_CURRENT_Q_DEPTH]),
                "MQINQ"),
    with_handle("Q", C.MQOO_SET,
                lambda rig, hconn, hobj: rig.qm.set(hconn, hobj, {C.MQIA_TRIGGER_DEPTH: 7}), "MQSET"),
    with_handle("Q", C.MQOO_INQUIRE, lambda rig, hconn, hobj: rig.qm.close(hconn, hobj), "MQCLOSE"),
    Call("MQCMIT", set(), lambda rig, hconn, prepared: rig.qm.commit(hconn)),
    Call("MQBACK", set(), lambda rig, hconn, prepared: rig.qm.backout(hconn)),
    Call("MQDISC", set(), lambda rig, hconn, prepared: None),
]  # fmt: skip


@pytest.fixture(scope="module")
def rig() -> Rig:
    made = Rig()
    made.give_all("app", "other")
    return made


def outcome(rig: Rig, call: Call, taken: tuple[str, Need] | None) -> tuple[int, str]:
    """Run the call with one authority taken away; its reason. A refused call has changed nothing."""
    hconn = rig.connect()
    prepared = call.prepare(rig, hconn)
    if taken is not None:
        user, (object_type, profile, word) = taken
        rig.set(user, object_type, profile, remove=[word])
    before = rig.state() if taken is not None and taken[1] in call.needs | call.alternate else None
    try:
        call.run(rig, hconn, prepared)
        return C.MQRC_NONE, ""
    except MQError as error:
        if before is not None:
            assert rig.state() == before
        return error.reason, error.detail
    finally:
        rig.qm.disconnect(hconn)
        if taken is not None:
            rig.set(user, object_type, profile, add=[word])
        call.after(rig)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_exactly_the_call_that_needs_it_fails(rig: Rig, call: Call) -> None:
    assert outcome(rig, call, None)[0] == C.MQRC_NONE
    failed = {"app": set[Need](), "other": set[Need]()}
    for need in all_authorities():
        for user in ("app", "other") if call.alternate else ("app",):
            reason, detail = outcome(rig, call, (user, need))
            if reason:
                assert reason == C.MQRC_NOT_AUTHORIZED, named(*need)
                failed[user].add(need)
                if call.run is not listed:
                    assert f"user {user!r} lacks {need[2]}" in detail
                assert rig.said[-1].startswith("AMQ8") and f"'{user}'" in rig.said[-1]
    assert failed == {"app": call.needs, "other": call.alternate}


ALONE = [call for call in CALLS if not call.name.endswith("open handle") and "MQCLOSE" not in call.name]
"""Calls before which nothing needs authorities of its own."""


@pytest.mark.parametrize("call", ALONE, ids=lambda call: call.name)
def test_what_is_needed_is_enough(call: Call) -> None:
    """With nothing but the authorities that the table names, and those for the way there."""
    lone = Rig()
    lone.set("app", QMGR, "", add=["connect"])
    for user, needs in (("app", call.needs), ("other", call.alternate)):
        for object_type, profile, word in needs:
            lone.set(user, object_type, profile, add=[word])
    if call.name.startswith("MQPUT1"):
        lone.set("app", Q, "Q", add=["get"])  # for the message whose context is passed
    assert outcome(lone, call, None)[0] == C.MQRC_NONE


def test_the_remote_queue_manager_name_is_checked_where_that_is_wanted(rig: Rig) -> None:
    call = opening("FAR", OUTPUT, "put", qmgr="OTHER", on="OTHER")
    rig.core.authorities.by_remote_name = True
    try:
        for need in all_authorities():
            expected = need == (C.MQOT_REMOTE_Q_MGR_NAME, "OTHER", "put")
            assert (outcome(rig, call, ("app", need))[0] == C.MQRC_NOT_AUTHORIZED) is expected, named(*need)
    finally:
        rig.core.authorities.by_remote_name = False


def test_privileged_connections_are_never_checked() -> None:
    rig = Rig()
    hconn = rig.qm.connect("nobody.knows")
    od = MQOD(ObjectName="Q", AlternateUserId="other")
    options = OUTPUT | C.MQOO_INPUT_SHARED | C.MQOO_SET_ALL_CONTEXT | ALTERNATE
    rig.qm.close(hconn, rig.qm.open(hconn, od, options))
    rig.qm.put1(hconn, MQOD(ObjectName="XMIT"), MQMD(), MQPMO(Options=C.MQPMO_SET_ALL_CONTEXT), b"")
    assert rig.said == []


def test_names_that_are_not_there_are_said_to_be_unknown(rig: Rig) -> None:
    hconn = rig.connect()
    with pytest.raises(MQError) as caught:
        rig.qm.open(hconn, MQOD(ObjectName="NO.SUCH"), OUTPUT)
    assert caught.value.reason == C.MQRC_UNKNOWN_OBJECT_NAME
    with pytest.raises(MQError) as caught:
        rig.qm.open(hconn, MQOD(ObjectName="NO.SUCH", ObjectQMgrName="HERE"), OUTPUT)
    assert caught.value.reason == C.MQRC_UNKNOWN_OBJECT_NAME
    with pytest.raises(MQError) as caught:
        rig.qm.open(hconn, MQOD(ObjectName="NO.SUCH", ObjectQMgrName="NOWHERE"), OUTPUT)
    assert caught.value.reason == C.MQRC_UNKNOWN_REMOTE_Q_MGR
    with pytest.raises(MQError) as caught:
        rig.qm.open(hconn, MQOD(ObjectName="TWO"), OUTPUT)
    assert caught.value.reason == C.MQRC_NOT_AUTHORIZED
    rig.qm.disconnect(hconn)


def test_a_privileged_user_is_checked_as_the_alternate_user_it_names() -> None:
    """A dead-letter handler with PUTAUT(CTX) runs as an administrator, and must not put where the sender may not."""
    rig = Rig()
    hconn = rig.qm.connect("admin", "handler", privileged=True)
    as_joe = MQOD(ObjectName="Q", AlternateUserId="joe")
    options = C.MQOO_OUTPUT | C.MQOO_ALTERNATE_USER_AUTHORITY
    rig.qm.open(hconn, as_joe, options)  # inside the process of the queue manager nobody is checked
    rig.qm.connection(hconn).trusted = False
    with pytest.raises(MQError, check=lambda error: error.reason == C.MQRC_NOT_AUTHORIZED):
        rig.qm.open(hconn, as_joe, options)
    rig.qm.open(hconn, MQOD(ObjectName="Q"), C.MQOO_OUTPUT)  # as itself
