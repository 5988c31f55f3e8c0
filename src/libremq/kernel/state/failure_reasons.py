"""Trouble below the kernel as reason codes: what a log, a store or a file system says, in MQ's terms.

Some of it ends the call, some the queue manager (contract 4). `PASSING` is the part that ends a call only: it also
may happen to what follows a call that has done its work (a trigger message, a waiting get), and must not end that.
"""

from __future__ import annotations

import errno

from libremq.common.messages.amq_messages import amq
from libremq.log import LogDamaged, LogError, LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.store.reserve import NO_SPACE
from libremq.store.store_errors import StoreDamaged, StoreFailed, StoreFull

FAILURES = (LogError, StoreDamaged, StoreFailed, StoreFull, OSError)
PASSING = (LogFull, StoreDamaged, StoreFull, OSError)


def is_final(error: BaseException) -> bool:
    """Must the queue manager end: is it unknown what the log or a queue file holds?"""
    return isinstance(error, LogError | StoreFailed) and not isinstance(error, LogFull)


def is_lack_of_space(error: BaseException) -> bool:
    """A full log or disk: what is there is safe, and a checkpoint can wait."""
    if isinstance(error, OSError):
        return error.errno in NO_SPACE
    cause = error.__cause__
    if isinstance(error, MQError):  # of a verb
        return cause is not None and is_lack_of_space(cause)
    return isinstance(error, LogFull) or (isinstance(error, StoreFull) and (cause is None or is_lack_of_space(cause)))


def is_full_disk(error: BaseException) -> bool:
    """Is it the file system of queue files and catalogue that has no room, rather than the log or a limit?"""
    if isinstance(error, OSError):
        return error.errno in NO_SPACE
    return isinstance(error, StoreFull) and error.__cause__ is not None and is_full_disk(error.__cause__)


def as_mq_error(error: BaseException, qmgr_name: str) -> MQError:
    """What an application is told."""
    if isinstance(error, LogFull):
        return mq_error(C.MQRC_RESOURCE_PROBLEM, qmgr_name, amq(7465, error))
    if isinstance(error, StoreFull):
        return mq_error(C.MQRC_STORAGE_MEDIUM_FULL, qmgr_name, str(error))
    if isinstance(error, StoreDamaged):
        return mq_error(C.MQRC_OBJECT_DAMAGED, error.object_name, str(error))
    if isinstance(error, OSError):
        if is_lack_of_space(error):
            return mq_error(C.MQRC_STORAGE_MEDIUM_FULL, qmgr_name, str(error))
        reason = C.MQRC_OBJECT_DAMAGED if error.errno == errno.EIO else C.MQRC_RESOURCE_PROBLEM
        return mq_error(reason, qmgr_name, str(error))
    return mq_error(C.MQRC_CONNECTION_BROKEN, qmgr_name, str(error))


def unexpected(error: Exception, object_name: str) -> MQError:
    """What nobody foresaw, of a get: the message is where it was."""
    why = f"{type(error).__name__}: {error}"
    return mq_error(C.MQRC_UNEXPECTED_ERROR, object_name, f"no answer can be made of it, so it was not got: {why}")


def as_creation_error(error: BaseException, qmgr_name: str, folder: str) -> MQError:
    """Why a queue manager cannot be made."""
    reason = C.MQRC_STORAGE_MEDIUM_FULL if is_lack_of_space(error) else C.MQRC_FILE_SYSTEM_ERROR
    return mq_error(reason, qmgr_name, f"cannot write to {folder}: {error}")


def as_start_error(error: BaseException, qmgr_name: str) -> MQError:
    """Why a queue manager cannot be started."""
    if isinstance(error, LogDamaged | StoreDamaged):
        return mq_error(C.MQRC_OBJECT_DAMAGED, qmgr_name, str(error))
    return mq_error(
        C.MQRC_Q_MGR_NOT_AVAILABLE, qmgr_name, f"{error}. Nothing is lost: correct the cause and start it again"
    )
