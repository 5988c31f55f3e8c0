"""Many messages at a time: put_many and get_many go over the network once, not once for each message."""

import os
import tempfile

import libremq
from libremq.testing.serving import served_queue_manager


def main(data: str) -> None:
    # The server could be one of your own: libremq strmqm QM1
    with served_queue_manager(folder=data) as server, libremq.connect(server.url("mq")) as qm:
        qm.define_local("READINGS", replace=True)
        qm.define_local("SUMS", replace=True)
        readings, sums = qm.queue("READINGS"), qm.queue("SUMS")

        # All or none, and one wait for the disk
        ids = readings.put_many([str(number) for number in range(1000)], persistent=True)
        print(f"{len(ids)} readings put")

        # As many as there are, up to 300; what is got and what is put in a transaction belong together
        while readings.depth:
            with qm.transaction():
                batch = readings.get_many(300)
                sums.put(str(sum(int(reading.text) for reading in batch)), persistent=True)
        print("sums of up to 300:", [message.text for message in sums])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        main(os.environ.setdefault("LIBREMQ_DATA", folder))
