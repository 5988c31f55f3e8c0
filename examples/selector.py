"""Selectors: get only the messages whose properties you ask for, in the SQL subset that MQ and JMS use."""

import os
import tempfile

import libremq


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("PARCELS", replace=True)
        parcels = qm.queue("PARCELS")
        parcels.put("books", properties={"city": "Lyon", "weight": 12.5})
        parcels.put("letter", properties={"city": "Lyon", "weight": 0.1, "express": True})
        parcels.put("piano", properties={"city": "Oslo", "weight": 310.0})

        for selector in ("weight > 100", "city = 'Lyon' AND express IS NULL", "express"):
            found = [message.text for message in qm.queue("PARCELS", selector=selector)]
            print(f"{selector:35} {found}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
