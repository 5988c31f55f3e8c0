"""Triggering: the first message on a queue makes the queue manager call for a worker, and a monitor starts it."""

import os
import tempfile

import libremq
from libremq.mqi.structs import MQTM


def work(qm: libremq.QueueManager, queue: str) -> None:
    with qm.queue(queue) as jobs:  # while it is open for input, nobody else is called
        for message in jobs:
            print("  done:", message.text)


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("CALLS", replace=True)
        qm.define_process("WORKER", applicid="work", userdata="gently", replace=True)
        qm.define_local("JOBS", trigger="trigger", trigtype="first", initq="CALLS", process="WORKER", replace=True)
        calls = qm.queue("CALLS")
        calls.get_or_none()  # the trigger monitor is there: the initiation queue is open

        for batch in (["wash", "iron"], ["fold"]):
            for job in batch:
                qm.put("JOBS", job)
            call = MQTM.unpack(calls.get(wait=60).data)  # one for the batch, not one for each job
            print(f"{call.ProcessName} is called for {call.QName}: start {call.ApplId!r} ({call.UserData})")
            work(qm, call.QName)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
