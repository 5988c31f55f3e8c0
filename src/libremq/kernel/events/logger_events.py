"""Logger events: a linear log goes on in a new extent, and these are the ones still needed for what.

One is made at the start and one for each extent that is begun, so that whoever archives extents need not look.
"""

from __future__ import annotations

from libremq.kernel.events.event_messages import LOGGER_EVENT, put_event, text
from libremq.kernel.state.core import Core
from libremq.log import Log
from libremq.mqi import constants as C


def logger_event(core: Core) -> None:
    """Tell which extent is written to, and what the older ones are needed for."""
    log = core.log
    if not log.config.linear or not core.catalogue.qmgr.loggerev:
        return
    parameters = [
        text(C.MQCA_Q_MGR_NAME, core.qmgr_name),
        text(C.MQCACF_CURRENT_LOG_EXTENT_NAME, log.current_extent),
        text(C.MQCACF_RESTART_LOG_EXTENT_NAME, log.restart_extent),
        text(C.MQCACF_MEDIA_LOG_EXTENT_NAME, log.media_extent),
        text(C.MQCACF_ARCHIVE_LOG_EXTENT_NAME, _to_be_archived(log)),
        text(C.MQCACF_LOG_PATH, log.folder),
    ]
    put_event(core, LOGGER_EVENT, C.MQRC_LOGGER_STATUS, parameters)


def _to_be_archived(log: Log) -> str:
    """With LogManagement=Archive: the oldest extent that is written to its end and not archived."""
    if log.config.log_management != "Archive":
        return ""
    current = log.tail // log.config.extent_bytes
    waiting = (one.name for one in log.extents() if one.extent < current and not one.archived)
    return next(waiting, "")
