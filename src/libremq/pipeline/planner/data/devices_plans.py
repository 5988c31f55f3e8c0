"""Plans for what is around the data sets: encryption, zHyperWrite, zHyperLink."""

from __future__ import annotations

from libremq.pipeline.planner.plan import Margin, Plan, Step, Watch
from libremq.pipeline.planner.plan_inputs import PERSISTENT_BYTES, assume, may, need

PLANS = (
    Plan(
        name="encryption",
        title="Data set encryption: processor time for logs, page sets and SMDS",
        inputs=(
            need("log_mb_per_second_peak"),
            assume("log_copies", 2),
            assume("archive_copies", 2),
            may("pages_read_per_second"),
            may("pages_written_now_per_second"),
            may("pages_written_per_second"),
            may("message_bytes"),
            may("smds_messages_per_second"),
            assume("remote_gets", False),
            assume("gets_from_buffer", False),
        ),
        steps=(
            Step(
                "calls",
                "How often a logged page is encrypted or decrypted",
                "log_crypto_calls_per_page(log_copies, archive_copies)",
                "calls",
            ),
            Step("active", "Active logs", "active_log_encryption_us(log_mb_per_second_peak, log_copies)", "us/s"),
            Step(
                "archive", "Archive logs", "archive_log_encryption_us(log_mb_per_second_peak, archive_copies)", "us/s"
            ),
            Step(
                "page_sets",
                "Page sets",
                "page_set_encryption_us(pages_read_per_second, pages_written_now_per_second, pages_written_per_second)",
                "us/s",
            ),
            Step("smds_pages", "Pages of a message in SMDS", "smds_pages_per_message(message_bytes)", "pages"),
            Step(
                "smds_each",
                "A message put to and got from SMDS",
                "smds_put_encryption_us(smds_pages) + smds_get_encryption_us(smds_pages, remote_gets,"
                " gets_from_buffer)",
                "us",
            ),
            Step("smds", "Shared message data sets", "smds_messages_per_second * smds_each", "us/s"),
            Step("total", "All of it", "active + archive + either(page_sets, 0) + either(smds, 0)", "us/s"),
            Step("processors", "Processors", "total / 1000000", "processors"),
        ),
        answer="processors",
        words=(
            "Encryption keeps {processors} busy at the peak: {active} for active and {archive} for archive logs.",
            "Page sets take {page_sets}.",
            "Shared message data sets take {smds}.",
        ),
        watch=(
            Watch(
                "Pages written at once say that the buffer pool is too small.",
                "R-135 L5379",
                "pages_written_now_per_second > 0",
            ),
            Watch(
                "Lightly loaded tasks show a higher cost for each page; machines before z14 cost more.",
                "R-137 L5527-L5533",
            ),
        ),
        example="--log-mb-per-second-peak 50 --log-copies 2 --archive-copies 2",
    ),
    Plan(
        name="zhyperwrite",
        title="zHyperWrite instead of PPRC: log rate, commit time, cost",
        inputs=(
            need("pprc_mb_per_second"),
            need("message_bytes", **PERSISTENT_BYTES),
            may("pprc_commit_us"),
            may("pprc_put_us"),
            may("mstr_us_per_second"),
            assume("log_copies", 2),
        ),
        steps=(
            Step(
                "rate",
                "Log rate that is likely",
                "zhyperwrite_log_mb_per_second(pprc_mb_per_second, message_bytes / 1024)",
                "MB/s",
            ),
            Step("best", "Log rate at best", "zhyperwrite_log_mb_per_second_max(pprc_mb_per_second)", "MB/s"),
            Step("commit", "Commit at best", "zhyperwrite_commit_us_min(pprc_commit_us)", "us"),
            Step("put", "Put at best", "zhyperwrite_put_us_min(pprc_put_us)", "us"),
            Step(
                "mstr",
                "Processor time of the queue manager",
                "zhyperwrite_mstr_us(mstr_us_per_second, 'dual' if log_copies == 2 else 'single')",
                "us/s",
            ),
            Step("mstr_worst", "and at worst", "zhyperwrite_mstr_us(mstr_us_per_second, 'worst')", "us/s"),
            Step(
                "unarchived",
                "Log rate of 4 MB messages without archiving, at best",
                "unarchived_log_mb_per_second_max(rate, 'zHyperWrite')",
                "MB/s",
            ),
            Step(
                "half_paths",
                "Log rate with half of the channel paths, at worst",
                "halved_paths_mb_per_second_min(rate)",
                "MB/s",
            ),
        ),
        answer="rate",
        words=(
            "The log rate goes from {pprc_mb_per_second} to about {rate}, at best {best}.",
            "A commit falls to {commit} at best.",
            "The queue manager takes {mstr}, at worst {mstr_worst}.",
        ),
        watch=(
            Watch("Reserve channel paths for the secondary volumes.", "R-142 L5642-L5644"),
            Watch(
                "From 256 KB on the control unit's write cache may be the bound.",
                "R-142c L5769, L5801-L5805",
                "message_bytes >= 262144",
            ),
        ),
        example="--pprc-mb-per-second 40 --message-bytes 16k --pprc-commit-us 800",
    ),
    Plan(
        name="zhyperlink",
        title="zHyperLink: sessions, links, processor time, log rate",
        inputs=(
            assume("log_copies", 2),
            assume("log_stripes", 1),
            assume("mirrored", False),
            assume("other_sessions", 0),
            need("log_ios_per_second"),
            assume("zhyperlink_cable_m", 30),
            may("zhyperlink_response_ms"),
            assume("zhyperlink_links", 8),
            assume("persistent_share", 0.2),
            assume("zhyperlink_configuration", "dual"),
            may("log_mb_per_second_max"),
        ),
        steps=(
            Step(
                "own",
                "Write sessions of this queue manager",
                "zhyperlink_write_sessions(log_copies, log_stripes, mirrored)",
                "sessions",
            ),
            Step("sessions", "Sessions on the control unit", "own + other_sessions", "sessions"),
            Step("page_us", "Write of one page, by the cable", "zhyperlink_single_page_us(zhyperlink_cable_m)", "us"),
            Step("sixteen_us", "Write of sixteen pages", "zhyperlink_sixteen_pages_us(zhyperlink_cable_m)", "us"),
            Step(
                "response",
                "Time of a write: as given, or of one page",
                "either(zhyperlink_response_ms, page_us / 1000)",
                "ms",
            ),
            Step(
                "all_links", "All links together", "zhyperlink_links_busy_pct(log_ios_per_second, response)", "percent"
            ),
            Step(
                "link",
                "Each link",
                "zhyperlink_link_busy_pct(log_ios_per_second, response, zhyperlink_links)",
                "percent",
            ),
            Step("links_needed", "Links that stay below 25 percent", "ceil(all_links / 25)", "links"),
            Step(
                "processors",
                "Processors that spin on log writes",
                "log_ios_per_second * zhyperlink_cpu_us(1000 * response) / 1000000",
                "processors",
            ),
            Step("cost", "Cost of all work, in times of now", "zhyperlink_cost_factor(persistent_share)", "times"),
            Step(
                "async_1kb",
                "Log rate of 1 KB messages without it, in the source's test",
                "asynchronous_log_1kb_mb_per_second(zhyperlink_configuration)",
                "MB/s",
            ),
            Step("sync_1kb", "and with it", "zhyperlink_log_1kb_mb_per_second(zhyperlink_configuration)", "MB/s"),
            Step(
                "async_peak",
                "Peak log rate without it",
                "asynchronous_log_peak_mb_per_second(zhyperlink_configuration)",
                "MB/s",
            ),
            Step("sync_peak", "and with it", "zhyperlink_log_peak_mb_per_second(zhyperlink_configuration)", "MB/s"),
            Step(
                "here", "Log rate to hope for here", "zhyperlink_log_mb_per_second_max(log_mb_per_second_max)", "MB/s"
            ),
        ),
        answer="link",
        words=(
            "Each of {zhyperlink_links} is {link} busy; {links_needed} stay below 25 percent. {sessions} are"
            " taken on the"
            " control unit, and writing keeps {processors} busy.",
            "Your log may reach {here}.",
        ),
        margin=Margin(
            "No link over 25 percent busy, and at most 64 sessions on a control unit.",
            "R-ZHL-1, R-ZHL-2",
            "L6268, L6354",
        ),
        watch=(
            Watch("More than 64 sessions: some writes are asynchronous.", "R-ZHL-1 L6268", "sessions > 64"),
            Watch("Links are over 25 percent busy: add some.", "R-ZHL-2 L6354", "link > 25"),
            Watch(
                "Stripes may slow zHyperLink down, above all with dual logs.", "R-ZHL-8 L6498, L6675", "log_stripes > 1"
            ),
            Watch(
                "Check that there are processors for it, and measure: it is not always good.", "R-ZHL-10 L6671-L6677"
            ),
        ),
        example="--log-ios-per-second 13567.3 --zhyperlink-response-ms 0.115 --zhyperlink-links 8",
    ),
)
