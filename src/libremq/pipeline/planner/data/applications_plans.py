"""Plans for applications: units of work, response time, gets, IMS bridge, another machine."""

from __future__ import annotations

from libremq.pipeline.planner.plan import Margin, Plan, Step, Watch
from libremq.pipeline.planner.plan_inputs import assume, may, need

PLANS = (
    Plan(
        name="uow",
        title="Units of work: messages to a commit, what commits log and cost",
        inputs=(
            need("message_bytes"),
            assume("messages_per_commit", 100),
            assume("messages_in_all", 10_000),
            assume("log_mb_per_second_max", 100),
        ),
        steps=(
            Step(
                "logged_puts",
                "Log data of one commit of puts",
                "messages_per_commit * put_share_log_bytes(message_bytes)",
                "bytes",
            ),
            Step(
                "logged_gets",
                "Log data of one commit of gets, which come later and commit by themselves",
                "messages_per_commit * get_share_log_bytes(message_bytes)",
                "bytes",
            ),
            Step(
                "logged",
                "Log data of both together, or of a commit of as many messages put and got in it",
                "unit_of_work_log_bytes(message_bytes, messages_per_commit)",
                "bytes",
            ),
            Step(
                "put_each",
                "Log data of a put, one to a commit",
                "local_put_committed_log_bytes(message_bytes, 1)",
                "bytes",
            ),
            Step(
                "put_shared",
                "Log data of a put, as committed here",
                "local_put_committed_log_bytes(message_bytes, messages_per_commit)",
                "bytes",
            ),
            Step("cpu", "Processor time of all commits", "commits_cpu_us(messages_in_all, messages_per_commit)", "us"),
            Step(
                "elapsed",
                "Time of all commits, without the log",
                "commits_elapsed_us(messages_in_all, messages_per_commit)",
                "us",
            ),
            Step("cpu_singly", "Processor time with one to a commit", "commits_cpu_us(messages_in_all, 1)", "us"),
            Step(
                "write_ms",
                "Time to write the data of one commit of puts at full speed",
                "1000 * logged_puts / (1048576 * log_mb_per_second_max)",
                "ms",
            ),
            Step(
                "scan_us",
                "What a get costs that finds them all uncommitted",
                "stepping_over_uncommitted_us(messages_per_commit)",
                "us",
            ),
        ),
        answer="logged_puts",
        words=(
            "A commit of puts moves {logged_puts} to the log and one of as many gets {logged_gets}; all commits of"
            " {messages_in_all} take {cpu} of processor time, against {cpu_singly} one by one.",
        ),
        margin=Margin(
            "Usually no more than 200 messages to a commit; past 100 puts they get dearer.",
            "R-UOW-1, R-UOW-01",
            "L7142-L7143, L1863",
        ),
        watch=(
            Watch("More than 200 messages to a commit.", "R-UOW-1 L7142", "messages_per_commit > 200"),
            Watch(
                "More than 1000 messages to a commit harm indexed queues with a common key.",
                "R-UOW-2 L7126",
                "messages_per_commit > 1000",
            ),
            Watch(
                "MAXUMSGS ends a unit of work at 10,000 messages unless raised.",
                "R-UOW-3 L7118",
                "messages_per_commit > 10000",
            ),
            Watch(
                "Small messages, above all over channels, are best combined to about 30 KB.",
                "R-APP-1 L7144",
                "message_bytes < 5000",
            ),
        ),
        example="--message-bytes 1000 --messages-per-commit 50",
    ),
    Plan(
        name="response",
        title="Request and reply: response time, and the most that servers do",
        inputs=(
            need("get_us"),
            need("put_us"),
            need("commit_us"),
            assume("server_us", 0),
            assume("requests_per_second", 0),
            assume("instances", 1),
            assume("one_phase_commits", 2),
            assume("two_phase_commits", 1),
            assume("persistent_calls_outside", 0),
            may("log_write_us"),
            assume("channel_hops", 0),
            assume("network_round_trip_ms", 0),
            may("request_bytes"),
            may("reply_bytes"),
        ),
        steps=(
            Step(
                "one_server",
                "Most that one server does, without its own logic",
                "server_transactions_per_second_max(get_us, put_us, commit_us)",
                "transactions/s",
            ),
            Step("service_us", "Time of a request in the server", "get_us + put_us + commit_us + server_us", "us"),
            Step("bound", "Most that all servers do", "instances * 1000000 / service_us", "transactions/s"),
            Step("reached", "How near the load is to it", "server_reached_pct(requests_per_second, bound)", "percent"),
            Step(
                "servers",
                "Servers that the load needs at least",
                "ceil(requests_per_second * service_us / 1000000)",
                "instances",
            ),
            Step(
                "forces",
                "Waits for the log, request and reply",
                "log_forces(one_phase_commits, two_phase_commits, persistent_calls_outside)",
                "log forces",
            ),
            Step("log_us", "Time of these waits", "forces * log_write_us", "us"),
            Step(
                "log_bound",
                "Most that the log's time allows",
                "log_bound_transactions_per_second(forces, log_write_us / 1000000, instances)",
                "transactions/s",
                "nothing waits for the log",
            ),
            Step("network_us", "Time on the network", "1000 * network_round_trip_ms * channel_hops / 2", "us"),
            Step("response_us", "Response time without queueing", "service_us + network_us + either(log_us, 0)", "us"),
            Step(
                "log_bytes",
                "Log data of a persistent request and reply",
                "request_reply_log_bytes(request_bytes, reply_bytes)",
                "bytes",
            ),
            Step("log_rate", "Log rate of the load", "log_mb_per_second(log_bytes, requests_per_second)", "MB/s"),
        ),
        answer="bound",
        words=(
            "The servers ({instances}) do {bound} at most; a request takes {response_us} without queueing.",
            "The load needs {servers} at least.",
            "Of it {log_us} are waits for the log, {forces}.",
        ),
        margin=Margin(
            "A single server reached 98 percent of its bound in the test; queueing comes long before: a load near"
            " the bound waits.",
            "R-TP-1",
            "L7853-L7857",
        ),
        watch=(
            Watch("The load is {reached} of what the servers can do: add some.", "R-TP-1 L7853-L7857", "reached > 80"),
            Watch("Strict order allows one server only.", "R-LF-04 L2137-L2138", "instances == 1"),
            Watch(
                "If commits in --commit-us wait for the log, leave --log-write-us away: they would count twice.",
                "R-LF-01 L2127",
                "known(log_us)",
            ),
        ),
        example="--get-us 425 --put-us 10 --commit-us 7 --requests-per-second 1500",
    ),
    Plan(
        name="get",
        title="Gets: selectors, waiting getters, conversion",
        inputs=(
            assume("skipped_messages", 0),
            assume("waiters", 0),
            assume("double_byte", False),
            assume("gets_per_second", 0),
        ),
        steps=(
            Step("get", "A get that passes over so many messages", "selecting_get_us(skipped_messages)", "us"),
            Step(
                "with_waiters", "With so many waiting for the same message", "get_us_with_waiters(get, waiters)", "us"
            ),
            Step("converted", "The same with conversion", "converting_get_us(get, double_byte)", "us"),
            Step("one_thread", "Gets that one thread does", "gets_per_second_max(get)", "gets/s"),
            Step("processors", "Processors of the load", "gets_per_second * with_waiters / 1000000", "processors"),
        ),
        answer="get",
        words=("A get takes {get}; one thread does {one_thread}. With the waiters it takes {with_waiters}.",),
        watch=(
            Watch(
                "Many messages are passed over: separate queues, an index, or the property in the correlation id.",
                "R-SEL-1, R-SEL-6 L7529-L7533, L7632",
                "skipped_messages > 10",
            ),
            Watch(
                "The cost of a message passed over is from one example; another gives twice as much.",
                "R-SEL-1 L7584-L7586",
                "skipped_messages > 0",
            ),
        ),
        example="--skipped-messages 2500",
    ),
    Plan(
        name="ims",
        title="IMS bridge: cost of a transaction, use of the regions, commit mode 1",
        inputs=(
            need("busy_pct"),
            need("processors"),
            need("transactions_per_second"),
            may("wait_for_input_us"),
            may("trace_seconds"),
            may("ims_checkpoints"),
        ),
        steps=(
            Step(
                "cost",
                "Cost of a transaction",
                "ims_transaction_us(busy_pct, processors, transactions_per_second)",
                "us",
                "there are no transactions",
            ),
            Step("commit_mode_1", "The same in commit mode 1, if this is mode 0", "commit_mode_1_us(cost)", "us"),
            Step(
                "occupied", "How busy the region is", "region_occupied_pct(wait_for_input_us, trace_seconds)", "percent"
            ),
            Step(
                "checkpoint",
                "Time between IMS checkpoints",
                "ims_checkpoint_seconds(trace_seconds, ims_checkpoints)",
                "seconds",
                "there was no checkpoint",
            ),
        ),
        answer="cost",
        words=(
            "A transaction costs {cost}; commit mode 1 makes it {commit_mode_1}.",
            "The region is {occupied} busy.",
        ),
        watch=(
            Watch("The region has little to spare: add one.", "R-IMS-1 L8459, L8579", "occupied > 95"),
            Watch(
                "IMS checkpoints come too often, 10 to 20 minutes is right: raise CPLOG.",
                "R-IMS-6 L8219, L8458",
                "checkpoint < 600",
            ),
            Watch(
                "Regions idle and a processor free, but requests wait: add a bridge queue.",
                "R-IMS-3 L8587, L8645-L8655",
                "occupied < 70 and busy_pct < 90",
            ),
        ),
        example="--busy-pct 82.5 --processors 3 --transactions-per-second 2700",
    ),
    Plan(
        name="hardware",
        title="Another machine: what work costs there, by LSPR",
        inputs=(
            need("measured_us"),
            need("measured_itr"),
            need("measured_processors"),
            need("target_itr"),
            need("target_processors"),
            may("transactions_per_second"),
        ),
        steps=(
            Step(
                "measured_each",
                "One processor of the machine measured",
                "itr_per_processor(measured_itr, measured_processors)",
                "ratio",
            ),
            Step(
                "target_each", "One processor of the other", "itr_per_processor(target_itr, target_processors)", "ratio"
            ),
            Step(
                "cost",
                "Cost on the other machine",
                "cost_us_on_target(measured_us, measured_itr, measured_processors, target_itr, target_processors)",
                "us",
            ),
            Step("change", "Change", "change_pct(measured_us, cost)", "percent"),
            Step(
                "busy",
                "Share of the other machine",
                "cpu_busy_pct(transactions_per_second * cost / 1000, target_processors)",
                "percent",
            ),
        ),
        answer="cost",
        words=("The work costs {cost} there instead of {measured_us}.", "It keeps the machine {busy} busy."),
        watch=(
            Watch(
                "Take the column AVERAGE of LSPR, of the number of processors that the LPAR has.", "R-HW-1 L8705-L8718"
            ),
            Watch(
                "Costs carry over, throughput does not: pools, log and network have bounds of their own.",
                "R-HW-3 L8725-L8731",
            ),
            Watch(
                "More than six processors may span chips of a z16, which costs more.",
                "R-TP-3 L7802",
                "target_processors > 6",
            ),
        ),
        example="--measured-us 55 --measured-itr 21.91 --measured-processors 8 --target-itr 24.97"
        " --target-processors 8",
    ),
)
