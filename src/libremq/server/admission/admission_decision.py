"""Who comes in, and as whom: addresses, channel authentication rules, passwords, in MQ's order.

An address on a list is turned away before anything is read from it. Over the Unix-domain socket the system says who it
is. A client is checked when it connects: first its password, if it shows one, then the rules, which look at the user
whom the password proved, then by the security exit of its channel, which may choose another user, then by the lists of
users that are blocked, then whether a password should have been there.
Passwords are checked by threads of their own, and very many rules are gone through there; a refusal after a password
was shown waits (FAILDLAY), and only that answer. Who is refused over the network hears the same words at the same time,
whatever the reason: the error log has that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from libremq.channels.exits import ChannelExitError
from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.common.users_file import system_user
from libremq.kernel.authority import channel_authentication_records
from libremq.kernel.events import queue_manager_events
from libremq.kernel.objects.security_records import ChannelAuthentication
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.security import channel_authentication, connection_authentication
from libremq.security.address_patterns import address_parts
from libremq.security.channel_authentication import Facts, Verdict
from libremq.server.admission.connauth_settings import read_settings
from libremq.server.admission.decision_turns import Turns
from libremq.server.admission.host_names import host_names
from libremq.server.admission.passwords import Passwords
from libremq.wire.protocol import Status

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

_PASSWORD_THREADS = 4
_RULES_AT_ONCE = 100
"""Going through so many takes about a millisecond. With more of them a decision is left to a thread."""
REFUSED = "this connection is not let in; the error log of the queue manager says why"
"""All that anybody hears over the network: not whether the user exists, is privileged or lacks an authority."""
_ON_THIS_MACHINE = frozenset({"archive_log", "copy_to_backup"})
"""Commands with paths of files: for those who could touch the files themselves."""


@dataclass(frozen=True, slots=True)
class Applicant:
    """Somebody who wants to connect."""

    local: bool
    asserted: str
    """Who it says it is; over the Unix-domain socket, who the system says it is."""
    credentials: tuple[str, str] | None = field(default=None, repr=False)
    channel: str = ""
    mca_user: str = ""
    address: str = ""
    port: str = ""
    peer_dn: str = ""
    issuer_dn: str = ""
    application: str = ""
    named: str = ""
    """Over the Unix-domain socket: whom it wants to be called."""
    queue_manager: str = ""
    """Of a message channel: the partner."""
    settle: Callable[[str], str] | None = field(default=None, repr=False)
    """The security exit of the channel: as whom it connects, given who it would be. ChannelExitError if it may not."""

    @property
    def where(self) -> str:
        return "this machine" if self.local else f"{self.address}({self.port})" if self.port else self.address


@dataclass(frozen=True, slots=True)
class Admitted:
    """It may connect."""

    user: str
    privileged: bool
    authenticated: bool = False
    """Its password was checked."""
    privilege_of: str = ""
    """Who it is in truth, if the owner of the queue manager goes by another name."""


@dataclass(frozen=True, slots=True)
class Denied:
    """It may not. What it is told does not say why: the error log does."""

    error: MQError
    status: Status | None = None
    """An exit wants the channel to end, and says so to the client with this."""


def _as_connected(user: str) -> str:
    """The name that a connection will have: what is checked must be that."""
    return channel_authentication.cut(user)


class _Rules(NamedTuple):
    """The channel authentication rules, as they were when they were read."""

    version: int
    every: list[ChannelAuthentication]
    on_addresses: list[ChannelAuthentication]
    """Those of TYPE(BLOCKADDR), at which each socket is looked at."""
    name_hosts: bool


_NO_RULES = _Rules(-1, [], [], False)


class Admission:
    """Decides for one queue manager. Everything may be called from any thread."""

    def __init__(self, event_loop: EventLoop) -> None:
        self._event_loop = event_loop
        self._passwords = Passwords(event_loop.manager.files, event_loop.folder)
        self.threads = Turns(_PASSWORD_THREADS, "libremq-password")
        """For `decide` where `takes_long` says so."""
        self._read = _NO_RULES
        event_loop.manager.authority.begin_serving(owner=system_user(os.getuid()))
        self.refresh()

    def refresh(self) -> None:
        """REFRESH SECURITY TYPE(CONNAUTH): from now on what the queue manager and its AUTHINFO say today applies."""
        with self._event_loop.lock:
            self.settings = read_settings(self._event_loop.manager.definitions)
        if self.settings.problem:
            self._event_loop.say(amq(9591, self.settings.problem))

    def close(self) -> None:
        self.threads.close()

    def is_privileged(self, user: str) -> bool:
        """Is it a member of mqm, the owner of this process, or named in AdminUsers of qm.ini?"""
        return self._event_loop.manager.authority.is_administrator(user)

    # The listener

    def blocks_address(self, address: str) -> bool:
        """Is it on a list of TYPE(BLOCKADDR)? Says so, in the error log and with an event."""
        for rule in channel_authentication.blocks_address(self._rules().on_addresses, address):
            if not rule.warn:
                self._event_loop.say(amq(9781, f"{address} ({channel_authentication.described(rule)})"))
                self._event(False, rule, Applicant(False, "", address=address), "")
                return True
            self._warn(rule, Applicant(False, "", address=address), "")
        return False

    def _rules(self) -> _Rules:
        """All that apply: none with CHLAUTH(DISABLED)."""
        with self._event_loop.lock:
            definitions = self._event_loop.manager.definitions
            if definitions.qmgr.chlauth == C.MQCHLA_DISABLED or not definitions.chlauths:
                return _NO_RULES
            if self._read.version != definitions.chlauths_version:
                every = channel_authentication_records.rules(definitions)
                on_addresses = [rule for rule in every if rule.type == C.MQCAUT_BLOCKADDR]
                name_hosts = channel_authentication.needs_host_names(every)
                self._read = _Rules(definitions.chlauths_version, every, on_addresses, name_hosts)
            return self._read

    # Connections

    def takes_long(self, applicant: Applicant) -> bool:
        """Must the decision be left to a thread?"""
        if applicant.credentials is not None or applicant.local:
            return applicant.credentials is not None
        rules = self._rules()
        return len(rules.every) > _RULES_AT_ONCE or self._names_are_wanted(rules)

    def _names_are_wanted(self, rules: _Rules) -> bool:
        return rules.name_hosts and self._event_loop.manager.definitions.qmgr.revdns == C.MQRDNS_ENABLED

    def decide(self, applicant: Applicant) -> Admitted | Denied:
        if applicant.local:
            return self._decide_local(applicant)
        return self._without_address(applicant) or self._decide_client(applicant)

    def refusal_delay_s(self, applicant: Applicant) -> int:
        """How long a refusal waits, counted from the call: how long anything took would tell what it was."""
        return self.settings.failure_delay_s if applicant.credentials is not None else 0

    def refused(self) -> Denied:
        """The refusal of somebody who comes over the network."""
        return Denied(mq_error(C.MQRC_NOT_AUTHORIZED, self._event_loop.manager.name, REFUSED))

    def _decide_local(self, applicant: Applicant) -> Admitted | Denied:
        settings = self.settings
        proven = False
        if applicant.credentials is not None and connection_authentication.is_password_looked_at(settings.check_local):
            proven = self._passwords.right(settings, applicant.credentials, self._event_loop.say)
            if not proven:
                return self._wrong_password(applicant, applicant.credentials[0])
        user = applicant.asserted
        if connection_authentication.is_password_needed(settings.check_local, self.is_privileged(user)) and not proven:
            return self._no_password(applicant, C.MQCHK_AS_Q_MGR)
        if proven and settings.adopt_context and applicant.credentials is not None:
            user = applicant.credentials[0]
            if user != _as_connected(user):
                return self._too_long(applicant, user)
        elif applicant.named and self.is_privileged(user):
            # Who owns the queue manager could open its files: it may act for anybody, as in an embedded one
            return Admitted(_as_connected(applicant.named), True, proven, user)
        return Admitted(user, self.is_privileged(user), proven)

    def _decide_client(self, applicant: Applicant) -> Admitted | Denied:
        settings = self.settings
        credentials = applicant.credentials
        proven = False
        if credentials is not None and connection_authentication.is_password_looked_at(settings.check_client):
            proven = self._passwords.right(settings, credentials, self._event_loop.say)
            if not proven:
                return self._wrong_password(applicant, credentials[0])
        adopted = credentials[0] if proven and credentials is not None and settings.adopt_context else ""
        if adopted != _as_connected(adopted):
            return self._too_long(applicant, adopted)
        chosen: list[str] = []  # by a security exit
        try:
            verdict = self._verdict(applicant, adopted, chosen)
        except ChannelExitError as error:
            return self._ended_by_exit(applicant, error)
        for rule in verdict.warnings:
            self._warn(rule, applicant, verdict.user)
        if verdict.blocked_by is not None:
            return self._blocked(verdict.blocked_by, applicant, verdict.user)
        if chosen and chosen[0] != _as_connected(chosen[0]):
            return self._too_long(applicant, chosen[0], "whom a security exit chooses")
        from_rule = verdict.check_client
        check = connection_authentication.effective_check(settings, from_rule, local=False)
        privileged = self.is_privileged(verdict.user)
        if not settings.configured and from_rule != C.MQCHK_AS_Q_MGR:
            return self._no_password(applicant, from_rule)
        if connection_authentication.is_password_needed(check, privileged) and not proven:
            if credentials is None:
                return self._no_password(applicant, from_rule)
            # CHCKCLNT(NONE), and a rule that wants to see it all the same
            proven = self._passwords.right(settings, credentials, self._event_loop.say)
            if not proven:
                return self._wrong_password(applicant, credentials[0])
        only_says_so = not (adopted or applicant.mca_user or verdict.is_mapped or chosen)
        if privileged and proven and only_says_so and credentials is not None and credentials[0] != verdict.user:
            # ADOPTCTX(NO): the password of one user does not prove that it is another, who may do everything
            return self._no_password(applicant, from_rule)
        return Admitted(verdict.user, privileged, proven)

    def decide_channel(self, applicant: Applicant) -> str | Denied | None:
        """Of a message channel: as whom it acts by the rules; None if they leave that to its definition."""
        if (denied := self._without_address(applicant)) is not None:
            return denied
        verdict = self._verdict(applicant, "")
        for rule in verdict.warnings:
            self._warn(rule, applicant, verdict.user)
        if verdict.blocked_by is not None:
            return self._blocked(verdict.blocked_by, applicant, verdict.user)
        return verdict.user if verdict.is_mapped else None

    def _verdict(
        self, applicant: Applicant, adopted: str, chosen: list[str] | None = None
    ) -> Verdict[ChannelAuthentication]:
        """What the rules say, and the security exit if there is one: a user that it chooses is added to `chosen`."""
        read = self._rules()
        rules = channel_authentication.for_partner(read.every, applicant.queue_manager)
        names: tuple[str, ...] = ()
        if self._names_are_wanted(read):
            names = host_names(applicant.address, self._event_loop.say)
        facts = Facts(
            applicant.channel,
            applicant.address,
            names,
            adopted or applicant.asserted,
            applicant.queue_manager,
            applicant.peer_dn,
            applicant.issuer_dn,
        )
        user = _as_connected(connection_authentication.acting_user(applicant.asserted, applicant.mca_user, adopted))
        ask = applicant.settle
        if ask is None or chosen is None:
            return channel_authentication.decide(rules, facts, user, self.is_privileged)

        def settle(user: str) -> str:
            found = ask(user)
            if found != user:
                chosen.append(found)
            return found

        return channel_authentication.decide(rules, facts, user, self.is_privileged, settle)

    # Refusals

    def _without_address(self, applicant: Applicant) -> Denied | None:
        """No rule sees somebody who comes over the network without an address: nobody does."""
        if address_parts(applicant.address)[0]:
            return None
        self._event_loop.say(amq(9777, applicant.channel, "nowhere", f"user '{applicant.asserted}', without address"))
        return self.refused()

    def _blocked(self, rule: ChannelAuthentication, applicant: Applicant, user: str) -> Denied:
        say, channel, described = self._event_loop.say, applicant.channel, channel_authentication.described(rule)
        if rule.type == C.MQCAUT_BLOCKUSER:
            say(amq(9776, channel, applicant.where, f"'{user}' ({described})"))
        else:
            partner = applicant.queue_manager
            who = f"queue manager '{partner}'" if partner else f"user '{applicant.asserted}'"
            say(amq(9777, channel, applicant.where, f"{who}, {described}"))
        self._event(False, rule, applicant, user)
        return self.refused()

    def _warn(self, rule: ChannelAuthentication, applicant: Applicant, user: str) -> None:
        why = (
            f"user '{user}', {channel_authentication.described(rule)}"
            if user
            else channel_authentication.described(rule)
        )
        self._event_loop.say(amq(9780, applicant.channel, applicant.where, why))
        self._event(True, rule, applicant, user)

    def _event(self, warning: bool, rule: ChannelAuthentication, applicant: Applicant, user: str) -> None:
        by_user = rule.type == C.MQCAUT_BLOCKUSER
        qualifier = C.MQRQ_CHANNEL_BLOCKED_NOACCESS
        if rule.type == C.MQCAUT_BLOCKADDR:
            qualifier = C.MQRQ_CHANNEL_BLOCKED_ADDRESS
        elif by_user:
            qualifier = C.MQRQ_CHANNEL_BLOCKED_USERID
        with self._event_loop.lock:
            self._event_loop.manager.events.channel(
                C.MQRC_CHANNEL_BLOCKED_WARNING if warning else C.MQRC_CHANNEL_BLOCKED,
                channel=applicant.channel,
                connection_name=applicant.address,
                qualifier=qualifier,
                user=user if by_user else "",
                client_user="" if by_user else applicant.asserted,
                remote_qmgr=applicant.queue_manager,
                application=applicant.application,
                application_type=C.MQAT_UNIX if applicant.application else None,
                peer_name=applicant.peer_dn,
                issuer_name=applicant.issuer_dn,
            )

    def _wrong_password(self, applicant: Applicant, user: str) -> Denied:
        first = amq(5534, user[:64], "the user id or the password is wrong")
        self._not_authenticated(applicant, first, C.MQCHK_AS_Q_MGR, user)
        return self._denied(applicant, "the user id or the password is wrong")

    def _no_password(self, applicant: Applicant, rule_check: int) -> Denied:
        self._not_authenticated(applicant, amq(5540, applicant.application or applicant.channel), rule_check, "")
        return self._denied(applicant, "a user id and a password are needed here")

    def _not_authenticated(self, applicant: Applicant, first: AmqMessage, rule_check: int, user: str) -> None:
        """Say what, why and who, and raise the event."""
        cause = connection_authentication.cause(self.settings, rule_check, local=applicant.local)
        who = (user or applicant.asserted)[:64]
        for message in (first, amq(5543, cause), amq(9557, f"'{who}'", applicant.where)):
            self._event_loop.say(message)
        with self._event_loop.lock:
            self._event_loop.manager.events.not_authorized(
                queue_manager_events.CONNECT,
                user=applicant.asserted,
                application=applicant.application,
                qualifier=C.MQRQ_CSP_NOT_AUTHORIZED,
                connection_name=applicant.address,
                csp_user=user,
            )

    def _ended_by_exit(self, applicant: Applicant, error: ChannelExitError) -> Denied:
        """The error log knows why; the client hears that it was an exit, and no more."""
        self._event_loop.say(error.message)
        reason = C.MQRC_CHANNEL_NOT_AVAILABLE
        if error.status == Status.SECURITY_FAILURE:
            reason = C.MQRC_SECURITY_ERROR
        detail = "an exit of the channel does not let this connection in; the error log of the queue manager says why"
        return Denied(mq_error(reason, applicant.channel, detail), status=error.status)

    def _too_long(self, applicant: Applicant, user: str, who: str = "whom ADOPTCTX adopts") -> Denied:
        """Cut to what a descriptor holds, it could be the name of somebody else."""
        detail = f"a user {who} has at most 12 characters of Latin-1"
        self._event_loop.say(amq(9787, f"'{user[:64]}'", applicant.channel, detail))
        return self._denied(applicant, detail)

    def _denied(self, applicant: Applicant, detail: str) -> Denied:
        """Somebody on this machine hears the detail."""
        if not applicant.local:
            return self.refused()
        return Denied(mq_error(C.MQRC_NOT_AUTHORIZED, self._event_loop.manager.name, detail))

    # Commands

    def check_administrator(self, user: str, privileged: bool, local: bool, command: str) -> None:
        """MQError if a connection may not give a command."""
        detail = ""
        if not privileged:
            detail = f"user {user!r} is no administrator: in the group mqm, the owner, or in AdminUsers of qm.ini"
        elif command in _ON_THIS_MACHINE and not local:
            detail = "it names files of the queue manager's machine: connect with local: there"
        if detail:
            raise mq_error(C.MQRC_NOT_AUTHORIZED, self._event_loop.manager.name, f"{command} is refused: {detail}")
