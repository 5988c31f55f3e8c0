"""Transactions: get from one queue and put to another, both or neither, whatever goes wrong in between."""

import os
import tempfile

import libremq


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        for name in ("PAYMENTS", "LEDGER"):
            qm.define_local(name, defpsist="yes", replace=True)
        payments, ledger = qm.queue("PAYMENTS"), qm.queue("LEDGER")
        for amount in ("10", "20", "a lot"):
            payments.put(amount)

        booked = 0
        while True:
            try:
                with qm.transaction():
                    message = payments.get()
                    if message.backout_count:
                        print(f"{message.text!r} failed before: set aside")
                        continue  # leaving the block commits the get
                    ledger.put(f"booked {int(message.text)}")
                    booked += 1
            except ValueError as error:
                print(f"backed out: {error}")  # the message is on its queue again
            except libremq.NoMessageAvailable:
                break

        print(f"{booked} booked:", [message.text for message in ledger])
        print("payments left:", payments.depth)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
