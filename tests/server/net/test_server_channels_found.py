"""What a day of administering channels brought to light."""

from __future__ import annotations

from pathlib import Path

from helper_in_doubt import CHANNEL, doubt_in
from helper_lines import ANSWERS


def test_a_stopped_channel_does_not_hide_that_it_is_in_doubt(tmp_path: Path) -> None:
    with doubt_in(tmp_path) as doubt:
        doubt.leave_in_doubt(ANSWERS)
        current, saved = doubt.status("QM1"), doubt.status("QM1", "SAVED")
        assert current["status"] == "STOPPED"
        for field in ("indoubt", "curluwid", "curmsgs", "curseqno", "lstluwid", "lstseqno", "rqmname"):
            assert current[field] == saved[field], field
        assert (current["indoubt"], current["curmsgs"], current["rqmname"]) == ("YES", 3, "QM2")
        assert (current["shortrts"], current["longrts"]) == (10, 999_999_999)
        (answer,) = doubt.managers["QM1"].mqsc("DISPLAY CHSTATUS(*) WHERE(INDOUBT EQ YES)")
        assert [row["channel"] for row in answer.rows] == [CHANNEL]
