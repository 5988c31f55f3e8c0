"""What the logger knows about itself: its counters, and what they say should be changed."""

import os
import tempfile

import libremq

SMALL_LOG = libremq.LogConfig(primary_files=2, secondary_files=6, file_pages=64)


def main() -> None:
    with libremq.connect("embedded:BUSY?create=1", log_config=SMALL_LOG) as qm:
        qm.define_local("ORDERS", defpsist="yes", replace=True)
        orders = qm.queue("ORDERS")

        for number in range(10):
            orders.put(f"order {number}")  # each waits for the disk by itself
        with qm.transaction():
            for _ in range(40):
                orders.put(bytes(20_000))  # one unit of work that needs more than the primary extents

        advice = {finding.id: finding for finding in qm.log_findings()}
        puts = advice["PUTS_OUTSIDE_SYNCPOINT"].values["puts_outside_syncpoint"]
        print(f"{puts} persistent puts outside syncpoint: put several in one transaction")
        figures = qm.log_statistics()
        if "SECONDARIES_IN_USE" in advice:
            print(f"secondary extents in use, {figures.primary_files} primaries are not enough: raise LogPrimaryFiles")
        print("bytes logged are written to disk with some to spare:", 0.1 < figures.useful_share <= 1)
        with qm.transaction():
            print("orders:", len(list(orders)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
