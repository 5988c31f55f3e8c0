"""MQCONN and MQDISC over a socket: who is it, may it come in, and what the answer looks like.

What admission needs is gathered here. Where its decision takes long, a thread makes it and the conversation waits;
the answer to a wrong password waits longer, by a timer, so that neither the loop nor a thread is held up by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    if not admission.takes_long(applicant):
        _answer(conversation, flow, asked, admission.decide(applicant))
        return

    loop = conversation.event_loop.loop
    began = loop.time()

    def decide() -> Admitted | Denied | None:
        return None if conversation.is_gone else admission.decide(applicant)

    def done(future: Any) -> None:
        try:
            loop.call_soon_threadsafe(_decided, conversation, flow, asked, future, began)
        except RuntimeError:
            pass  # the loop was closed

    try:
        admission.threads.submit(applicant.address, conversation.link, decide).add_done_callback(done)
    except RuntimeError:
        raise mq_error(C.MQRC_Q_MGR_STOPPING, name) from None
    conversation.hold_up()


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


def _decided(conversation: Conversation, flow: Flow, asked: session_flows.Connect, future: Any, began: float) -> None:
    if future.cancelled():
        return
    error = future.exception()
    if error is not None:
        conversation.link.refuse_unexpected(error)
        return
    outcome: Admitted | Denied | None = future.result()
    if outcome is None:
        return  # nobody waits for it any more
    delay_s = outcome.delay_s if isinstance(outcome, Denied) else 0
    if delay_s:
        # Counted from the call: how long the check took would tell whom the queue manager knows
        conversation.event_loop.loop.call_at(began + delay_s, _go_on, conversation, flow, asked, outcome)
    else:
        _go_on(conversation, flow, asked, outcome)


def _go_on(conversation: Conversation, flow: Flow, asked: session_flows.Connect, outcome: Admitted | Denied) -> None:
    conversation.go_on_with(flow, lambda: _answer(conversation, flow, asked, outcome))


def _answer(conversation: Conversation, flow: Flow, asked: session_flows.Connect, outcome: Admitted | Denied) -> None:
    """Under the lock. The reply has the size of the request."""
    if isinstance(outcome, Denied):
        if outcome.status is None:
            raise outcome.error
        conversation.fail(flow, outcome.error)
        if len(conversation.link.conversations) == 1:
            conversation.link.say_last(outcome.status)
        return
    conversation.connected_as(outcome, asked)
    name, hconn = conversation.manager.name, conversation.hconn
    tag = name.encode()[:12].ljust(12) + hconn.to_bytes(12, "big")
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
