"""Command events: somebody's command was carried out, and this is what it said.

The event has two groups: who issued it and how (context), and the command itself, as MQSC text or as the parameters
of the PCF message. Passwords in either are masked.
"""

from __future__ import annotations

from collections.abc import Sequence

from libremq.kernel.events.event_messages import COMMAND_EVENT, masked, number, put_event, text
from libremq.kernel.events.masked_text import mask_passwords
from libremq.kernel.state.core import Core
from libremq.kernel.state.event_state import EventContext
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFBS, MQCFGR, PCFParameter

# DISPLAY and Inquire: what CMDEV(NODISPLAY) leaves out
_INQUIRES = frozenset(
    value for name, value in vars(C).items() if name.startswith("MQCMD_INQUIRE_") and isinstance(value, int)
)


def context_parameters(core: Core, context: EventContext) -> list[PCFParameter]:
    """Who acts, as command and configuration events say it."""
    parameters: list[PCFParameter] = [
        text(C.MQCACF_EVENT_USER_ID, context.user),
        number(C.MQIACF_EVENT_ORIGIN, context.origin),
        text(C.MQCACF_EVENT_Q_MGR, context.qmgr or core.qmgr_name),
    ]
    if context.origin == C.MQEVO_MSG:
        parameters += [
            MQCFBS(Parameter=C.MQBACF_EVENT_ACCOUNTING_TOKEN, String=context.accounting_token),
            text(C.MQCACF_EVENT_APPL_IDENTITY, context.identity_data),
            number(C.MQIACF_EVENT_APPL_TYPE, context.application_type),
            text(C.MQCACF_EVENT_APPL_NAME, context.application),
            text(C.MQCACF_EVENT_APPL_ORIGIN, context.origin_data),
        ]
    return parameters


def command_event(
    core: Core,
    *,
    command: int,
    context: EventContext | None = None,
    mqsc: str | None = None,
    parameters: Sequence[PCFParameter] = (),
) -> None:
    """A command (MQCMD_*) was carried out: given as text (`mqsc`), else as the `parameters` of a PCF message.

    Without a context it is the one of `core.events.on_behalf_of`.
    """
    enabled = core.catalogue.qmgr.cmdev
    if not enabled or (enabled == C.MQEVR_NO_DISPLAY and command in _INQUIRES):
        return
    who = context_parameters(core, context or core.events.context)
    data: list[PCFParameter]
    if mqsc is not None:
        reason, data = C.MQRC_COMMAND_MQSC, [text(C.MQCACF_COMMAND_MQSC, mask_passwords(mqsc))]
    else:
        reason, data = C.MQRC_COMMAND_PCF, [masked(parameter) for parameter in parameters]
    groups = [
        MQCFGR(Parameter=C.MQGACF_COMMAND_CONTEXT, Parameters=[*who, number(C.MQIACF_COMMAND, command)]),
        MQCFGR(Parameter=C.MQGACF_COMMAND_DATA, Parameters=data),
    ]
    put_event(core, COMMAND_EVENT, reason, groups, correlation_id=core.identifiers.next_id())
