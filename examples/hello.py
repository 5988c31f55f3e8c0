"""The first steps: a queue manager in this process, a queue, a transaction, messages in and out."""

import os
import tempfile

import libremq


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("ORDERS", replace=True)
        orders = qm.queue("ORDERS")

        orders.put("two espressos", persistent=True, properties={"table": 7})
        with qm.transaction():
            orders.put(b"one tea", persistent=True, correlation_id=b"table-8")
            orders.put(b"one cake", persistent=True, correlation_id=b"table-8")

        print("for table 8:", orders.get(correlation_id=b"table-8").data)
        for message in orders:
            print(message.text, message.properties, message.put_time)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
