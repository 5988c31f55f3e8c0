"""An asynchronous consumer: a function called with each message, in a transaction with what it puts."""

import os
import tempfile

import libremq


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        for name in ("RAW", "CLEAN", "REJECTED"):
            qm.define_local(name, replace=True)

        def clean(message: libremq.Message) -> None:
            if message.backout_count >= 2:
                qm.put("REJECTED", message.data, format=message.format)
            else:
                qm.put("CLEAN", message.data.decode("ascii").strip())

        failures: list[str] = []

        def failed(error: BaseException, message: libremq.Message) -> None:
            failures.append(f"attempt {message.backout_count + 1}: {type(error).__name__}")

        raw, cleaned = qm.queue("RAW"), qm.queue("CLEAN")
        with raw.consume(clean, on_error=failed):
            for text in ("  tea ", "café", " cake"):
                raw.put(text)
            print("clean:", cleaned.get(wait=60).text)
            print("clean:", cleaned.get(wait=60).text)
            print("rejected:", qm.queue("REJECTED").get(wait=60).text, failures)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
