"""Request and reply between processes: two services share the requests of one queue, over TCP."""

import multiprocessing
import os
import tempfile

import libremq
from libremq.testing.serving import served_queue_manager


def serve(url: str) -> None:
    """A request and its reply are one unit of work: a service that dies leaves the request to the others."""
    with libremq.connect(url, application="squares") as qm:
        requests = qm.queue("SQUARE")
        while True:
            with qm.transaction():
                request = requests.get(wait=60)
                if request.text == "stop":
                    return
                request.reply(str(int(request.text) ** 2))


def main(data: str) -> None:
    with served_queue_manager(folder=data) as server:  # or a server of your own: libremq strmqm QM1
        url = server.url("mq")
        processes = multiprocessing.get_context("spawn")
        services = [processes.Process(target=serve, args=(url,)) for _ in range(2)]
        with libremq.connect(url) as qm:
            qm.define_local("SQUARE", replace=True)
            for service in services:
                service.start()
            square = qm.queue("SQUARE")
            for number in (3, 12, 111):
                reply = square.request(str(number), wait=60)  # on a temporary queue that only this request knows
                print(f"{number} squared is {reply.text}, say the {reply.application}")
            square.put_many(["stop"] * len(services))
            for service in services:
                service.join()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        main(os.environ.setdefault("LIBREMQ_DATA", folder))
