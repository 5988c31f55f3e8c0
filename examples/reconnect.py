"""A client that reconnects: the queue manager is killed and started again while the client waits for a message."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading

import libremq


def command(*words: str) -> None:
    """What you would type: libremq strmqm QM1."""
    subprocess.run([sys.executable, "-m", "libremq.commands.main", *words], check=True, stdout=subprocess.DEVNULL)


def listen(url: str, ready: threading.Event) -> None:
    # What happens to the connection is told to a function of ours, here to none; by default it is logged
    with libremq.connect(f"{url}&reconnect=yes&reconnect_timeout=300", say=lambda text: None) as qm:
        news = qm.queue("NEWS")
        news.get()
        ready.set()
        print("the client has heard:", news.get(wait=300).text)


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:  # or: libremq crtmqm QM1
        qm.define_local("NEWS", replace=True)
        qm.queue("NEWS").put("it begins", persistent=True)
        # A channel for all clients, which come in as the user nobody, and what that user may do
        qm.define("CHANNEL", "NEWS.SVRCONN", CHLTYPE="SVRCONN", MCAUSER="nobody", replace=True)
        qm.mqsc("""
            SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('nobody') AUTHADD(CONNECT)
            SET AUTHREC PROFILE(NEWS) OBJTYPE(QUEUE) PRINCIPAL('nobody') AUTHADD(GET)
        """)
        folder = qm.folder
    command("strmqm", "-p", "0", "QM1")  # on a free port; without -p it is 1414
    try:
        with open(f"{folder}/run.json", encoding="utf-8") as file:
            running = json.load(file)
        port = running["ports"][0]
        url = f"mq://127.0.0.1:{port}/QM1?channel=NEWS.SVRCONN"
        ready = threading.Event()
        client = threading.Thread(target=listen, args=(url, ready), daemon=True)
        client.start()
        ready.wait(60)

        os.kill(running["process_id"], signal.SIGKILL)
        print("the queue manager was killed, and is started again")
        command("strmqm", "-p", str(port), "QM1")

        with libremq.connect("local:QM1") as qm:
            qm.queue("NEWS").put("it goes on", persistent=True)
        client.join()
    finally:
        command("endmqm", "-w", "QM1")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as data:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", data)
        main()
