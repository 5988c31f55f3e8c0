"""Commands of MQSC from Python: objects made from a script, what they say about themselves, and what goes wrong."""

import os
import tempfile

import libremq

SETUP = """\
* A queue, another name for it, and somewhere for what cannot be delivered
DEFINE QLOCAL(ORDERS) MAXDEPTH(3) REPLACE +
       DESCR('Orders from the tables')
DEFINE QALIAS(KITCHEN) TARGET(ORDERS) REPLACE
DEFINE QLOCAL(DEAD) REPLACE
ALTER QMGR DEADQ(DEAD)
"""


def main() -> None:
    with libremq.connect("embedded:OFFICE?create=1") as qm:
        for answer in qm.mqsc(SETUP):
            print(f"{' '.join(answer.command.split()[:2])}: {answer.state}")

        for order in ("two espressos", "one tea"):
            qm.queue("KITCHEN").put(order)
        [found] = qm.mqsc("DISPLAY QLOCAL(O*) WHERE(CURDEPTH GT 0) MAXDEPTH DESCR")
        for row in found.rows:
            print(f"{row['queue']}: {row['curdepth']} of {row['maxdepth']}, {row['descr'].lower()}")

        # As text, as runmqsc prints it
        print("\n".join(qm.mqsc("DISPLAY QALIAS(KITCHEN) TARGET")[0].lines))

        # A command that fails is an answer too, and has changed nothing
        for wrong in ("ALTER QLOCAL(ORDERS) MAXDEPHT(5)", "DELETE QLOCAL(ORDERS)"):
            [answer] = qm.mqsc(wrong)
            print(f"{answer.state}: {answer.lines[-1]}")
        qm.mqsc("CLEAR QLOCAL(ORDERS)")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
