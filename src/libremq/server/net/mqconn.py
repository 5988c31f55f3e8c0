"""MQCONN and MQDISC over a socket: who is it, may it come in, and what the answer looks like.

What admission needs is gathered here. Where its decision takes long, a thread makes it and the conversation waits; a
refusal waits longer, by a timer, so that neither the loop nor a thread is held up by it. Over the network all refusals
have the same words, also those of the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from libremq.admin.connection_ids import connection_id
from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.server.admission.admission_decision import Admitted, Applicant, Denied
from libremq.server.net import foreign_clients
from libremq.wire import calls, session_flows
from libremq.wire.segments import Flow

if TYPE_CHECKING:
    from libremq.server.net.conversation import Conversation


def take_credentials(conversation: Conversation, flow: Flow) -> None:
    """User id and password come before MQCONN. They are kept no longer than until then."""
    conversation.credentials = session_flows.unpack_credentials(
        flow.body, big_endian=flow.big_endian, charset=flow.charset
    )
    conversation.link.send(conversation.link.accepted(conversation.number))


class _Login(NamedTuple):
    """One MQCONN, until it is answered."""

    conversation: Conversation
    flow: Flow
    asked: session_flows.Connect
    refuse_at: float
    """The time at which it is refused, if it is."""


def connect(conversation: Conversation, flow: Flow) -> None:
    name = conversation.manager.name
    if conversation.connected:
        raise mq_error(C.MQRC_ALREADY_CONNECTED, name)
    calls.unpack_api(flow.body, flow.big_endian)
    asked = session_flows.unpack_connect(flow.body, calls.API_BYTES, big_endian=flow.big_endian, charset=flow.charset)
    wanted = asked.queue_manager.removeprefix("*")
    if wanted and wanted != name and not asked.queue_manager.startswith("*"):
        raise mq_error(C.MQRC_Q_MGR_NAME_ERROR, wanted, f"this is queue manager {name}; ask for that, or for none")
    applicant = _applicant(conversation, asked)
    admission = conversation.event_loop.admission
    loop = conversation.event_loop.loop
    # Counted from the call: how long the check took would tell whom the queue manager knows
    login = _Login(conversation, flow, asked, loop.time() + admission.refusal_delay_s(applicant))
    if not admission.takes_long(applicant):
        _answer(login, admission.decide(applicant))
        return

    def decide() -> Admitted | Denied | None:
        return None if conversation.is_gone else admission.decide(applicant)

    def done(future: Any) -> None:
        try:
            loop.call_soon_threadsafe(_decided, login, future)
        except RuntimeError:
            pass  # the loop was closed

    try:
        admission.threads.submit(applicant.address, conversation.link, decide).add_done_callback(done)
    except RuntimeError:
        raise mq_error(C.MQRC_Q_MGR_STOPPING, name) from None
    conversation.hold_up()
    if conversation.link.stranger is not None:
        conversation.link.stranger.asks()


def _applicant(conversation: Conversation, asked: session_flows.Connect) -> Applicant:
    link, credentials = conversation.link, conversation.credentials
    conversation.credentials = None
    if link.local:
        return Applicant(True, link.socket_user, credentials, application=asked.application, named=link.user)
    address, _, port = link.peer.partition("(")
    channel, tls, exits, number = link.channel, link.tls, link.exits, conversation.number
    asserted = link.user  # now: by the time that the exit is asked another conversation may have said another one
    return Applicant(
        False,
        asserted,
        credentials,
        channel=channel.name if channel is not None else "",
        mca_user=channel.mca_user if channel is not None else "",
        address=address,
        port=port.removesuffix(")"),
        peer_dn=tls.subject if tls is not None else "",
        issuer_dn=tls.issuer if tls is not None else "",
        application=asked.application,
        settle=(lambda user: exits.admit(number, asserted, user)) if exits is not None else None,
    )


def _decided(login: _Login, future: Any) -> None:
    if future.cancelled():
        return
    error = future.exception()
    if error is not None:
        login.conversation.link.refuse_unexpected(error)
        return
    outcome: Admitted | Denied | None = future.result()
    if outcome is not None:  # else nobody waits for it any more
        _answer_in_time(login, outcome)


def _answer_in_time(login: _Login, outcome: Admitted | Denied) -> None:
    """A refusal waits until its time has come."""
    loop = login.conversation.event_loop.loop
    if isinstance(outcome, Denied) and login.refuse_at > loop.time():
        loop.call_at(login.refuse_at, _go_on, login, outcome)
    else:
        _go_on(login, outcome)


def _go_on(login: _Login, outcome: Admitted | Denied) -> None:
    stranger = login.conversation.link.stranger
    if stranger is not None:
        stranger.answered()
    login.conversation.go_on_with(login.flow, lambda: _answer(login, outcome))


def _answer(login: _Login, outcome: Admitted | Denied) -> None:
    """Under the lock. The reply has the size of the request."""
    conversation, flow, asked, refuse_at = login
    if isinstance(outcome, Denied):
        if outcome.status is None:
            raise outcome.error
        conversation.fail(flow, outcome.error)
        if len(conversation.link.conversations) == 1:
            conversation.link.say_last(outcome.status)
        return
    try:
        conversation.connected_as(outcome, asked)
    except MQError as error:
        if error.reason != C.MQRC_NOT_AUTHORIZED or conversation.link.local:
            raise
        # It lacks connect, which the kernel has said in the error log; from where it came, it does not know
        conversation.event_loop.say(amq(9557, f"'{outcome.user}'", conversation.link.peer))
        denied = conversation.event_loop.admission.refused()
        if refuse_at <= conversation.event_loop.loop.time():
            raise denied.error from None
        conversation.hold_up()
        if conversation.link.stranger is not None:
            conversation.link.stranger.asks()  # as one with a wrong password, it stays until it has its answer
        _answer_in_time(login, denied)
        return
    name, hconn = conversation.manager.name, conversation.hconn
    tag = connection_id(name, hconn)
    body = session_flows.pack_connect(foreign_clients.echoed(asked, name, tag), size=len(flow.body) - calls.API_BYTES)
    conversation.reply(flow, calls.pack_api(C.MQCC_OK, C.MQRC_NONE, hconn, len(body)) + body)


def refused(flow: Flow, error: MQError) -> bytes:
    """The body of a refusal. It has the size of the request, too."""
    asked = session_flows.unpack_connect(flow.body, calls.API_BYTES, big_endian=flow.big_endian, charset=flow.charset)
    body = session_flows.pack_connect(
        foreign_clients.echoed(asked, asked.queue_manager), size=len(flow.body) - calls.API_BYTES
    )
    return calls.pack_api(error.comp_code, error.reason, 0, len(body)) + body


def disconnect(conversation: Conversation, flow: Flow) -> None:
    connection, reason, lsn = conversation.connection, C.MQRC_NONE, 0
    if connection is not None:
        try:
            conversation.manager.disconnect(connection.hconn)
        except MQError as error:
            if error.reason != C.MQRC_BACKED_OUT:
                raise
            reason = error.reason
        lsn = connection.lsn
    conversation.disconnected()
    conversation.answer(flow, calls.pack_api(C.MQCC_FAILED if reason else C.MQCC_OK, reason, -1), lsn)
