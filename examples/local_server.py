"""One queue manager for all processes of a machine (local:), and what becomes of the work of one that is killed."""

import os
import signal
import subprocess
import sys
import tempfile

import libremq

WORKER = """
import os, signal, libremq
with libremq.connect("local:QM1") as qm, qm.transaction():
    job = qm.queue("JOBS").get()
    qm.queue("DONE").put(job.text, persistent=True)
    print("the worker is at", job.text, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)  # the lights go out before the commit
"""


def command(*words: str) -> None:
    """What you would type: libremq strmqm QM1."""
    subprocess.run([sys.executable, "-m", "libremq.commands.main", *words], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:  # or: libremq crtmqm QM1
        qm.define_local("JOBS", replace=True)
        qm.define_local("DONE", replace=True)
    command("strmqm", "-ns", "QM1")  # no listener: for this machine only
    try:
        with libremq.connect("local:QM1") as qm:
            jobs = qm.queue("JOBS")
            jobs.put_many(["wash", "iron", "fold"], persistent=True)

            worker = subprocess.run([sys.executable, "-c", WORKER], check=False)
            print("it was killed:", worker.returncode == -signal.SIGKILL)

            first = jobs.get(wait=60)  # its unit of work was backed out: the job is there again
            print(f"{first.text} again, backed out {first.backout_count} time; done: {qm.queue('DONE').depth}")
            print("then", [job.text for job in jobs])
    finally:
        command("endmqm", "-w", "QM1")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
