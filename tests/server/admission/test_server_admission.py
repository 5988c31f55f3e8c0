"""Who comes in over a real socket, and as whom: passwords, MCAUSER, channel authentication rules, blocked addresses."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from helper_peers import Peer, wait_until

import libremq
from libremq.common import pam, users_file
from libremq.kernel.authority import object_authority
from libremq.kernel.authority.channel_authentication_records import match_runcheck, set_chlauth
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFIN, unpack_message
from libremq.server.admission.admission_decision import REFUSED, Admitted, Applicant
from libremq.server.admission.host_names import host_names
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire import calls, session_flows
from libremq.wire.protocol import REPLY, Type
from libremq.wire.segments import frame

AUTHINFO = "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
CHANNEL = "APP.SVRCONN"
PASSWORD = "correct horse 4711"
OWNER = users_file.system_user(os.getuid())


@dataclass
class Site:
    """A queue manager as it is created, with one channel more; everybody may connect, if they are let in."""

    served: Served
    said: list[str] = field(default_factory=list)

    def run(self, work: Callable[[], int]) -> None:
        self.served.embedded.admin(work)

    def rule(self, profile: str, rule_type: str, action: str = "ADD", **attributes: Any) -> None:
        self.run(lambda: set_chlauth(self.served.event_loop.manager.core, profile, rule_type, attributes, action))

    def alter(self, kind: str, name: str, **attributes: Any) -> None:
        self.run(lambda: self.served.event_loop.manager.alter(kind, name, attributes))

    def passwords(self, **attributes: Any) -> None:
        """Change the AUTHINFO, and refresh."""
        self.alter("IDPWOS", AUTHINFO, **attributes)
        self.served.event_loop.admission.refresh()

    def user(self, name: str, *groups: str, password: str = PASSWORD) -> None:
        files, folder = self.served.event_loop.manager.core.files, self.served.event_loop.folder
        users_file.set_password(files, folder, name, password)
        if groups:
            users_file.set_groups(files, folder, name, groups)

    def url(self, user: str = "", password: str = "", channel: str = CHANNEL) -> str:
        secret = f":{quote(password)}" if password else ""
        who = f"{user}{secret}@" if user else ""
        return f"mq://{who}127.0.0.1:{self.served.port}/QM1?channel={channel}"

    def acts_as(self, url: str, **who: str) -> str:
        """Connect and disconnect; who the connection was."""
        with libremq.connect(url, **who):
            (found,) = self.served.in_loop(
                lambda: [
                    one.user
                    for link in self.served.event_loop.links
                    for one in link.conversations.values()
                    if one.hconn
                ]
            )
        wait_until(lambda: not self.served.event_loop.links)
        return found

    def refuses(self, url: str, message: str = "", **who: str) -> MQError:
        del self.said[:]
        with pytest.raises(MQError) as caught:
            libremq.connect(url, **who).close()
        assert caught.value.reason == C.MQRC_NOT_AUTHORIZED, caught.value
        assert any(message in line for line in self.said), self.said
        assert PASSWORD not in "".join(self.said) + caught.value.detail
        return caught.value


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    said: list[str] = []
    with served_queue_manager(folder=tmp_path, secured=True, say=said.append) as served:
        made = Site(served, said)
        core = served.event_loop.manager.core
        made.run(lambda: served.event_loop.manager.define("CHANNEL", CHANNEL, {"CHLTYPE": "SVRCONN"}))
        made.run(lambda: object_authority.set_authority(core, "QM1", "QMGR", groups=("nobody",), add=("CONNECT",)))
        made.passwords(FAILDLAY=0)
        yield made


# As created


def test_a_new_queue_manager_lets_nobody_in_through_its_own_channels(site: Site) -> None:
    for channel in ("SYSTEM.DEF.SVRCONN", "SYSTEM.AUTO.SVRCONN"):
        site.refuses(site.url("alice", channel=channel), f"AMQ9777E: Channel '{channel}' from 127.0.0.1(")
    assert "CHLAUTH(SYSTEM.*) TYPE(ADDRESSMAP)" in "".join(site.said)


def test_a_new_queue_manager_lets_no_privileged_user_in(site: Site) -> None:
    site.user("boss", "mqm")
    site.refuses(site.url(OWNER), f"AMQ9776E: Channel '{CHANNEL}' from 127.0.0.1(")
    site.refuses(site.url("boss", PASSWORD), "'boss' (CHLAUTH(*) TYPE(BLOCKUSER) USERLIST(*MQADMIN))")
    assert site.acts_as(site.url("alice")) == "alice"


def test_an_administrator_is_let_in_where_a_rule_says_so_and_only_with_a_password(site: Site) -> None:
    site.user("boss", "mqm")
    site.rule(CHANNEL, "BLOCKUSER", USERLIST=("nobody",))
    site.refuses(site.url("boss"), "AMQ5540E")
    assert f"CHCKCLNT(REQDADM) of AUTHINFO({AUTHINFO})" in "".join(site.said)
    site.refuses(site.url("boss", "a guess"), "AMQ5534E: User 'boss' failed authentication")
    assert site.acts_as(site.url("boss", PASSWORD)) == "boss"
    with libremq.connect(site.url("boss", PASSWORD)) as qm:
        qm.define_local("BY.BOSS")
        qm.checkpoint()
    with libremq.connect(site.url("alice")) as qm:
        for command in (lambda: qm.define_local("BY.ALICE"), qm.checkpoint):
            with pytest.raises(MQError) as caught:
                command()
            assert caught.value.reason == C.MQRC_NOT_AUTHORIZED


def test_no_channel_lets_a_client_name_files_of_the_server(site: Site) -> None:
    site.user("boss", "mqm")
    site.rule(CHANNEL, "BLOCKUSER", USERLIST=("nobody",))
    with libremq.connect(site.url("boss", PASSWORD)) as qm, pytest.raises(MQError) as caught:
        qm.copy_to_backup("/tmp/nowhere")
    assert caught.value.reason == C.MQRC_NOT_AUTHORIZED


# Who it acts as

MAP = {"MCAUSER": "mapped"}
KEEP = {"USERSRC": "CHANNEL"}
WHO: list[tuple[str, str, str, dict[str, str] | None, bool, str]] = [
    # MCAUSER of the channel, ADOPTCTX, the client user of a rule, what the rule says, a password is shown -> it acts as
    ("", "YES", "", None, False, "alice"),
    ("", "YES", "", None, True, "pat"),
    ("", "NO", "", None, True, "pat"),
    ("fixed", "YES", "", None, False, "fixed"),
    ("fixed", "YES", "", None, True, "pat"),
    ("fixed", "NO", "", None, True, "fixed"),
    ("", "YES", "alice", MAP, False, "mapped"),
    ("fixed", "YES", "alice", MAP, False, "mapped"),
    ("fixed", "YES", "pat", MAP, True, "mapped"),
    ("fixed", "YES", "alice", MAP, True, "pat"),
    ("fixed", "NO", "pat", MAP, True, "mapped"),
    ("fixed", "YES", "alice", KEEP, False, "fixed"),
    ("fixed", "YES", "pat", KEEP, True, "pat"),
    ("", "YES", "alice", KEEP, False, "alice"),
]


@pytest.mark.parametrize(("mca_user", "adopt", "client_user", "rule", "with_password", "expected"), WHO)
def test_who_a_connection_acts_as(
    site: Site,
    mca_user: str,
    adopt: str,
    client_user: str,
    rule: dict[str, str] | None,
    with_password: bool,
    expected: str,
) -> None:
    """A password proves the user pat; without one, the client says that it is alice."""
    site.user("pat")
    site.alter("CHANNEL", CHANNEL, MCAUSER=mca_user)
    site.passwords(ADOPTCTX=adopt)
    if rule is not None:
        site.rule(CHANNEL, "USERMAP", CLNTUSER=client_user, **rule)
    assert site.acts_as(site.url("pat", PASSWORD) if with_password else site.url("alice")) == expected


def test_a_long_name_that_is_cut_is_checked_as_it_is_cut(site: Site) -> None:
    """Connections have names of 12 characters. Nobody gets past a list with a thirteenth."""
    site.user("twelve.chars", "mqm")
    site.refuses(site.url("twelve.charsX"), "AMQ9776E")
    site.rule(CHANNEL, "BLOCKUSER", USERLIST=("abcdefghijkl",))
    site.refuses(site.url("abcdefghijklmn"), "AMQ9776E")
    site.refuses(site.url("twelve.charsX"), "AMQ5540E")
    assert site.acts_as(site.url("abcdefghijk")) == "abcdefghijk"
    site.rule(CHANNEL, "USERMAP", CLNTUSER="abcdefghijklmn", MCAUSER="short")
    assert site.acts_as(site.url("abcdefghijklmn")) == "short"
    site.rule(CHANNEL, "USERMAP", CLNTUSER="bannedbanned", USERSRC="NOACCESS")
    site.refuses(site.url("bannedbanned"), "AMQ9777E")
    site.refuses(site.url("bannedbannedX"), "AMQ9777E")
    site.rule(CHANNEL, "USERMAP", CLNTUSER="abcdefghijkl", USERSRC="NOACCESS")
    assert site.acts_as(site.url("abcdefghijklmn")) == "short"


def test_a_password_proves_no_other_user_to_be_an_administrator(site: Site) -> None:
    site.user("pat")
    site.user("boss", "mqm")
    site.rule(CHANNEL, "BLOCKUSER", USERLIST=("nobody",))
    site.passwords(ADOPTCTX="NO")

    def reason(asserted: str, user: str) -> int:
        body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
        with Peer(site.served.port, channel=CHANNEL) as peer:
            peer.negotiate()
            peer.send(
                frame(Type.USERID_DATA, session_flows.pack_user(asserted), 1)
                + frame(Type.CONAUTH_INFO, session_flows.pack_credentials(user, PASSWORD), 1)
                + frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1)
            )
            while (flow := peer.answer()).kind != Type.MQCONN + REPLY:
                pass
            return calls.unpack_api(flow.body).reason

    for check in ("REQDADM", "REQUIRED", "OPTIONAL"):
        site.passwords(CHCKCLNT=check)
        assert reason("boss", "boss") == C.MQRC_NONE
        assert reason("alice", "pat") == C.MQRC_NONE
        assert reason("boss", "pat") == C.MQRC_NOT_AUTHORIZED
    site.alter("CHANNEL", CHANNEL, MCAUSER="boss")  # the administrator says so, not the client
    assert reason("alice", "pat") == C.MQRC_NONE


# CHCKCLNT, CHCKLOCL, CONNAUTH


@pytest.mark.parametrize(
    ("check", "nothing", "wrong", "right"),
    [("NONE", True, True, True), ("OPTIONAL", True, False, True), ("REQUIRED", False, False, True),
     ("REQDADM", True, False, True)],
)  # fmt: skip
def test_what_chckclnt_asks_for(site: Site, check: str, nothing: bool, wrong: bool, right: bool) -> None:
    site.user("pat")
    site.passwords(CHCKCLNT=check)
    for url, fine in (
        (site.url("pat"), nothing),
        (site.url("pat", "a guess"), wrong),
        (site.url("pat", PASSWORD), right),
        (site.url("stranger", PASSWORD), wrong),
    ):
        if fine:
            site.acts_as(url)
        else:
            site.refuses(url, "AMQ9557E")


def test_a_rule_may_ask_for_a_password_where_the_queue_manager_does_not(site: Site) -> None:
    site.user("pat")
    site.rule(CHANNEL, "ADDRESSMAP", ADDRESS="127.*", USERSRC="CHANNEL", CHCKCLNT="REQUIRED")
    for check in ("OPTIONAL", "NONE"):
        site.passwords(CHCKCLNT=check)
        site.refuses(site.url("pat"), "CHCKCLNT(REQUIRED) of the channel authentication rule")
        site.refuses(site.url("pat", "a guess"), "AMQ5534E")
        assert site.acts_as(site.url("pat", PASSWORD)) == "pat"


def test_without_connauth_no_password_is_looked_at_and_none_can_be_asked_for(site: Site) -> None:
    site.alter("QMGR", "", CONNAUTH="")
    site.served.event_loop.admission.refresh()
    assert site.acts_as(site.url("pat", "a guess")) == "pat"
    site.rule(CHANNEL, "ADDRESSMAP", ADDRESS="127.*", USERSRC="CHANNEL", CHCKCLNT="REQDADM")
    site.refuses(site.url("pat", PASSWORD), "AMQ5540E")


def test_changes_of_the_authinfo_apply_after_a_refresh(site: Site) -> None:
    site.alter("IDPWOS", AUTHINFO, CHCKCLNT="REQUIRED")
    assert site.acts_as(site.url("alice")) == "alice"
    site.served.event_loop.admission.refresh()
    site.refuses(site.url("alice"), "AMQ5540E")


@pytest.mark.parametrize("name", ["NO.SUCH.OBJECT", "SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP"])
def test_a_connauth_that_cannot_be_used_lets_no_client_in(site: Site, name: str) -> None:
    site.user("pat")
    site.alter("QMGR", "", CONNAUTH=name)
    site.served.event_loop.admission.refresh()
    assert any(line.startswith("AMQ9591E") and name in line for line in site.said)
    site.refuses(site.url("pat", PASSWORD), "AMQ9591E")
    site.refuses(site.url("alice"), "AMQ5540E")
    with libremq.connect(site.served.url("local")) as qm:
        qm.alter("qmgr", connauth=AUTHINFO)  # it can be put right from here
    site.served.event_loop.admission.refresh()
    assert site.acts_as(site.url("pat", PASSWORD)) == "pat"


def test_a_broken_file_of_users_lets_nobody_in(site: Site) -> None:
    site.user("pat")
    Path(site.served.event_loop.folder, users_file.FILE_NAME).write_text("{")
    site.refuses(site.url("pat", PASSWORD), "AMQ9591E")


def test_the_operating_system_alone_is_asked_with_authenmd_pam(site: Site) -> None:
    site.user("pat")
    site.passwords(AUTHENMD="PAM")
    site.refuses(site.url("pat", PASSWORD), "AMQ5534E" if pam.is_available() else "no PAM library")


@pytest.mark.skipif(not pam.is_available(), reason="no PAM here")
def test_pam_knows_no_wrong_password() -> None:
    assert not pam.check_password(OWNER, "surely not the password")
    assert not pam.check_password("no-such-user", PASSWORD)
    assert not pam.check_password(OWNER, "") and not pam.check_password("a\0b", PASSWORD)


def test_local_connections(site: Site) -> None:
    def local(**who: str) -> str:
        return site.acts_as(site.served.url("local"), **who)

    site.user("pat")
    assert local() == OWNER
    assert local(user="pat", password=PASSWORD) == "pat"
    assert local(user="nadine") == "nadine"  # whoever owns the queue manager may act for anybody
    site.refuses(site.served.url("local"), "AMQ5534E", user="pat", password="a guess")
    site.passwords(CHCKLOCL="REQDADM", ADOPTCTX="NO")
    site.refuses(site.served.url("local"), f"CHCKLOCL(REQDADM) of AUTHINFO({AUTHINFO})")
    site.refuses(site.served.url("local"), "AMQ5540E", user="nadine")
    assert local(user="pat", password=PASSWORD) == "pat"
    site.passwords(CHCKLOCL="NONE")
    assert local(user="pat", password="a guess") == "pat"


def test_who_is_not_privileged_is_whom_the_system_says(site: Site) -> None:
    decide = site.served.event_loop.admission.decide
    assert decide(Applicant(True, "guest", named="pat")) == Admitted("guest", privileged=False)
    assert decide(Applicant(True, "guest", named=OWNER)) == Admitted("guest", privileged=False)


# Afterwards


def test_who_is_no_longer_an_administrator_is_none_after_a_refresh(site: Site) -> None:
    site.user("boss", "mqm")
    site.rule(CHANNEL, "BLOCKUSER", USERLIST=("nobody",))
    with libremq.connect(site.url("boss", PASSWORD)) as qm, libremq.connect(site.served.url("local"), user="x") as own:
        own.define_local("BEFORE")
        qm.define_local("BEFORE.TOO")
        event_loop = site.served.event_loop
        users_file.set_groups(event_loop.manager.core.files, event_loop.folder, "boss", ("staff",))
        assert own.mqsc("REFRESH SECURITY TYPE(AUTHSERV)")[0].reason == 0
        for command in (lambda: qm.define_local("AFTER"), lambda: qm.put("BEFORE", "text"), qm.checkpoint):
            with pytest.raises(MQError) as caught:
                command()
            assert caught.value.reason == C.MQRC_NOT_AUTHORIZED
        own.define_local("AFTER")  # the owner is one, whatever it is called


# Failure delay


def test_only_the_answer_to_a_wrong_password_waits(site: Site) -> None:
    site.user("pat")
    site.passwords(FAILDLAY=60)
    outcomes: list[MQError] = []

    def guess() -> None:
        try:
            libremq.connect(site.url("pat", "a guess") + "&connect_timeout=240")
        except MQError as error:
            outcomes.append(error)

    guesses = [threading.Thread(target=guess, daemon=True) for _ in range(5)]
    for one in guesses:
        one.start()
    wait_until(lambda: sum("AMQ5534E" in line for line in site.said) == len(guesses))
    with libremq.connect(site.url("pat", PASSWORD)), libremq.connect(site.url("alice")):
        assert not outcomes  # more guesses than there are threads for passwords, and all of them still wait
    site.passwords(FAILDLAY=0)
    site.refuses(site.url("pat", "a guess"), "AMQ5534E")
    assert not outcomes
    site.served.in_loop(lambda: [link.abort() for link in list(site.served.event_loop.links)])
    for one in guesses:
        one.join(60)
    assert len(outcomes) == len(guesses)


def test_a_right_password_of_who_may_not_connect_is_refused_no_sooner_than_a_wrong_one(site: Site) -> None:
    """And so is one of who is blocked: when the answer comes would tell that the password was right."""
    site.user("pat")
    site.user("boss", "mqm")
    core = site.served.event_loop.manager.core
    site.run(lambda: object_authority.set_authority(core, "QM1", "QMGR", groups=("nobody",), remove=("CONNECT",)))
    site.passwords(FAILDLAY=60)
    body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX))
    for user, message in (("pat", "AMQ9557E"), ("boss", "AMQ9776E"), ("nobody.else", "AMQ9557E")):
        del site.said[:]
        with Peer(site.served.port, channel=CHANNEL) as peer:
            peer.negotiate()
            peer.send(
                frame(Type.CONAUTH_INFO, session_flows.pack_credentials(user, PASSWORD), 1)
                + frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1)
            )
            assert peer.answer().kind == Type.STATUS_DATA
            wait_until(lambda message=message: any(line.startswith(message) for line in list(site.said)))  # type: ignore[misc]
            (link,) = site.served.event_loop.links
            assert site.served.in_loop(lambda link=link: link.conversations[1].is_busy)  # it waits for its time
        wait_until(lambda: not site.served.event_loop.links)


def test_all_who_are_refused_over_the_network_hear_the_same(site: Site) -> None:
    """Nobody learns from it which users there are, who is privileged, or who lacks an authority."""
    core = site.served.event_loop.manager.core
    site.run(lambda: object_authority.set_authority(core, "QM1", "QMGR", groups=("nobody",), remove=("CONNECT",)))
    site.user("pat")
    site.user("boss", "mqm")
    site.rule(CHANNEL, "USERMAP", CLNTUSER="mapped", USERSRC="NOACCESS")
    heard = {
        name: site.refuses(url, message)
        for name, url, message in (
            ("unknown user", site.url("stranger", PASSWORD), "AMQ5534E"),
            ("wrong password", site.url("pat", "a guess"), "AMQ5534E"),
            ("wrong password of an administrator", site.url("boss", "a guess"), "AMQ5534E"),
            ("blocked administrator", site.url("boss", PASSWORD), "AMQ9776E"),
            ("no authority, with a password", site.url("pat", PASSWORD), "AMQ8077W"),
            ("no authority, without", site.url("pat"), "AMQ8077W"),
            ("no such user, without", site.url("stranger"), "AMQ8077W"),
            ("an administrator, without", site.url("boss"), "AMQ9776E"),
            ("blocked by a rule", site.url("mapped"), "AMQ9777E"),
            ("a channel of the system", site.url("pat", channel="SYSTEM.DEF.SVRCONN"), "AMQ9777E"),
        )
    }
    site.rule(CHANNEL, "BLOCKUSER", USERLIST=("nobody",))
    heard["an administrator without the password that it needs"] = site.refuses(site.url("boss"), "AMQ5540E")
    site.passwords(AUTHENMD="PAM")
    heard["the system is asked"] = site.refuses(site.url("pat", "a guess"), "AMQ9557E")
    assert {(error.reason, error.object_name, error.detail) for error in heard.values()} == {
        (C.MQRC_NOT_AUTHORIZED, "QM1", REFUSED)
    }, heard


def test_commands_are_refused_in_the_same_words(site: Site) -> None:
    core = site.served.event_loop.manager.core
    site.run(lambda: object_authority.set_authority(core, "QM1", "QMGR", groups=("nobody",), remove=("CONNECT",)))
    with Peer(site.served.port, channel=CHANNEL) as peer:
        peer.negotiate()
        body = session_flows.pack_connect(session_flows.Connect("", "peer", C.MQAT_UNIX, session_flows.COMMANDS_ONLY))
        peer.send(frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, 1))
        words = session_flows.unpack_explanation(peer.answer().body)
        assert words == ("QM1", REFUSED)
        assert calls.unpack_api(peer.answer().body).reason == C.MQRC_NOT_AUTHORIZED


def test_who_is_refused_on_this_machine_hears_why(site: Site) -> None:
    site.user("pat")
    error = site.refuses(site.served.url("local"), "AMQ5534E", user="pat", password="a guess")
    assert "the user id or the password is wrong" in error.detail


def test_nothing_that_is_shown_has_the_password(site: Site) -> None:
    assert PASSWORD not in repr(Applicant(False, "pat", ("pat", PASSWORD)))


# Rules


def test_a_blocked_address_is_not_listened_to(site: Site) -> None:
    site.rule("*", "BLOCKADDR", ADDRLIST=("127.0.0.*", "10.*"))
    with pytest.raises(MQError) as caught:
        libremq.connect(site.url("alice"))
    assert caught.value.reason != C.MQRC_NOT_AUTHORIZED  # nothing was said to it
    assert any(line.startswith("AMQ9781E: A connection from 127.0.0.1 ") for line in site.said)
    assert site.served.event_loop.sockets == 0
    with libremq.connect(site.served.url("local")):
        pass
    site.rule("*", "BLOCKADDR", "REPLACE", ADDRLIST=("127.*",), WARN="YES")
    assert site.acts_as(site.url("alice")) == "alice"
    assert any(line.startswith("AMQ9780W") and "BLOCKADDR" in line for line in site.said)
    site.rule("*", "BLOCKADDR", "REPLACE", ADDRLIST=("127.*",))
    site.alter("QMGR", "", CHLAUTH="DISABLED")
    assert site.acts_as(site.url("alice")) == "alice"


def test_warnings_let_in_and_tell(site: Site) -> None:
    site.alter("QMGR", "", CHLEV="ENABLED")
    site.rule(CHANNEL, "ADDRESSMAP", ADDRESS="127.0.0.1", USERSRC="NOACCESS", WARN="YES")
    assert site.acts_as(site.url("alice")) == "alice"
    assert any(line.startswith(f"AMQ9780W: Channel '{CHANNEL}' from 127.0.0.1(") for line in site.said)
    site.rule(CHANNEL, "ADDRESSMAP", "REPLACE", ADDRESS="127.0.0.1", USERSRC="NOACCESS")
    site.refuses(site.url("alice"), "AMQ9777E")
    site.rule(CHANNEL, "ADDRESSMAP", "REMOVEALL")
    site.refuses(site.url(OWNER), "AMQ9776E")
    with libremq.connect(site.served.url("local")) as qm:
        events = [unpack_message(message.data) for message in qm.queue("SYSTEM.ADMIN.CHANNEL.EVENT")]
    blocked = (C.MQRC_CHANNEL_BLOCKED, C.MQRC_CHANNEL_BLOCKED_WARNING)
    told = [
        (header.Reason, one.Value)
        for header, parameters, *_ in events
        for one in parameters
        if header.Reason in blocked and isinstance(one, MQCFIN) and one.Parameter == C.MQIACF_REASON_QUALIFIER
    ]
    assert told == [
        (C.MQRC_CHANNEL_BLOCKED_WARNING, C.MQRQ_CHANNEL_BLOCKED_NOACCESS),
        (C.MQRC_CHANNEL_BLOCKED, C.MQRQ_CHANNEL_BLOCKED_NOACCESS),
        (C.MQRC_CHANNEL_BLOCKED, C.MQRQ_CHANNEL_BLOCKED_USERID),
    ]


def test_a_wrong_password_is_an_event(site: Site) -> None:
    site.user("pat")
    site.alter("QMGR", "", AUTHOREV="ENABLED")
    site.refuses(site.url("pat", "a guess"), "AMQ5534E")
    with libremq.connect(site.served.url("local")) as qm:
        events = [unpack_message(message.data) for message in qm.queue("SYSTEM.ADMIN.QMGR.EVENT")]
    (told,) = [
        {one.Parameter: one.Value if isinstance(one, MQCFIN) else one.String for one in parameters}  # type: ignore[union-attr]
        for header, parameters, *_ in events
        if header.Reason == C.MQRC_NOT_AUTHORIZED
    ]
    assert told[C.MQIACF_REASON_QUALIFIER] == C.MQRQ_CSP_NOT_AUTHORIZED
    assert str(told[C.MQCACF_CSP_USER_IDENTIFIER]).strip() == "pat"


def test_disabled_rules_apply_to_nobody(site: Site) -> None:
    site.passwords(CHCKCLNT="OPTIONAL")
    site.alter("QMGR", "", CHLAUTH="DISABLED")
    assert site.acts_as(site.url("alice", channel="SYSTEM.DEF.SVRCONN")) == "alice"
    assert site.acts_as(site.url(OWNER)) == OWNER


def test_very_many_rules_are_gone_through_by_a_thread(site: Site) -> None:
    """The loop would be held up by each socket that asks, and by one that is refused, too."""
    admission = site.served.event_loop.admission
    applicant = Applicant(False, "alice", channel=CHANNEL, address="127.0.0.1")
    assert not admission.takes_long(applicant)

    def define() -> int:
        manager = site.served.event_loop.manager
        for number in range(100):
            set_chlauth(manager.core, CHANNEL, "ADDRESSMAP", {"ADDRESS": f"10.1.{number}.*", "USERSRC": "NOACCESS"})
        return manager.log.durable

    site.run(define)
    assert admission.takes_long(applicant)
    assert site.acts_as(site.url("alice")) == "alice"
    site.rule(CHANNEL, "ADDRESSMAP", ADDRESS="127.0.0.1", USERSRC="NOACCESS")
    site.refuses(site.url("alice"), "AMQ9777E")
    site.rule(CHANNEL, "ADDRESSMAP", "REMOVE", ADDRESS="127.0.0.1")
    assert site.acts_as(site.url("alice")) == "alice"
    assert not admission.takes_long(Applicant(True, "alice"))


@pytest.mark.skipif("localhost" not in host_names("127.0.0.1", print), reason="127.0.0.1 has no name here")
def test_host_names_are_looked_up_if_revdns_allows_it(site: Site) -> None:
    site.rule(CHANNEL, "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS")
    site.rule(CHANNEL, "ADDRESSMAP", ADDRESS="local*", MCAUSER="byname")
    assert site.acts_as(site.url("alice")) == "byname"
    site.alter("QMGR", "", REVDNS="DISABLED")
    site.refuses(site.url("alice"), "AMQ9777E")


def test_a_name_counts_only_if_it_leads_back() -> None:
    assert host_names("192.0.2.1", print) == ()  # an address for documentation, which nobody has


RUNCHECKS: list[list[tuple[str, str, dict[str, Any]]]] = [
    [],
    [("*", "ADDRESSMAP", {"ADDRESS": "*", "USERSRC": "NOACCESS"})],
    [
        ("*", "ADDRESSMAP", {"ADDRESS": "*", "USERSRC": "NOACCESS"}),
        (CHANNEL, "USERMAP", {"CLNTUSER": "alice", "USERSRC": "CHANNEL"}),
    ],
    [
        ("APP.*", "ADDRESSMAP", {"ADDRESS": "127.0.0.1", "MCAUSER": "exact"}),
        ("APP.*", "ADDRESSMAP", {"ADDRESS": "127.*", "MCAUSER": "wide"}),
        ("APP.*", "USERMAP", {"CLNTUSER": "bob", "MCAUSER": "rob"}),
    ],
    [("*", "USERMAP", {"CLNTUSER": "alice", "MCAUSER": OWNER})],
    [("*", "ADDRESSMAP", {"ADDRESS": "*", "USERSRC": "NOACCESS", "WARN": "YES"})],
    [(CHANNEL, "BLOCKUSER", {"USERLIST": ("bob",)}), (CHANNEL, "USERMAP", {"CLNTUSER": "alice", "MCAUSER": "bob"})],
    [("*", "QMGRMAP", {"QMNAME": "*", "USERSRC": "NOACCESS"})],
    [("*", "BLOCKADDR", {"ADDRLIST": ("127.0.0.1",)})],
    [("*", "ADDRESSMAP", {"ADDRESS": "127.0.0.2-9", "USERSRC": "NOACCESS"})],
]


@pytest.mark.parametrize("mca_user", ["", "fixed"])
@pytest.mark.parametrize("rules", RUNCHECKS)
def test_runcheck_says_what_a_connection_gets(
    site: Site, rules: list[tuple[str, str, dict[str, Any]]], mca_user: str
) -> None:
    site.alter("CHANNEL", CHANNEL, MCAUSER=mca_user)
    for profile, rule_type, attributes in rules:
        site.rule(profile, rule_type, **attributes)
    for user in ("alice", "bob", "alice.and.bob"):
        told = match_runcheck(
            site.served.event_loop.manager.core.catalogue,
            CHANNEL,
            "127.0.0.1",
            client_user=user,
            is_privileged=site.served.event_loop.admission.is_privileged,
        )
        try:
            got = site.acts_as(site.url(user))
        except MQError:
            got = ""
        assert got == (told.user if told.allowed else "")
