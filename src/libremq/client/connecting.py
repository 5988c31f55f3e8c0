"""connect(): from a URL, or a bare name, to a queue manager, through the binding that its scheme names.

`url_for` says which binding a name means, as the environment has it; `reach` goes there.
"""

from __future__ import annotations

import getpass
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from libremq.client import urls
from libremq.client.urls import Address, ClientAddress, TableAddress
from libremq.common import operating_system
from libremq.common.files import queue_manager_files
from libremq.common.names import socket_paths
from libremq.common.names.object_names import check_queue_manager_name
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value, wrong_type
from libremq.mqi.errors import MQError, mq_error

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.common.configuration import TuningSettings
    from libremq.host.binding import Access
    from libremq.kernel.recovery.restart import Say
    from libremq.log import LogConfig
    from libremq.store.queue_store import StoreLimits


def connect(
    url: str,
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    say: Say | None = None,
    log_config: LogConfig | None = None,
    log_folder: str = "",
    tuning: TuningSettings | None = None,
    limits: StoreLimits | None = None,
) -> QueueManager:
    """Connect to the queue manager that a URL names.

    - `embedded:QM1` runs it inside this process, with its data under $LIBREMQ_DATA, or `.libremq` in the user's home.
      `?create=1` makes it if it is not there, `?data=/path` says where it is, `?authority=1` checks what `user` may do
      as a server would, for tests of authorities. Connecting again in one process shares
      it; the last `close` ends it in good order, and so does the end of the program. Another process gets
      QueueManagerNotAvailable meanwhile.
    - `local:QM1` is the one that a server (strmqm) runs on this machine, reached by a Unix-domain socket.
    - `mq://user:password@host:1414,host2:1415/QM1?channel=DEV.APP.SVRCONN` is a client connection by TCP. Hosts are
      tried in turn. `mqs://` is the same with TLS: `?ca=ca.pem`, `cert`, `key`, `verify`, `cipher`.
    - `ccdt:QM1?table=/path/ccdt.json` is a client connection by the channels of a CCDT in JSON.

    All keys are in docs/reference/connecting.md. What else may be given:

    - `user`, `application`: what the context of messages says; by default who runs this program, and its name.
    - `password`: proves to a server who the user is. An embedded queue manager asks for none. Both count more than what
      the URL says.
    - `say`: called with each message of the queue manager, such as those of a recovery after a crash: `say=print`. It
      must be quick, and not use the queue manager. By default they go to the Python logger `libremq.QM1`.

    The rest is for an embedded one:

    - `log_config`: type and size of the log, for a queue manager that is created now.
    - `log_folder`: where its log is to be, instead of in its own folder.
    - `tuning`: the other settings of its qm.ini.
    - `limits`: the sizes of the buffers of queues, if this is the one who starts it.
    """
    from libremq.client.queue_manager import QueueManager

    check_arguments(user, password, application, say, log_config, log_folder, tuning, limits)
    address = urls.parse(url)
    if isinstance(address, ClientAddress):
        user = user or address.user or None
        application = application or address.application or None
    elif isinstance(address, TableAddress):
        application = application or dict(address.settings).get("application")
    log_folder = os.path.abspath(os.path.expanduser(log_folder)) if log_folder else ""
    access = _reach(
        address,
        user=user,
        password=password,
        say=say,
        log_config=log_config,
        log_folder=log_folder,
        tuning=tuning,
        limits=limits,
    )
    return QueueManager(access, url=urls.without_password(url), user=user, application=application)


def check_arguments(
    user: object,
    password: object,
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
    if password is not None and not isinstance(password, str):
        raise wrong_type(C.MQRC_OPTIONS_ERROR, "", f"password is a str or None, not {type(password).__name__}")
    if say is not None and not callable(say):
        raise wrong_type(C.MQRC_OPTIONS_ERROR, "", f"say is a function such as print, not {say!r}")


def reach(
    url: str,
    *,
    user: str | None = None,
    password: str | None = None,
    reconnect: str | None = None,
    say: Say | None = None,
    log_config: LogConfig | None = None,
    log_folder: str = "",
    tuning: TuningSettings | None = None,
    limits: StoreLimits | None = None,
) -> Access:
    """The access to a queue manager. `user`, `password` and `reconnect` count more than what the URL says."""
    return _reach(
        urls.parse(url),
        user=user,
        password=password,
        reconnect=reconnect,
        say=say,
        log_config=log_config,
        log_folder=log_folder,
        tuning=tuning,
        limits=limits,
    )


def _reach(
    address: Address | ClientAddress | TableAddress,
    *,
    user: str | None = None,
    password: str | None = None,
    reconnect: str | None = None,
    say: Say | None = None,
    log_config: LogConfig | None = None,
    log_folder: str = "",
    tuning: TuningSettings | None = None,
    limits: StoreLimits | None = None,
) -> Access:
    """Each scheme has its line here."""
    check_system(address)
    if isinstance(address, Address):
        from libremq.host import embedded_access

        return embedded_access.attach(
            address.folder,
            address.name,
            create=address.create,
            checked_user=(user or current_user()) if address.authority else None,
            log_config=log_config,
            log_folder=log_folder,
            tuning=tuning,
            limits=limits,
            say=say,
        )
    for name, value in (("log_config", log_config), ("log_folder", log_folder), ("tuning", tuning), ("limits", limits)):
        if value:
            raise bad_value(
                C.MQRC_OPTIONS_ERROR, address.name, f"{name} is for an embedded queue manager; a server has its own"
            )
    places = client_addresses(address, user=user, password=password, reconnect=reconnect)
    if len(places) == 1 and places[0].scheme == "local":
        return _reach_local(places[0], say)
    return _attach(places, say)


def _attach(places: Sequence[ClientAddress], say: Say | None) -> Access:
    from libremq.client.remote import remote_access

    access: Access = remote_access.attach(places, say=say)
    return access


def _reach_local(address: ClientAddress, say: Say | None) -> Access:
    path = address.socket_path
    socket_paths.check_socket_folder(path, socket_paths.owner_of(address.folder))
    if not os.path.exists(path):
        raise not_running(address)
    try:
        return _attach([address], say)
    except (MQError, OSError) as error:
        if not socket_paths.answers(path):  # a socket that a killed server has left
            raise not_running(address) from error
        raise


def check_system(address: Address | ClientAddress | TableAddress) -> None:
    """MQRC_ENVIRONMENT_ERROR for what is on this machine by nature, where this machine cannot have it."""
    if address.scheme in ("embedded", "local"):
        what = "a queue manager" if address.scheme == "embedded" else "the Unix-domain socket of a local server"
        why = operating_system.why_not(what)
        if why:
            raise mq_error(C.MQRC_ENVIRONMENT_ERROR, address.name, f"{why}: {operating_system.REMEDY}")


def client_addresses(
    address: ClientAddress | TableAddress,
    *,
    user: str | None = None,
    password: str | None = None,
    reconnect: str | None = None,
) -> list[ClientAddress]:
    """The addresses to try, one after the other, for a URL."""
    if isinstance(address, TableAddress):
        from libremq.client import ccdt

        places = ccdt.addresses(address)
    else:
        places = [address]
    given: dict[str, str] = {}
    if user:
        given["user"] = user
    if password is not None:
        given["password"] = password
    if given:
        places = [replace(place, **given) for place in places]  # type: ignore[arg-type]
    if reconnect is not None:
        places = [place if place.reconnect_fixed else replace(place, reconnect=reconnect) for place in places]
    for place in places:
        if place.password and not place.user:
            raise bad_value(C.MQRC_OPTIONS_ERROR, address.name, "a password needs a user")
    return places


def not_running(address: ClientAddress) -> MQError:
    """The error for a local queue manager that no server runs; it says what to do."""
    from libremq.common.files.file_layer import RealFiles
    from libremq.common.files.lock_state import locked_by

    data = f" -md {shlex.quote(address.data)}" if address.data else ""
    start = f"'libremq strmqm {address.name}{data}'"
    files = RealFiles()
    try:
        is_there = queue_manager_files.exists(files, address.folder)
    except OSError as error:
        detail = f"the folder of the queue manager cannot be looked into: {error}. It is for its owner and root"
        return mq_error(C.MQRC_NOT_AUTHORIZED, address.name, detail)
    if not is_there:
        return mq_error(
            C.MQRC_Q_MGR_NAME_ERROR,
            address.name,
            f"there is no queue manager in {address.folder}; 'libremq crtmqm {address.name}{data}' makes it",
        )
    holder = locked_by(f"{address.folder}/{queue_manager_files.LOCK}")
    if holder:
        detail = f"{holder} has it open and serves nobody else; close it there, and start it with {start}"
    else:
        detail = f"the queue manager is not running; start it with {start}"
    return mq_error(C.MQRC_Q_MGR_NOT_AVAILABLE, address.name, detail)


# From a bare name to a URL


def url_for(name: str) -> str:
    """The URL that a name means: for MQCONN("QM1"), the samples, and whatever else knows names only.

    A URL is taken as it is. Else MQSERVER counts, then a CCDT (MQCCDTURL, or MQCHLLIB and MQCHLTAB), then a server on
    this machine, then an embedded queue manager. Without a client channel, an empty name is the default queue manager,
    or the only one there is.
    """
    from libremq.client import ccdt, mqserver

    if not isinstance(name, str):
        raise wrong_type(C.MQRC_Q_MGR_NAME_ERROR, "", f"the name of a queue manager is a str, not {name!r}")
    name = name.strip(" \0")
    if ":" in name:
        return name
    urls.check_client_name(name)
    server = os.environ.get(mqserver.VARIABLE, "").strip()
    if server:
        return mqserver.url(server, name)
    table = ccdt.table_of_environment()
    if table:
        return f"ccdt:{quote(name, safe='*')}?table={quote(table, safe='')}"
    if name.startswith("*"):
        raise bad_value(
            C.MQRC_Q_MGR_NAME_ERROR,
            name,
            f"an asterisk is for client channels: set {mqserver.VARIABLE} or {ccdt.URL_VARIABLE}, or leave it out",
        )
    name = name or default_name()
    address = ClientAddress("local", name)
    if not operating_system.lacks() and socket_paths.answers(address.socket_path):
        return f"local:{quote(name, safe='')}"
    return urls.embedded_url(name)


def default_name(data: str = "") -> str:
    """The queue manager that an empty name means: the one that mqs.ini names, else the only one in the data folder."""
    from libremq.host.default_queue_manager import configured_default, names_in

    data = os.path.abspath(data or urls.default_data_folder())
    name = configured_default(data)
    if name:
        return check_queue_manager_name(name)
    names = names_in(os.path.join(data, "qmgrs"))
    if len(names) == 1:
        return names[0]
    if names:
        few = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        detail = f"an empty name means the default queue manager, but none of {few} is: name one"
    else:
        detail = f"there is no queue manager in {data}; 'libremq crtmqm QM1' makes one"
    raise bad_value(C.MQRC_Q_MGR_NAME_ERROR, "", detail)


def current_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container may run under a number that has no name
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def current_application() -> str:
    return os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c") else "python"
