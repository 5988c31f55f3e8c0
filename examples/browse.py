"""Browsing: look at messages without taking them, and take the one you were looking for."""

import os
import tempfile

import libremq


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("LOST.AND.FOUND", replace=True)
        shelf = qm.queue("LOST.AND.FOUND")
        for thing in ("umbrella", "glove", "bicycle", "other glove"):
            shelf.put(thing)

        print("on the shelf:", [message.text for message in shelf.browse()])

        with shelf.browse(lock=True, take=True) as browser:  # what we look at, nobody else can take
            for message in browser:
                if "glove" in message.text:
                    print("taken:", browser.take().text)

        print("still there:", [message.text for message in shelf])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
