"""Request and reply: a service in one thread, clients in others, each reply finds its request."""

import os
import tempfile
import threading

import libremq


def serve(qm: libremq.QueueManager) -> None:
    for request in qm.queue("SQUARE").iterate(wait=60):
        if request.text == "stop":
            return
        request.reply(str(int(request.text) ** 2))


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("SQUARE", replace=True)
        server = threading.Thread(target=serve, args=(qm,))
        server.start()

        square = qm.queue("SQUARE")
        for number in (3, 12, 111):
            reply = square.request(str(number), wait=60)  # on a temporary queue that only this request knows
            print(f"{number} squared is {reply.text}")

        square.put("stop")
        server.join()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
