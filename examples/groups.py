"""Groups: messages that belong together are put together and got together, in order."""

import os
import tempfile

import libremq


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("CHAPTERS", replace=True)
        chapters = qm.queue("CHAPTERS")
        novel = chapters.put_group(["Marley was dead", "The first spirit", "The end of it"])
        chapters.put_group(["Call me Ishmael", "The carpet-bag"])

        print("the novel:", [message.text for message in chapters.get_group(group_id=novel)])
        rest = chapters.get_group()
        print("the next group:", [f"{message.md.MsgSeqNumber}: {message.text}" for message in rest])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
