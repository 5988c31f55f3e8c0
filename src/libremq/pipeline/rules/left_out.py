"""Statements of the source that are no rules here, and why. What we cannot express is said, not faked."""

from __future__ import annotations

FORMULAS_ONLY = (
    "R-LV-01", "R-LV-02", "R-LV-04", "R-LV-05", "R-LV-06", "R-LV-10", "R-LV-11", "R-LF-03", "R-PS-02", "R-BP-13",
    "R-REC-02", "R-REC-03", "R-REC-04", "R-REC-09", "R-REC-10", "R-REC-14", "R-RST-01", "R-RST-03", "R-RST-04",
    "R-RST-05", "R-RST-06", "R-RST-08", "R-UT-01", "R-UT-02", "R-TR-01", "R-IDX-06", "R-VST-05", "R-CF-07", "R-CF-08",
    "R-09", "R-15", "R-23", "R-29", "R-43", "R-47", "R-71", "R-96", "R-101", "R-133", "R-142c", "R-LG-1", "R-LG-3",
    "R-LG-6", "R-LG-7", "R-LG-8", "R-LG-9", "R-LG-10", "R-SQ-6", "R-EVT-1", "R-IMS-4", "R-HW-1",
)  # fmt: skip
"""Formulas without a condition: they are models, and questions use them."""

NOT_EXPRESSED: dict[str, str] = {
    "R-LF-02": "a worst case of two commit protocols one after the other; records do not link the two tasks",
    "R-PS-07": "a trade-off (few large or many small page sets) without a figure to decide by",
    "R-REC-08": "measured read rates; they are defaults of the recovery models",
    "R-TR-08": "says which address space pays for trace; nothing to judge",
    "R-18": "says that gains shrink with size; no limit is given",
    "R-95": "says that key size hardly matters with crypto hardware; nothing to warn of",
    "R-97b": "conditions of a measurement",
    "R-137": "cautions about how to read encryption costs",
    "R-SQ-9": "a caution about RMF's whole-system costs",
    "R-HW-3": "a caution: throughput does not scale as costs do; the planner says so",
    "F-RST-08": "progress of a restart is told by console messages in order of time, which no table holds",
    "M-13": "comparing media and checkpoint addresses needs the console log; see the question `page-set-restored`",
    "R-BP-5": "that pages written at checkpoints alone are harmless: a rule for it would fire on health",
}
"""Why a stated fact has no rule of its own."""

LANGUAGE_LIMITS = (
    "A rule sees one row, or all rows of an interval, day, object or queue manager; not the row before. Changes are"
    " judged by first, last and trend of a day or of all time.",
    "Two subjects join only where each row has one row of the other: by interval, page set to pool, queue to task.",
    "`Except after a restart` cannot be told from the records; such rules say in their advice that the time after a"
    " restart does not count.",
    "Queue managers of one queue-sharing group are not joined by rules; what concerns the group comes from site facts.",
    "Cursor behaviour, retry against re-drive by verb, and the CF times of class 3 (unit not settled) are not judged.",
)
"""What the language of conditions cannot say."""
