"""Write a report as a file: HTML, Markdown or JSON, whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Literal, get_args

from libremq.pipeline.report.content import Report, as_dict

Form = Literal["html", "markdown", "json"]
FORMS: tuple[Form, ...] = get_args(Form)


def rendered(report: Report, form: Form = "html") -> str:
    """The text of the file."""
    if form == "html":
        from libremq.pipeline.report.html import as_html

        return as_html(report)
    if form == "markdown":
        from libremq.pipeline.report.markdown import as_markdown

        return as_markdown(report)
    if form == "json":
        return json.dumps(as_dict(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    raise ValueError(f"a report is written as {', '.join(FORMS)}, not as {form!r}")


def write(report: Report, path: str | os.PathLike[str], form: Form = "html") -> int:
    """Write the file and return its bytes. A file of that name is replaced at the end; until then it stays."""
    # What UTF-8 cannot hold is no name of anything; it must not cost the report.
    content = rendered(report, form).encode("utf-8", "replace")
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(fresh, 0o644)
        os.replace(fresh, target)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise
    return len(content)
