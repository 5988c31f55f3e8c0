"""Exits of server-connection channels over real sockets: who comes in, and as whom."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helper_exit_site import AUTHINFO, CHANNEL, PASSWORD, REFUSES, WHO, Site, connect_flow, made
from helper_tls import HOSTS, MUTUAL, tls_site

import libremq
from libremq import aio
from libremq.common import users_file
from libremq.common.tls.tls_authority import Authority
from libremq.kernel.authority import object_authority
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.wire import session_flows
from libremq.wire.protocol import Status, Type
from libremq.wire.segments import frame


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with made(tmp_path, secured=False) as found:
        yield found


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[Site]:
    """As a queue manager is created; everybody may connect, if they are let in."""
    with made(tmp_path, secured=True) as found:
        core = found.served.event_loop.manager.core
        found.run(lambda: object_authority.set_authority(core, "QM1", "QMGR", groups=("nobody",), add=("CONNECT",)))
        found.alter("IDPWOS", AUTHINFO, FAILDLAY=0)
        found.served.event_loop.admission.refresh()
        for name, groups in (("alice", ()), ("boss", ("mqm",))):
            users_file.set_password(core.files, found.served.event_loop.folder, name, PASSWORD)
            if groups:
                users_file.set_groups(core.files, found.served.event_loop.folder, name, groups)
        yield found


# Who comes in


def test_a_security_exit_sees_who_comes_and_says_as_whom(site: Site) -> None:
    site.write(WHO)
    site.channel(SCYEXIT="mine(who)", SCYDATA="clerk")
    assert site.acts_as("alice") == "clerk"
    known = [CHANNEL, C.MQCHT_SVRCONN, "QM1", "127.0.0.1"]
    assert site.noted == [
        ["INIT", *known, "", "", "", 1, "clerk"],
        ["INIT_SEC", *known, "alice", "alice", "", 1, "clerk"],
        ["TERM", *known, "alice", "clerk", "", 1, "clerk"],
    ]


def test_an_exit_that_names_nobody_leaves_it_at_that(site: Site) -> None:
    site.write("def blank(call):\n    call.mca_user = '  '\n")
    site.channel(SCYEXIT="mine(blank)")
    assert site.acts_as("alice") == "alice"
    site.alter("CHANNEL", CHANNEL, MCAUSER="clerk")
    assert site.acts_as("alice") == "clerk"


def test_a_security_exit_can_refuse(site: Site) -> None:
    site.write(REFUSES)
    site.channel(SCYEXIT="mine(doorman)")
    error = site.refuses(
        C.MQRC_CHANNEL_NOT_AVAILABLE, "mallory",
        message="AMQ9536W", word=f"'{CHANNEL}' ended by exit mine(doorman): mallory at 127.0.0.1 is not on the list",
    )  # fmt: skip
    assert error.object_name == CHANNEL
    assert "exit" in error.detail and "list" not in error.detail
    assert site.acts_as("alice") == "alice"

    async def connect() -> None:
        await aio.connect(site.url("mallory"))

    with pytest.raises(MQError) as caught:
        asyncio.run(connect())
    assert caught.value.reason == C.MQRC_CHANNEL_NOT_AVAILABLE
    with site.peer() as peer:
        peer.negotiate()
        assert peer.connect_on(1, "mallory") == C.MQRC_CHANNEL_NOT_AVAILABLE
        assert peer.refused() == Status.CLOSED_BY_EXIT


@pytest.mark.parametrize(
    ("text", "message", "word"),
    [
        ("", "AMQ9535E", "mine.py has no door"),
        ("door = 7", "AMQ9535E", "door in mine.py is no function"),
        ("1 / 0", "AMQ9535E", "ZeroDivisionError"),
        ("def door(call):\n    raise KeyError('x')", "AMQ9190E", "KeyError"),
        ("def door(call):\n    raise SystemExit(3)", "AMQ9190E", "SystemExit"),
        ("def door(call):\n    raise KeyboardInterrupt", "AMQ9190E", "KeyboardInterrupt"),
        ("raise KeyboardInterrupt", "AMQ9535E", "KeyboardInterrupt"),
        (
            "def door(call):\n    if call.reason == C.MQXR_INIT_SEC:\n        raise KeyError('x')",
            "AMQ9190E",
            "KeyError",
        ),
        ("def door(call):\n    return CloseChannel('never')", "AMQ9536W", "never"),
        ("def door(call):\n    return b'data' if call.reason == C.MQXR_INIT_SEC else None", "AMQ9181E", "bytes"),
        ("def door(call):\n    call.mca_user = 7", "AMQ9181E", "7 is no user id"),
    ],
)
def test_an_exit_that_does_not_work_lets_nobody_in(site: Site, text: str, message: str, word: str) -> None:
    site.write(text)
    site.channel(SCYEXIT="mine(door)")
    site.channel("OTHER.SVRCONN")
    site.refuses(C.MQRC_CHANNEL_NOT_AVAILABLE, "alice", message=message, word=word)
    libremq.connect(site.url(channel="OTHER.SVRCONN")).close()  # nobody else is hurt
    site.write("def door(call): pass")
    assert site.acts_as("alice") == "alice"  # the next instance reads the file anew


def test_exits_of_every_sort_must_be_there(site: Site) -> None:
    for attribute in ("SCYEXIT", "SENDEXIT", "RCVEXIT"):
        exits: Any = "gone(f)" if attribute == "SCYEXIT" else ("gone(f)",)
        site.channel(f"{attribute}.CH", **{attribute: exits})
        with pytest.raises(MQError) as caught:
            libremq.connect(site.url(channel=f"{attribute}.CH"))
        assert caught.value.reason == C.MQRC_CHANNEL_NOT_AVAILABLE
        assert any("AMQ9535E" in line and attribute in line for line in site.said)


def test_no_client_can_answer_a_security_exit(site: Site) -> None:
    site.write(
        "def ask(call):\n    return SendSecurity(b'?', request=True) if call.reason == C.MQXR_INIT_SEC else None"
    )
    site.channel(SCYEXIT="mine(ask)")
    site.refuses(C.MQRC_SECURITY_ERROR, "alice", message="AMQ9552E", word="127.0.0.1")
    with site.peer() as peer:
        peer.negotiate()
        peer.send(frame(Type.SECURITY_DATA, b"!", 1))
        assert peer.refused() == Status.PROTOCOL_SEGMENT_TYPE


def test_the_certificate_of_a_client_is_shown_to_its_exits(tmp_path: Path) -> None:
    ours = Authority.create((("O", "Example"), ("CN", "authority")))
    own = ours.issue([("O", "Example"), ("CN", "QM1")], hosts=HOSTS)
    alice = ours.issue([("O", "Example"), ("OU", "Trade"), ("CN", "alice")])
    with tls_site(tmp_path, ours, own) as found:
        site = Site(found.served, tmp_path / "noted", found.said)
        site.write(
            "def who(call):\n"
            "    note(call.peer_name, call.issuer_name)\n"
            "    if 'CN=alice' in call.peer_name:\n"
            "        call.mca_user = 'trader'\n"
        )
        site.alter("CHANNEL", MUTUAL, SCYEXIT="mine(who)")
        with libremq.connect(found.client(alice)):
            links = found.served.event_loop.links
            (user,) = found.served.in_loop(lambda: [one.user for link in links for one in link.conversations.values()])
        assert user == "trader"
        subject, issuer = site.noted[0]
        assert "CN=alice" in subject and "CN=authority" in issuer


# In which order: password, mapping, exit, lists of users, whether a password was needed


def test_a_wrong_password_and_a_rule_that_refuses_come_before_the_exit(secured: Site) -> None:
    secured.write(WHO)
    secured.channel(SCYEXIT="mine(who)", SCYDATA="clerk")
    secured.refuses(C.MQRC_NOT_AUTHORIZED, "alice", "wrong", message="AMQ5534E")
    secured.rule("USERMAP", CLNTUSER="eve", USERSRC="NOACCESS")
    secured.refuses(C.MQRC_NOT_AUTHORIZED, "eve", message="AMQ9777E")
    assert {note[0] for note in secured.noted} == {"INIT", "TERM"}


@pytest.mark.parametrize("adopt", ["YES", "NO"])
def test_the_exit_sees_the_user_of_the_rules_and_counts_for_more(secured: Site, adopt: str) -> None:
    secured.alter("IDPWOS", AUTHINFO, ADOPTCTX=adopt)
    secured.served.event_loop.admission.refresh()
    secured.write(WHO)
    secured.channel(SCYEXIT="mine(who)", SCYDATA="clerk", MCAUSER="channel")

    def seen() -> str:
        (found,) = [note[6] for note in secured.noted if note[0] == "INIT_SEC"]
        secured.log.unlink()
        return str(found)

    assert secured.acts_as("alice", PASSWORD) == "clerk"
    assert seen() == ("alice" if adopt == "YES" else "channel")
    secured.rule("USERMAP", CLNTUSER="alice", MCAUSER="mapped")
    assert secured.acts_as("alice") == "clerk"
    assert seen() == "mapped"


def test_a_user_that_an_exit_has_chosen_can_be_blocked(secured: Site) -> None:
    secured.write(WHO)
    secured.channel(SCYEXIT="mine(who)", SCYDATA="boss")
    secured.refuses(C.MQRC_NOT_AUTHORIZED, "alice", message="AMQ9776E", word="'boss'")
    secured.rule("BLOCKUSER", USERLIST=("guest",))
    # Nobody blocks it now, but CHCKCLNT(REQDADM) wants a password of administrators
    secured.refuses(C.MQRC_NOT_AUTHORIZED, "alice", message="AMQ5540E")
    assert secured.acts_as("alice", PASSWORD) == "boss"


def test_a_user_that_is_too_long_is_nobody(secured: Site) -> None:
    secured.write(WHO)
    secured.channel(SCYEXIT="mine(who)", SCYDATA="administrator")
    error = secured.refuses(C.MQRC_NOT_AUTHORIZED, "alice", message="AMQ9787E", word="security exit")
    assert any("AMQ9787E" in line and "12 characters" in line for line in secured.said), error


def test_an_exit_that_only_looks_lets_nobody_be_somebody_else(secured: Site) -> None:
    """A blank in front of a name makes it another one, of nobody; it must not be cut off behind the rules' back."""
    secured.alter("IDPWOS", AUTHINFO, ADOPTCTX="NO")
    secured.served.event_loop.admission.refresh()
    secured.write(WHO)
    secured.channel(SCYEXIT="mine(who)")
    secured.rule("BLOCKUSER", USERLIST=("guest",))
    for user in ("boss", " boss"):
        with secured.peer() as peer:
            peer.negotiate()
            known = frame(Type.CONAUTH_INFO, session_flows.pack_credentials("alice", PASSWORD), 1)
            peer.send(frame(Type.USERID_DATA, session_flows.pack_user(user), 1) + known + connect_flow())
            if user == "boss":
                assert peer.reply().reason == C.MQRC_NOT_AUTHORIZED
                continue
            peer.reply()
            with secured.served.event_loop.lock:
                assert "boss" not in {one.user for one in secured.served.event_loop.manager.core.connections.values()}
        secured.is_idle()


def test_the_exit_is_told_the_user_of_this_call_and_not_of_the_next(secured: Site) -> None:
    """A password is checked by a thread; meanwhile the client says that it is somebody else."""
    secured.alter("IDPWOS", AUTHINFO, ADOPTCTX="NO")
    secured.served.event_loop.admission.refresh()
    secured.write(REFUSES)
    secured.channel(SCYEXIT="mine(doorman)")
    with secured.peer() as peer:
        peer.negotiate()
        peer.send(
            frame(Type.USERID_DATA, session_flows.pack_user("mallory"), 1)
            + frame(Type.CONAUTH_INFO, session_flows.pack_credentials("alice", PASSWORD), 1)
            + connect_flow()
            + frame(Type.USERID_DATA, session_flows.pack_user("alice"), 1)
        )
        assert peer.reply().reason == C.MQRC_CHANNEL_NOT_AVAILABLE
    secured.is_idle()
