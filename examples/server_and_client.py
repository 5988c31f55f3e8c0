"""A queue manager in a process of its own, and applications in others that reach it over TCP."""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

import libremq


def command(*words: str) -> None:
    """What you would type: libremq strmqm QM1."""
    subprocess.run([sys.executable, "-m", "libremq.commands.main", *words], check=True, stdout=subprocess.DEVNULL)


def waiter(url: str) -> None:
    """An application in a process of its own. Only the URL says where the queue manager is."""
    with libremq.connect(url, application="waiter") as qm, qm.transaction():
        qm.queue("KITCHEN").put("two espressos", persistent=True)
        qm.queue("BILL").put("table 7: 6.40", persistent=True)


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:  # or: libremq crtmqm QM1
        qm.define_local("KITCHEN", replace=True)
        qm.define_local("BILL", replace=True)
        # A channel for all clients, which come in as the user nobody, and what that user may do
        qm.define("CHANNEL", "CAFE.SVRCONN", CHLTYPE="SVRCONN", MCAUSER="nobody", replace=True)
        qm.mqsc("""
            SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('nobody') AUTHADD(CONNECT)
            SET AUTHREC PROFILE(KITCHEN) OBJTYPE(QUEUE) PRINCIPAL('nobody') AUTHADD(PUT,GET)
            SET AUTHREC PROFILE(BILL) OBJTYPE(QUEUE) PRINCIPAL('nobody') AUTHADD(PUT,GET,BROWSE)
        """)
        folder = qm.folder
    command("strmqm", "-p", "0", "QM1")  # on a free port; without -p it is 1414
    try:
        with open(f"{folder}/run.json", encoding="utf-8") as file:
            port = json.load(file)["ports"][0]
        url = f"mq://127.0.0.1:{port}/QM1?channel=CAFE.SVRCONN"
        other = multiprocessing.get_context("spawn").Process(target=waiter, args=(url,))
        other.start()
        with libremq.connect(url) as qm:
            order = qm.queue("KITCHEN").get(wait=60)
            print(f"{order.text}, ordered by {order.application}")
            print("on the bill:", [message.text for message in qm.queue("BILL")])
        other.join()
    finally:
        command("endmqm", "-w", "QM1")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as data:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", data)
        main()
