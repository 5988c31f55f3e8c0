"""Queue managers for tests: made in a moment, gone afterwards, on real files or on ones that fail on purpose."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from libremq.testing.virtual_clock import VirtualClock

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager
    from libremq.common.clock import Clock
    from libremq.common.files.file_layer import Files
    from libremq.kernel.recovery.restart import Say
    from libremq.log import LogConfig
    from libremq.store.queue_store import StoreLimits

_SMALL_LOG_PAGES = 1024
"""Extents of 4 MiB: room for the largest message a queue takes by default, and made in a few milliseconds."""


@contextmanager
def temporary_queue_manager(
    name: str = "QM1",
    *,
    folder: str | Path | None = None,
    files: Files | None = None,
    clock: Clock | None = None,
    log_config: LogConfig | None = None,
    limits: StoreLimits | None = None,
    say: Say | None = None,
) -> Iterator[QueueManager]:
    """A fresh embedded queue manager for a `with` block.

    Its data is in `folder`, which stays, or in a temporary folder, which goes. It does not wait for the disk: what was
    put survives the end of the process, however it comes, but no power cut. `files` may be `FaultyFiles`, with the
    data in memory. With a `VirtualClock` time stands still until `advance`, which also ends waits and expires messages.
    """
    from libremq.client import connecting, urls
    from libremq.client.queue_manager import QueueManager
    from libremq.host.embedded import EmbeddedQueueManager
    from libremq.host.embedded_access import EmbeddedAccess, attach
    from libremq.log import LogConfig
    from libremq.testing.unsynced_files import UnsyncedFiles

    log_config = log_config or LogConfig(file_pages=_SMALL_LOG_PAGES)
    with ExitStack() as stack:
        if files is None and folder is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="libremq-"))
        where = "data"
        if files is None:
            url = f"embedded:{name}?create=1&data={quote(str(folder))}"
            address = urls.parse(url)
            assert isinstance(address, urls.Address)
            connecting.check_system(address)
            connecting.check_arguments(None, None, None, say, log_config, "", None, limits)
            files, where = UnsyncedFiles(), address.folder
            if clock is None:
                access = attach(
                    where, name, create=True, files=files, log_config=log_config, limits=limits, say=say
                )  # fmt: skip
                yield stack.enter_context(QueueManager(access, url=url))
                return
        embedded = EmbeddedQueueManager.start(
            where,
            name,
            create=True,
            files=files,
            clock=clock,
            limits=limits,
            log_config=log_config,
            say=say,
            background=not isinstance(clock, VirtualClock),
        )
        embedded.serve_commands(trusting=True)
        if isinstance(clock, VirtualClock):
            stack.callback(clock.on_advance(embedded.run_clock))
        yield stack.enter_context(QueueManager(EmbeddedAccess(embedded, where)))
