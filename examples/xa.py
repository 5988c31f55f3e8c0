"""Two-phase commit: two queue managers, one decision; and a decision that is made after a restart."""

import os
import tempfile

import libremq

XID = b"transfer-4711"


def main() -> None:
    with libremq.connect("embedded:NORTH?create=1") as north, libremq.connect("embedded:SOUTH?create=1") as south:
        for bank in (north, south):
            bank.define_local("MONEY", defpsist="yes", replace=True)
        north.put("MONEY", "100 crowns")

        with north.xa.branch(XID), south.xa.branch(XID):
            south.put("MONEY", north.queue("MONEY").get().data)
        for bank in (north, south):
            bank.xa.prepare(XID)  # both have promised
        north.xa.commit(XID)
        print("decided in the north, and then the lights go out in the south")

    with libremq.connect("embedded:SOUTH") as south:
        print("in doubt after the restart:", south.in_doubt())
        south.resolve(XID, commit=True)  # an administrator decides, and that is kept
        south.forget_unit(XID.hex())  # nobody will ask for it any more
        print("in the south:", [message.data for message in south.queue("MONEY")])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
