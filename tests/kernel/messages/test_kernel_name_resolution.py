"""What a name leads to is asked by transcripts of MQOPEN and MQPUT1; here is what is said of one that leads nowhere."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("NOPE", "no queue of this name is defined"),
        ("nope", "no queue of this name is defined"),
        ("orders", "no queue of this name is defined, but ORDERS is: upper and lower case differ"),
        ("Other", "no queue of this name is defined"),
    ],
)
def test_a_name_in_the_wrong_case_is_told_the_right_one(name: str, told: str) -> None:
    session = Session()
    session.queue("ORDERS")  # DEFINE QLOCAL(orders), without quotes
    session.queue("other")
    for call in (lambda: session.put(name), lambda: session.open_input(name)):
        with pytest.raises(MQError) as refused:
            call()
        assert (refused.value.reason, refused.value.detail) == (C.MQRC_UNKNOWN_OBJECT_NAME, told)
