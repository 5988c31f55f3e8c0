"""A backup queue manager: kept up to date with extents of the log, and ready to take over."""

import os
import shutil
import tempfile
from pathlib import Path

import libremq

LINEAR = libremq.LogConfig(type="LINEAR", file_pages=64)


def ship(qm: libremq.QueueManager, backup: str) -> None:
    """Copy the log, extents first, without its control file. In real life that is a job for rsync."""
    for file in sorted(Path(qm.folder, "log").iterdir()):
        if file.name != "amqhlctl.lfh":
            shutil.copy(file, Path(backup, "log", file.name))


def main() -> None:
    standby = os.path.join(os.environ["LIBREMQ_DATA"], "standby")
    shutil.rmtree(standby, ignore_errors=True)

    with libremq.connect("embedded:SHOP?create=1", log_config=LINEAR) as live:
        live.define_local("ORDERS", defpsist="yes", replace=True)
        live.put("ORDERS", "tea")
        backup = live.copy_to_backup(standby)

        live.put("ORDERS", "cake")
        ship(live, backup)
        print("replayed some records:", libremq.backup.replay(backup) > 0)

        with live.transaction():
            live.put("ORDERS", "biscuits")
            live.put("ORDERS", "jam")
        ship(live, backup)
        for _ in live.queue("ORDERS"):
            pass  # what happens now is not shipped any more

    try:
        libremq.connect(f"embedded:SHOP?data={standby}")
    except libremq.QueueManagerNotAvailable as error:
        print(error.detail.partition(":")[0])
    libremq.backup.activate(backup)
    with libremq.connect(f"embedded:SHOP?data={standby}") as qm:
        print("the backup has taken over:", [message.text for message in qm.queue("ORDERS")])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
