"""What a day of administering channels brought to light."""

from __future__ import annotations

from helper_ends import Pair, sender_and_receiver

from libremq.mqi import constants as C


def test_the_end_of_the_queue_manager_is_no_error_of_a_channel_that_has_work() -> None:
    """Gets fail from the moment on that the end is asked for; the channel is told a little later."""
    one, two = sender_and_receiver(BATCHSZ=3)
    pair = Pair(one, two)
    pair.run()
    for number in range(8):
        one.put("TARGET", b"%d" % number, qmgr="QM2")
    one.qm.core.quiescing = True
    pair.sender.pump()
    pair.run()
    assert pair.sender.ended is None
    pair.sender.stop(C.MQMODE_QUIESCE)
    pair.run()
    assert (pair.sender.ended.kind, pair.sender.ended.message) == ("stopped", None)
    assert one.depth("QM2") + two.depth("TARGET") == 8
