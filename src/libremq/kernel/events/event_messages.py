"""How an event message is made and put, whatever it tells of.

An event is a PCF message (MQCFT_EVENT) on one of the SYSTEM.ADMIN.*.EVENT queues, put by the queue manager itself
outside any unit of work. Nobody's call depends on it: an event that cannot be put (the queue is missing, full,
inhibited, damaged, the log has no room) is lost and counted, and that is all.
"""

from __future__ import annotations

from collections.abc import Sequence

from libremq.common.ccsid import charset_of
from libremq.kernel.messages import name_resolution, own_messages
from libremq.kernel.objects.object_types import Queue
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES, is_final
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFGR, MQCFH, MQCFIN, MQCFSL, MQCFST, PCFParameter, pack_message
from libremq.mqi.structs import MQMD
from libremq.store.stored_message import Message

QMGR_EVENT = "SYSTEM.ADMIN.QMGR.EVENT"
PERFM_EVENT = "SYSTEM.ADMIN.PERFM.EVENT"
CHANNEL_EVENT = "SYSTEM.ADMIN.CHANNEL.EVENT"
CONFIG_EVENT = "SYSTEM.ADMIN.CONFIG.EVENT"
COMMAND_EVENT = "SYSTEM.ADMIN.COMMAND.EVENT"
LOGGER_EVENT = "SYSTEM.ADMIN.LOGGER.EVENT"

# The command in the header of the events of each queue, and the version of that header
_HEADERS = {
    QMGR_EVENT: (C.MQCMD_Q_MGR_EVENT, C.MQCFH_VERSION_1),
    PERFM_EVENT: (C.MQCMD_PERFM_EVENT, C.MQCFH_VERSION_1),
    CHANNEL_EVENT: (C.MQCMD_CHANNEL_EVENT, C.MQCFH_VERSION_1),
    LOGGER_EVENT: (C.MQCMD_LOGGER_EVENT, C.MQCFH_VERSION_1),
    CONFIG_EVENT: (C.MQCMD_CONFIG_EVENT, C.MQCFH_VERSION_2),
    COMMAND_EVENT: (C.MQCMD_COMMAND_EVENT, C.MQCFH_VERSION_3),
}

# Texts of a fixed length, filled with blanks, by parameter
_LENGTHS = {
    C.MQCA_Q_MGR_NAME: C.MQ_Q_MGR_NAME_LENGTH,
    C.MQCA_Q_NAME: C.MQ_Q_NAME_LENGTH,
    C.MQCA_BASE_OBJECT_NAME: C.MQ_Q_NAME_LENGTH,
    C.MQCA_XMIT_Q_NAME: C.MQ_Q_NAME_LENGTH,
    C.MQCA_PROCESS_NAME: C.MQ_PROCESS_NAME_LENGTH,
    C.MQCA_NAMELIST_NAME: C.MQ_NAMELIST_NAME_LENGTH,
    C.MQCA_TOPIC_NAME: C.MQ_TOPIC_NAME_LENGTH,
    C.MQCA_REMOTE_Q_MGR_NAME: C.MQ_Q_MGR_NAME_LENGTH,
    C.MQCACF_OBJECT_Q_MGR_NAME: C.MQ_Q_MGR_NAME_LENGTH,
    C.MQCACF_USER_IDENTIFIER: C.MQ_USER_ID_LENGTH,
    C.MQCACF_APPL_NAME: C.MQ_APPL_NAME_LENGTH,
    C.MQCACF_EVENT_USER_ID: C.MQ_USER_ID_LENGTH,
    C.MQCACF_EVENT_Q_MGR: C.MQ_Q_MGR_NAME_LENGTH,
    C.MQCACF_EVENT_APPL_IDENTITY: C.MQ_APPL_IDENTITY_DATA_LENGTH,
    C.MQCACF_EVENT_APPL_NAME: C.MQ_APPL_NAME_LENGTH,
    C.MQCACF_EVENT_APPL_ORIGIN: C.MQ_APPL_ORIGIN_DATA_LENGTH,
    C.MQCACF_CURRENT_LOG_EXTENT_NAME: C.MQ_LOG_EXTENT_NAME_LENGTH,
    C.MQCACF_RESTART_LOG_EXTENT_NAME: C.MQ_LOG_EXTENT_NAME_LENGTH,
    C.MQCACF_MEDIA_LOG_EXTENT_NAME: C.MQ_LOG_EXTENT_NAME_LENGTH,
    C.MQCACF_ARCHIVE_LOG_EXTENT_NAME: C.MQ_LOG_EXTENT_NAME_LENGTH,
    C.MQCACH_CHANNEL_NAME: C.MQ_CHANNEL_NAME_LENGTH,
    C.MQCACH_XMIT_Q_NAME: C.MQ_Q_NAME_LENGTH,
    C.MQCACH_CONNECTION_NAME: C.MQ_CONN_NAME_LENGTH,
}
# The names of people's passwords and keys: told of, never told
_SECRETS = frozenset(
    {C.MQCACH_PASSWORD, C.MQCA_LDAP_PASSWORD, C.MQCA_SSL_KEY_REPO_PASSWORD, C.MQCA_INITIAL_KEY,
     C.MQCACH_SSL_KEY_PASSPHRASE, C.MQCA_SSL_CRYPTO_HARDWARE}
)  # fmt: skip
_MASK = "********"
_HIGHEST = 2**31 - 1

# An event may cause another only of a higher level, so that there is an end to it: the put of any other event may
# make a queue full, but the news of that makes no more news
_LEVELS = {PERFM_EVENT: 2}


# Parameters


def text(parameter: int, value: str, length: int = 0, *, secret: bool = False) -> MQCFST:
    """A text, filled to its length where it has one; a secret only as a mask."""
    if value and (secret or parameter in _SECRETS):
        value = _MASK
    return MQCFST(Parameter=parameter, String=value.ljust(length or _LENGTHS.get(parameter, 0)))


def number(parameter: int, value: int) -> MQCFIN:
    """A number; a count that is too large for the field stays at its highest value."""
    return MQCFIN(Parameter=parameter, Value=min(value, _HIGHEST))


def masked(parameter: PCFParameter) -> PCFParameter:
    """The parameter of a command as an event may show it."""
    if isinstance(parameter, MQCFGR):
        return MQCFGR(Parameter=parameter.Parameter, Parameters=[masked(one) for one in parameter.Parameters])
    if isinstance(parameter, MQCFST) and parameter.Parameter in _SECRETS:
        return text(parameter.Parameter, parameter.String)
    return parameter


def if_elsewhere(core: Core, object_qmgr: str) -> list[PCFParameter]:
    """ObjectQMgrName: only if an object descriptor named another queue manager."""
    if object_qmgr in ("", core.qmgr_name):
        return []
    return [text(C.MQCACF_OBJECT_Q_MGR_NAME, object_qmgr)]


# The message


def put_event(
    core: Core,
    event_queue: str,
    reason: int,
    parameters: Sequence[PCFParameter],
    *,
    sequence: int = 1,
    last: bool = True,
    correlation_id: bytes = bytes(24),
) -> bool:
    """Put an event on its queue; False if it was lost. The caller has seen that events of its sort are enabled."""
    state = core.events
    level = _LEVELS.get(event_queue, 1)
    if state.level >= level:
        return False
    before, state.level = state.level, level
    state.made += 1
    try:
        destination = name_resolution.destination_of(core, event_queue, "")
        first = destination.path[0]
        assert isinstance(first, Queue)
        command, version = _HEADERS[event_queue]
        header = MQCFH(
            Type=C.MQCFT_EVENT, Version=version, Command=command, MsgSeqNumber=sequence,
            Control=C.MQCFC_LAST if last else C.MQCFC_NOT_LAST, CompCode=C.MQCC_WARNING, Reason=reason,
        )  # fmt: skip
        now = core.clock.now()
        md = MQMD(
            Version=C.MQMD_VERSION_2, CodedCharSetId=core.catalogue.qmgr.ccsid, Format=C.MQFMT_EVENT.strip(),
            Priority=first.defprty, Persistence=first.defpsist, MsgId=core.identifiers.next_id(),
            CorrelId=correlation_id, ReplyToQMgr=core.qmgr_name,
        )  # fmt: skip
        own_messages.sign(core, md, now)
        message = Message(md, b"", _packed(header, parameters, core.catalogue.qmgr.ccsid))
        core.deliver(destination, message, None, now)
    except (MQError, *FAILURES) as error:
        note_loss(core, error)
        return False
    finally:
        state.level = before
    return True


def note_loss(core: Core, error: Exception) -> None:
    """An event is lost. What caused it may be the end of the queue manager, but it is not raised to this caller."""
    core.events.lost += 1
    if is_final(error):
        core.events.fail(str(error))


def _packed(header: MQCFH, parameters: Sequence[PCFParameter], ccsid: int) -> bytes:
    """In native byte order. Where the character set lacks a character, question marks stand for it."""
    charset = charset_of(ccsid)
    try:
        return pack_message(header, parameters, charset=charset)
    except (MQError, UnicodeError):
        return pack_message(header, [_plain(parameter) for parameter in parameters], charset=charset)


def _ascii(value: str) -> str:
    return value.encode("ascii", "replace").decode("ascii")


def _plain(parameter: PCFParameter) -> PCFParameter:
    if isinstance(parameter, MQCFST):
        return MQCFST(Parameter=parameter.Parameter, String=_ascii(parameter.String))
    if isinstance(parameter, MQCFSL):
        return MQCFSL(Parameter=parameter.Parameter, Strings=[_ascii(one) for one in parameter.Strings])
    if isinstance(parameter, MQCFGR):
        return MQCFGR(Parameter=parameter.Parameter, Parameters=[_plain(one) for one in parameter.Parameters])
    return parameter
