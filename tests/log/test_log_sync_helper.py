"""The thread for the second copy: jobs in order, failures kept, interrupted waits made up for."""

from __future__ import annotations

import errno
import gc

import pytest

from libremq.log.sync_helper import SyncHelper
from libremq.testing import FaultyFiles


def test_jobs_are_done_in_order_and_need_not_be_waited_for() -> None:
    files = FaultyFiles()
    one, two = files.open("/one", create=True), files.open("/two", create=True)
    helper = SyncHelper("/copy")
    for _ in range(50):
        helper.start(one.sync)  # whoever asked was interrupted
    helper.wait(helper.start(two.sync))
    assert files.operations >= 51
    for _ in range(50):
        helper.start(one.sync)
    helper.wait_for_all()
    assert files.operations >= 101
    helper.close()


def test_a_failure_nobody_waited_for_is_not_forgotten() -> None:
    files = FaultyFiles()
    files.make_folder("/copy")
    file = files.open("/copy/x", create=True)
    files.fail("sync", "/copy/x", OSError(errno.EIO, "no"))
    helper = SyncHelper("/copy")
    helper.start(file.sync)
    for _ in range(2):
        with pytest.raises(OSError, match="no") as caught:
            helper.wait(helper.start(file.sync))
        assert caught.value.filename == "/copy/x"
    helper.close()


def test_the_thread_ends_with_its_owner() -> None:
    """A log that is given up without being closed, as after a failure, leaves no thread behind."""
    helper = SyncHelper("/copy")
    thread = helper._thread
    del helper
    gc.collect()
    thread.join(30)
    assert not thread.is_alive()
