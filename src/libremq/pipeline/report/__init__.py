"""The report of a site: summary, findings, charts and tables, as one HTML file, as Markdown or as JSON."""

from __future__ import annotations

from libremq.pipeline.report.content import Report, as_dict
from libremq.pipeline.report.writing import FORMS, Form, rendered, write

__all__ = ["FORMS", "Form", "Report", "as_dict", "rendered", "write"]
