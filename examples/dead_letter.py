"""The dead-letter queue: what cannot be handled is set aside with the reason, in the same transaction."""

import json
import os
import tempfile

import libremq
from libremq.mqi import constants as MQ

NOT_JSON = MQ.MQFB_APPL_FIRST + 1


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        for name in ("ORDERS", "DEAD.LETTERS"):
            qm.define_local(name, replace=True)
        qm.alter("qmgr", deadq="DEAD.LETTERS")
        orders = qm.queue("ORDERS")
        orders.put(json.dumps({"what": "tea", "cups": 2}))
        orders.put("two cups of tea", properties={"sender": "grandfather"})

        while True:
            try:
                with qm.transaction():
                    message = orders.get()
                    try:
                        print("order:", json.loads(message.text))
                    except json.JSONDecodeError:
                        qm.dead_letter(message, NOT_JSON)
            except libremq.NoMessageAvailable:
                break

        for dead in qm.queue("DEAD.LETTERS"):
            header, original = dead.without_dead_letter_header()
            print(f"dead: {original.text!r} {original.properties}, reason {header.Reason}, for {header.DestQName}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
