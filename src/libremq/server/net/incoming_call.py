"""A queue manager has called: may it, as whom does it act, and which agent answers?

In this order: the rules of channel authentication, the end of the queue manager, TLS, and then the initiator, which
knows the channel. What takes long (a name server is asked) is done by the threads of admission; meanwhile nothing is
read from the caller, for there is no agent yet.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from libremq.channels.auto_definition import model_of
from libremq.channels.channel_refusal import ChannelRefusal
from libremq.common.names.object_names import is_object_name
from libremq.kernel.objects.channel_definitions import MessageChannel
from libremq.server.admission.admission_decision import Applicant, Denied
from libremq.server.admission.tls_peers import refusal, refusal_event
from libremq.wire.protocol import Status
from libremq.wire.session_flows import InitialData

if TYPE_CHECKING:
    from libremq.server.net.message_link import MessageLink


class IncomingCall:
    """What was offered over one link, until it is refused or an agent has it."""

    __slots__ = ("_link", "_offered")

    def __init__(self, link: MessageLink, offered: InitialData) -> None:
        self._link = link
        self._offered = offered

    def decide(self) -> None:
        link, offered = self._link, self._offered
        if not is_object_name(offered.queue_manager):
            link.refuse(Status.PROTOCOL_ID_ERROR, "the initial data does not name a queue manager")
            return
        admission = link.event_loop.admission
        applicant = self._applicant()
        if not admission.takes_long(applicant):
            self._decided(admission.decide_channel(applicant))
            return

        def done(future: Future[str | Denied | None]) -> None:
            link.event_loop.soon(lambda: self._decided_elsewhere(future))

        try:
            decision = admission.threads.submit(applicant.address, link, lambda: admission.decide_channel(applicant))
        except RuntimeError:
            link.refuse(Status.QM_TERMINATING, "the queue manager is ending")
            return
        decision.add_done_callback(done)
        if link.stranger is not None:
            link.stranger.asks()

    def _applicant(self) -> Applicant:
        link, offered = self._link, self._offered
        definition = self._definition()
        address, _, port = link.peer.partition("(")
        return Applicant(
            False,
            "",
            channel=offered.channel,
            mca_user=definition.mcauser if definition is not None else "",
            address=address,
            port=port.removesuffix(")"),
            peer_dn=link.tls.subject if link.tls is not None else "",
            issuer_dn=link.tls.issuer if link.tls is not None else "",
            queue_manager=offered.queue_manager,
        )

    def _definition(self) -> MessageChannel | None:
        """What the channel asks of a partner: if it is going to be defined for this call, what its model asks."""
        definitions = self._link.event_loop.manager.definitions
        found = definitions.channels.get(self._offered.channel)
        if found is None:
            return model_of(definitions, self._offered.channel)
        return found if isinstance(found, MessageChannel) else None

    def _decided_elsewhere(self, future: Future[str | Denied | None]) -> None:
        link = self._link
        if link.stranger is not None:
            link.stranger.answered()
        if link.has_ended or future.cancelled():
            return
        error = future.exception()
        if error is not None:
            link.refuse_unexpected(error)
        else:
            self._decided(future.result())

    def _decided(self, decision: str | Denied | None) -> None:
        """The channel authentication rules have spoken: it is refused, or acts as somebody."""
        link = self._link
        event_loop = link.event_loop
        if isinstance(decision, Denied):
            link.refuse(Status.SECURITY_FAILURE, None)
            return
        if event_loop.ending is not None:
            link.refuse(Status.QM_TERMINATING, "the queue manager is ending")
            return
        definition = self._definition()
        refused = refusal(definition, link.tls, link.peer) if definition is not None else None
        if refused is not None:
            xmitq = getattr(definition, "xmitq", "")
            refusal_event(event_loop, refused[0], link.channel, link.tls, link.peer, xmitq=xmitq)
            link.refuse(*refused)
            return
        peer = link.described(mca_user=decision)
        try:
            link.begin(lambda: event_loop.initiator.called(self._offered, link, peer))
        except ChannelRefusal as error:
            link.refuse_with(error.segment, None)  # the initiator has said why
        except Exception as error:
            link.refuse_unexpected(error)
