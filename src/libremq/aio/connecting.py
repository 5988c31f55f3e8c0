"""connect(): from a URL to a queue manager of the asyncio API, through the binding that its scheme names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libremq.aio.awaitable_objects import Opening
from libremq.aio.binding import Access
from libremq.aio.descriptions import described_by
from libremq.aio.queue_manager import QueueManager
from libremq.client import connecting, urls
from libremq.client.connecting import current_user
from libremq.client.urls import Address, ClientAddress, TableAddress
from libremq.common.names import socket_paths
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import bad_value
from libremq.mqi.errors import MQError

if TYPE_CHECKING:
    from libremq.common.configuration import TuningSettings
    from libremq.kernel.recovery.restart import Say
    from libremq.log import LogConfig
    from libremq.store.queue_store import StoreLimits


@described_by(connecting.connect)
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
) -> Opening[QueueManager]:
    """`async with connect(url) as qm:`, or `qm = await connect(url)`.

    Cancelled, it leaves nothing behind: no connection, and no embedded queue manager that runs on; one that is being
    started is waited for, and ended.
    """
    return Opening(
        _connect(
            url,
            user=user,
            password=password,
            application=application,
            say=say,
            log_config=log_config,
            log_folder=log_folder,
            tuning=tuning,
            limits=limits,
        )
    )


async def _connect(
    url: str,
    *,
    user: str | None,
    password: str | None,
    application: str | None,
    say: Say | None,
    log_config: LogConfig | None,
    log_folder: str,
    tuning: TuningSettings | None,
    limits: StoreLimits | None,
) -> QueueManager:
    connecting.check_arguments(user, password, application, say, log_config, log_folder, tuning, limits)
    address = urls.parse(url)
    connecting.check_system(address)
    if isinstance(address, Address):
        from libremq.aio.embedded import EmbeddedAccess

        access: Access = await EmbeddedAccess.attach(
            address.folder,
            address.name,
            create=address.create,
            checked_user=(user or current_user()) if address.authority else None,
            log_config=log_config,
            log_folder=os.path.abspath(os.path.expanduser(log_folder)) if log_folder else "",
            tuning=tuning,
            limits=limits,
            say=say,
        )
    else:
        for name, value in (
            ("log_config", log_config), ("log_folder", log_folder), ("tuning", tuning), ("limits", limits)
        ):  # fmt: skip
            if value:
                raise bad_value(
                    C.MQRC_OPTIONS_ERROR, address.name, f"{name} is for an embedded queue manager; a server has its own"
                )
        if isinstance(address, ClientAddress):
            user = user or address.user or None
            application = application or address.application or None
        else:
            application = application or dict(address.settings).get("application")
        access = await _reach(address, user, password)
    manager = QueueManager(access, url=urls.without_password(url), user=user, application=application)
    try:
        await manager._sessions.common()
    except BaseException:
        await manager.close()
        raise
    return manager


async def _reach(address: ClientAddress | TableAddress, user: str | None, password: str | None) -> Access:
    from libremq.aio.remote_access import RemoteAccess

    places = connecting.client_addresses(address, user=user, password=password)
    if len(places) != 1 or places[0].scheme != "local":
        return await RemoteAccess.attach(places)
    path = places[0].socket_path
    socket_paths.check_socket_folder(path, socket_paths.owner_of(places[0].folder))
    if not os.path.exists(path):
        raise connecting.not_running(places[0])
    try:
        return await RemoteAccess.attach(places)
    except (MQError, OSError) as error:
        if not socket_paths.answers(path):  # a socket that a killed server has left
            raise connecting.not_running(places[0]) from error
        raise
