"""connect(): from a URL to a queue manager, through the binding that its scheme names."""

from __future__ import annotations

import getpass
import os
import sys
from typing import TYPE_CHECKING

from libremq.client import urls
from libremq.client.errors import wrong_type
from libremq.mqi import constants as C

if TYPE_CHECKING:
    from libremq.client.binding import Access
    from libremq.client.queue_manager import QueueManager
    from libremq.common.configuration import TuningSettings
    from libremq.kernel.restart import Say
    from libremq.log import LogConfig
    from libremq.store.queue_store import StoreLimits


def connect(
    url: str,
    *,
    user: str | None = None,
    application: str | None = None,
    say: Say | None = None,
    log_config: LogConfig | None = None,
    log_folder: str = "",
    tuning: TuningSettings | None = None,
    limits: StoreLimits | None = None,
) -> QueueManager:
    """Connect to the queue manager that a URL names.

    `embedded:QM1` runs it inside this process, with its data under $LIBREMQ_DATA, or `.libremq` in the user's home.
    `?create=1` makes it if it is not there, `?data=/path` says where it is. Connecting again in one process shares it;
    the last `close` ends it in good order, and so does the end of the program. Another process gets
    QueueManagerNotAvailable meanwhile.

    - `user`, `application`: what the context of messages says; by default who runs this program, and its name.
    - `say`: called with each message of the queue manager, such as those of a recovery after a crash: `say=print`. It
      must be quick, and not use the queue manager. By default they go to the Python logger `libremq.QM1`.
    - `log_config`: type and size of the log, for a queue manager that is created now.
    - `log_folder`: where its log is to be, instead of in its own folder.
    - `tuning`: the other settings of its qm.ini.
    - `limits`: the sizes of the buffers of queues, if this is the one who starts it.
    """
    from libremq.client.queue_manager import QueueManager

    _check_arguments(user, application, say, log_config, log_folder, tuning, limits)
    log_folder = os.path.abspath(os.path.expanduser(log_folder)) if log_folder else ""
    access = reach(url, say=say, log_config=log_config, log_folder=log_folder, tuning=tuning, limits=limits)
    return QueueManager(access, url=url, user=user, application=application)


def _check_arguments(
    user: object,
    application: object,
    say: object,
    log_config: object,
    log_folder: object,
    tuning: object,
    limits: object,
) -> None:
    """Wrong types are told before anything is started or made."""
    from libremq.common.configuration import TuningSettings
    from libremq.log import LogConfig
    from libremq.store.queue_store import StoreLimits

    for name, value, kind in (
        ("user", user, str),
        ("application", application, str),
        ("log_config", log_config, LogConfig),
        ("log_folder", log_folder, str),
        ("tuning", tuning, TuningSettings),
        ("limits", limits, StoreLimits),
    ):
        if value is not None and not isinstance(value, kind):
            raise wrong_type(C.MQRC_OPTIONS_ERROR, "", f"{name} is a {kind.__name__} or None, not {value!r}")
    if say is not None and not callable(say):
        raise wrong_type(C.MQRC_OPTIONS_ERROR, "", f"say is a function such as print, not {say!r}")


def reach(
    url: str,
    *,
    say: Say | None = None,
    log_config: LogConfig | None = None,
    log_folder: str = "",
    tuning: TuningSettings | None = None,
    limits: StoreLimits | None = None,
) -> Access:
    """The access to a queue manager. Each scheme has its line here."""
    address = urls.parse(url)
    from libremq.client import embedded_access

    return embedded_access.attach(
        address.folder,
        address.name,
        create=address.create,
        log_config=log_config,
        log_folder=log_folder,
        tuning=tuning,
        limits=limits,
        say=say,
    )


def current_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that has no name
        return str(os.getuid())


def current_application() -> str:
    return os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c") else "python"
