"""Messages that came over a message channel: how far the user in them is believed.

The other end writes the descriptor, and with it who put the message. Its end of the channel is proven if it has shown a
certificate, or if the administrator has said as whom the channel acts: MCAUSER, a CHLAUTH rule that maps it, a security
exit. Where none of that is, the partner may be anybody who reaches the port. Its messages are carried, but nothing is
done because of whom they say they are from: they do not get to queues where they would be obeyed (the command queue,
initiation queues, transmission queues by their names), and the next queue manager is not told that user.

The mark lies with the message (`Origin`), so it is there after a restart, on the dead-letter queue, in reports, and
where somebody passes the context on.
"""

from __future__ import annotations

from libremq.common.messages.amq_messages import amq
from libremq.kernel.authority.object_authority import Issuer, Subject, issuer_of, sender_of
from libremq.kernel.events import queue_manager_events
from libremq.kernel.messages.put_plan import PutPlan
from libremq.kernel.state.core import Core
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.store.stored_message import Message

_TRIGGER = C.MQFMT_TRIGGER.strip()
_NOBODY = Issuer("", frozenset())
_QUEUE_MANAGER = Issuer("", frozenset(), privileged=True)


def check_unproven(core: Core, plan: PutPlan, message: Message) -> None:
    """Refuse a message of a partner that is not proven where it would be obeyed."""
    md = message.md
    what = plan.obeyed_as
    if not what:
        if md.Format.strip() != _TRIGGER:
            return
        what = "a trigger message"  # wherever a trigger monitor may read it
    name, user = plan.destination.remote_queue or plan.queue.name, md.UserIdentifier.strip()
    core.say(amq(9589, name, what, user))
    queue_manager_events.not_authorized(
        core, queue_manager_events.OPEN, user=user, application=md.PutApplName, application_type=md.PutApplType,
        object_name=name, object_type=C.MQOT_Q, options=C.MQOO_OUTPUT | C.MQOO_SET_ALL_CONTEXT,
    )  # fmt: skip
    raise mq_error(
        C.MQRC_NOT_AUTHORIZED, name,
        f"it is {what}, and the channel over which the message came proves nobody: it has no MCAUSER, no CHLAUTH rule "
        "maps it to a user, and its partner has shown no certificate",
    )  # fmt: skip


def commander(core: Core, message: Message) -> Issuer:
    """Who gives the command in a message: the user in it, or nobody."""
    origin = message.origin
    return _NOBODY if origin is not None and not origin.proven else sender_of(core, message.md.UserIdentifier)


def answerable(core: Core, message: Message) -> Subject:
    """Whose authority counts for reports on a message: of one that came over a channel, the same as for its put."""
    origin = message.origin
    if origin is None:
        return sender_of(core, message.md.UserIdentifier)
    return issuer_of(core, origin.user) if origin.user else _QUEUE_MANAGER
