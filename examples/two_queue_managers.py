"""Request and reply between two queue managers: an application in London asks a service in Paris, and neither knows
where the other one is.

The definitions are those of channels_london.mqsc and channels_paris.mqsc: a remote queue, and a channel each way.
"""

import os
import tempfile
import threading
from pathlib import Path

import libremq
from libremq.testing.serving import served_queue_manager


def serve(url: str) -> None:
    """The kitchen in Paris: a request and its reply are one unit of work."""
    with libremq.connect(url) as qm:
        orders = qm.queue("ORDERS")
        while True:
            with qm.transaction():
                order = orders.get(wait=60)
                if order.text == "we are closed":
                    return
                order.reply(f"{order.text} for {order.reply_to_manager.capitalize()}, with our compliments")


def main(data: str) -> None:
    with (
        served_queue_manager("LONDON", folder=data) as london,  # or servers of your own: libremq strmqm LONDON
        served_queue_manager("PARIS", folder=data) as paris,
        libremq.connect(london.url("local")) as here,
        libremq.connect(paris.url("local")) as there,
    ):
        for qm in (here, there):
            script = Path(__file__).with_name(f"channels_{qm.name.lower()}.mqsc").read_text(encoding="utf-8")
            # The two listen wherever there is a free port
            qm.mqsc(script.replace("(1421)", f"({london.port})").replace("(1422)", f"({paris.port})"))
        kitchen = threading.Thread(target=serve, args=(paris.url("local"),))
        kitchen.start()

        orders = here.queue("ORDERS")  # a remote queue: what is put there goes to Paris
        for what in ("two espressos", "one tea"):
            print(orders.request(what, wait=60).text)  # the reply comes to a temporary queue in London
        orders.put("we are closed")
        kitchen.join()

        (channel,) = here.mqsc("DISPLAY CHSTATUS(LONDON.PARIS) STATUS RQMNAME MSGS")[0].rows
        print(
            f"channel {channel['channel']} to {channel['rqmname']} is {channel['status']}: {channel['msgs']} messages"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        main(os.environ.setdefault("LIBREMQ_DATA", folder))
