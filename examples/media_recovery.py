"""Media recovery: the file of a queue is destroyed, and the queue is made anew from the log alone."""

import logging
import os
import tempfile
from pathlib import Path

import libremq

LINEAR = libremq.LogConfig(type="LINEAR", file_pages=256)  # only a linear log keeps what this needs


def main() -> None:
    with libremq.connect("embedded:DEPOT?create=1", log_config=LINEAR) as qm:
        qm.define_local("ORDERS", defpsist="yes", replace=True)
        with qm.transaction():
            for number in range(20):
                qm.put("ORDERS", f"order {number} " * 200)

        for image in qm.record_images("qlocal", "ORDERS"):
            print(f"image of {image.name} recorded")
        qm.put("ORDERS", "order 20, after the image")
        folder = Path(qm.folder)

    for file in folder.glob("queues/ORDERS*/q"):
        file.write_bytes(b"\0" * file.stat().st_size)
    print("its file is overwritten with zeros")

    with libremq.connect("embedded:DEPOT") as qm:
        try:
            print(len(list(qm.queue("ORDERS"))), "orders")
        except libremq.ObjectDamaged as error:
            print(f"{error.name}: {error.object_name}")  # and the logger libremq.DEPOT has the details
        qm.recover_object("qlocal", "ORDERS")
        with qm.transaction():
            messages = [message.text for message in qm.queue("ORDERS")]
        print(f"recovered: {len(messages)} orders, the last one is {messages[-1]!r}")


if __name__ == "__main__":
    logging.basicConfig(level=logging.CRITICAL)  # at ERROR, the default, AMQ7472E would tell of the damage
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
