"""Testing an application with a real queue manager: the fixture `queue_manager`, and a clock that moves on command.

Run it with pytest, which finds the fixture by itself; run as a program it calls pytest.
"""

import subprocess
import sys

import libremq
from libremq.testing import VirtualClock, temporary_queue_manager


def confirm_orders(qm: libremq.QueueManager) -> int:
    """The application: each order is answered by a confirmation, both in one transaction."""
    confirmed = 0
    orders = qm.queue("ORDERS")
    while True:
        try:
            with qm.transaction():
                order = orders.get()
                qm.put("CONFIRMATIONS", f"confirmed: {order.text}", correlation_id=order.message_id)
                confirmed += 1
        except libremq.NoMessageAvailable:
            return confirmed


def test_every_order_is_confirmed(queue_manager: libremq.QueueManager) -> None:
    queue_manager.define_local("ORDERS")
    queue_manager.define_local("CONFIRMATIONS")
    tea = queue_manager.put("ORDERS", "tea")
    queue_manager.put("ORDERS", "cake")
    assert confirm_orders(queue_manager) == 2
    assert queue_manager.queue("CONFIRMATIONS").get(correlation_id=tea).text == "confirmed: tea"


def test_an_order_stays_when_its_confirmation_cannot_be_put(queue_manager: libremq.QueueManager) -> None:
    queue_manager.define_local("ORDERS")
    queue_manager.define_local("CONFIRMATIONS", maxdepth=0)
    queue_manager.put("ORDERS", "tea")
    try:
        confirm_orders(queue_manager)
    except libremq.QueueFull:
        pass
    assert queue_manager.queue("ORDERS").depth == 1


def test_an_order_that_waits_too_long_expires() -> None:
    clock = VirtualClock()
    with temporary_queue_manager(clock=clock) as qm:
        qm.define_local("ORDERS")
        qm.define_local("CONFIRMATIONS")
        qm.put("ORDERS", "tea, hot", expiry=300)
        clock.advance(301)
        assert confirm_orders(qm) == 0


if __name__ == "__main__":
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", __file__]))
