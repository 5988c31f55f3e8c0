"""Plans for the channel initiator: storage, tasks, starting channels, clients."""

from __future__ import annotations

from libremq.pipeline.planner.plan import Margin, Plan, Step, Watch
from libremq.pipeline.planner.plan_inputs import PERSISTENT_BYTES, assume, may, need

PLANS = (
    Plan(
        name="chinit",
        title="Channel initiator: storage for its channels, and how many fit",
        inputs=(
            assume("mca_channels", 0),
            assume("client_channels", 0),
            assume("message_bytes", 1024),
            may("client_message_bytes"),
            assume("sharecnv", 10),
            may("conversations"),
            assume("tls_channels", 0),
            assume("vrm", 940),
            assume("chiadaps", 30),
            assume("chidisps", 20),
            assume("ssltasks", 0),
            assume("chinit_region_mb", 1500),
            may("chinit_used_mb"),
            assume("maxchl", 9999),
        ),
        steps=(
            Step("tasks", "Adapters, dispatchers, SSL tasks", "chinit_task_kb(chiadaps, chidisps, ssltasks)", "KB"),
            Step("mca_each", "A message channel", "mca_channel_kb(message_bytes / 1024)", "KB"),
            Step("mca", "All message channels", "mca_channels_kb(mca_channels, message_bytes / 1024)", "KB"),
            Step("client_bytes", "Message of the clients", "either(client_message_bytes, message_bytes)", "bytes"),
            Step(
                "client_each",
                "A client channel, below the bar",
                "svrconn_channel_kb(client_bytes / 1024, sharecnv, vrm)",
                "KB",
            ),
            Step("client", "All client channels", "client_channels * client_each", "KB"),
            Step("tls", "TLS on top", "tls_channels_extra_kb(tls_channels)", "KB"),
            Step("total", "All of it, with 100 MB for the rest", "(tasks + mca + client + tls) / 1024 + 100", "MB"),
            Step("guide", "What should be used at most", "chinit_storage_guide_mb(chinit_region_mb, 0)", "MB"),
            Step("used", "Share of the storage", "chinit_storage_used_pct(total, chinit_region_mb - total)", "percent"),
            Step(
                "used_now",
                "Share of the storage in use now",
                "chinit_storage_used_pct(chinit_used_mb, chinit_region_mb - chinit_used_mb)",
                "percent",
            ),
            Step(
                "mca_max",
                "Message channels of this size that fit the guide, alone",
                "channels_within_guide(chinit_region_mb, mca_each, 0.8, 100 + tasks / 1024, maxchl)",
                "channels",
            ),
            Step(
                "client_max",
                "Client channels of this size that fit the guide, alone",
                "channels_within_guide(chinit_region_mb, client_each, 0.8, 100 + tasks / 1024, maxchl)",
                "channels",
            ),
            Step(
                "above_bar",
                "Client buffers above the bar (9.4)",
                "client_channels * svrconn_above_bar_kb(client_bytes, sharecnv, either(conversations,"
                " sharecnv, 1)) / 1024",
                "MB",
            ),
            Step("memlimit", "MEMLIMIT at least", "max(2048, memlimit_mb_min(above_bar))", "MB"),
        ),
        answer="total",
        words=(
            "The channels take {total} of {chinit_region_mb}, {used}; up to {guide} is right.",
            "Alone, {mca_max} (message channels) or {client_max} (clients) would fit; MEMLIMIT is to be"
            " {memlimit} or more.",
            "Now {used_now} is in use.",
        ),
        margin=Margin(
            "At most 80 percent of the storage, below and above the bar.", "R-40, R-49", "L3680, L3798-L3827"
        ),
        watch=(
            Watch(
                "More than the guide of 80 percent: split the channels over queue managers, or lower SHARECNV.",
                "R-40 L3822-L3827",
                "total > guide",
            ),
            Watch("In practice about 9000 channels is the end.", "R-50 L3705", "mca_channels + client_channels > 9000"),
            Watch(
                "After large messages up to five free buffers of that size stay.",
                "R-52 L3888-L3902",
                "message_bytes > 1048576 or client_bytes > 1048576",
            ),
            Watch("Never MEMLIMIT NOLIMIT in production.", "R-49 L3798"),
        ),
        example="--mca-channels 1000 --client-channels 2000 --message-bytes 32k --sharecnv 10",
    ),
    Plan(
        name="adapters",
        title="CHIADAPS: adapter tasks of the channel initiator",
        inputs=(need("processors"), may("adapter_busy_pct"), assume("chidisps", 20), assume("ssltasks", 0)),
        steps=(
            Step("adapters", "Adapters for a heavy persistent load", "adapters_recommended(processors)", "adapters"),
            Step("storage", "Storage of all tasks", "chinit_task_kb(adapters, chidisps, ssltasks)", "KB"),
        ),
        answer="adapters",
        words=("Set CHIADAPS to {adapters}.", "The busiest adapter is {adapter_busy_pct} busy now."),
        margin=Margin("More adapters than needed do no harm; 120 is the most that helps.", "R-55", "L3938, L4370"),
        watch=(Watch("If even the last adapter has work, requests may queue: add adapters.", "R-56 L3942-L3958"),),
        example="--processors 8",
    ),
    Plan(
        name="dispatchers",
        title="CHIDISPS: dispatcher tasks, how channels spread over them, OMVS threads",
        inputs=(
            need("channels"),
            assume("chidisps", 5),
            assume("maxchl", 9999),
            assume("ssltasks", 0),
            assume("channel_initiators", 1),
            may("dispatcher_busy_pct"),
        ),
        steps=(
            Step("dispatchers", "Dispatchers", "dispatchers_recommended(channels, chidisps)", "dispatchers"),
            Step(
                "chunk",
                "Channels that start on one before the next",
                "dispatcher_chunk(maxchl, dispatchers)",
                "channels",
            ),
            Step(
                "in_use",
                "Dispatchers that have a channel",
                "dispatchers_in_use(channels, maxchl, dispatchers)",
                "dispatchers",
            ),
            Step(
                "first", "Channels on the first", "channels_on_dispatcher(0, channels, maxchl, dispatchers)", "channels"
            ),
            Step(
                "last",
                "Channels on the last",
                "channels_on_dispatcher(dispatchers - 1, channels, maxchl, dispatchers)",
                "channels",
            ),
            Step(
                "threads",
                "OMVS threads of all channel initiators",
                "omvs_threads(dispatchers, ssltasks, channel_initiators)",
                "threads",
            ),
            Step(
                "more",
                "MAXPROCSYS and MAXPROCUSER go up by",
                "maxproc_increase(max(0, dispatchers - chidisps), channel_initiators)",
                "processes",
            ),
        ),
        answer="dispatchers",
        words=(
            "Set CHIDISPS to {dispatchers}: {in_use} have channels, {first} on the first and {last} on the last.",
            "The busiest dispatcher is {dispatcher_busy_pct} busy now.",
        ),
        margin=Margin("As few as possible without one being busy all the time; 20 do no harm.", "R-60", "L3972"),
        watch=(
            Watch(
                "Some dispatchers have no channel: MAXCHL is too large for CHIDISPS.",
                "R-59 L3966-L3970",
                "in_use < dispatchers",
            ),
            Watch("Raise MAXPROCSYS and MAXPROCUSER by {more} first.", "R-61 L4029", "more > 0"),
        ),
        example="--channels 1500 --chidisps 5",
    ),
    Plan(
        name="ssltasks",
        title="SSLTASKS: tasks for TLS",
        inputs=(
            need("processors"),
            assume("chidisps", 20),
            assume("chiadaps", 30),
            assume("channel_initiators", 1),
            may("ssl_task_busy_pct"),
        ),
        steps=(
            Step("tasks", "SSL tasks", "ssltasks_recommended(chidisps, processors)", "SSL tasks"),
            Step("storage", "Storage of all tasks", "chinit_task_kb(chiadaps, chidisps, tasks)", "KB"),
            Step("threads", "OMVS threads", "omvs_threads(chidisps, tasks, channel_initiators)", "threads"),
        ),
        answer="tasks",
        words=(
            "Set SSLTASKS to {tasks}; with them all tasks take {storage} and {threads}.",
            "The busiest SSL task is {ssl_task_busy_pct} busy now.",
        ),
        margin=Margin("One more than dispatchers, and more than processors.", "R-62", "L4569-L4575"),
        watch=(
            Watch(
                "A task is over 90 percent busy: restart its slow channels, so that they bind to others.",
                "R-63 L4595",
                "ssl_task_busy_pct > 90",
            ),
        ),
        example="--processors 4 --chidisps 5",
    ),
    Plan(
        name="chstart",
        title="Starting all channels after the channel initiator failed: how long",
        inputs=(
            need("channels"),
            may("channels_in_syncq"),
            assume("channel_security", "none"),
        ),
        steps=(
            Step(
                "known_channels",
                "Channels in the synchronisation queue",
                "either(channels_in_syncq, channels)",
                "channels",
            ),
            Step("plain", "Starts a second without security", "channel_starts_per_second(known_channels)", "starts/s"),
            Step(
                "rate",
                "Starts a second",
                "sslciph_starts_per_second(plain) if channel_security == 'sslciph'"
                " else (at_tls_starts_per_second_min(plain) if channel_security == 'at-tls' else plain)",
                "starts/s",
            ),
            Step("seconds", "Until all are back", "channels_start_seconds(channels, rate)", "seconds"),
            Step(
                "start_cpu",
                "Processor time of all starts, without security",
                "channels * channel_start_cpu_ms(known_channels) / 1000",
                "CPU seconds",
            ),
            Step(
                "stop_cpu",
                "Processor time of all stops in the channel initiator",
                "channels * channel_stop_chinit_us(channel_security) / 1000000",
                "CPU seconds",
            ),
        ),
        answer="seconds",
        words=("All {channels} are back after {seconds}, at {rate}.",),
        watch=(
            Watch(
                "Measured on one machine, for the sender's side only; with a known cipher use libremq plan tls.",
                "T-13 L4313-L4321",
            ),
            Watch(
                "Channels that are long gone make every start slower: delete them from the synchronisation queue.",
                "R-86 L4313-L4321",
                "known_channels > 2 * channels",
            ),
        ),
        example="--channels 4000 --channel-security sslciph",
    ),
    Plan(
        name="client",
        title="Clients: two tiers or three, by storage and cost",
        inputs=(
            need("clients"),
            assume("messages_per_connect", 1),
            assume("messages_per_second", 1),
            assume("middle_queue_managers", 1),
            may("channel_messages_per_second_max"),
            may("message_bytes", **PERSISTENT_BYTES),
        ),
        steps=(
            Step("direct_mb", "Storage with a channel for each client", "client_channels_mb(clients)", "MB"),
            Step(
                "middle_mb",
                "Storage with queue managers in between",
                "concentrator_channels_mb(middle_queue_managers)",
                "MB",
            ),
            Step(
                "us_each",
                "Cost of a message got and put by a client",
                "client_us_per_message(messages_per_connect)",
                "us",
            ),
            Step("processors", "Processors of all of them", "messages_per_second * us_each / 1000000", "processors"),
            Step(
                "channels",
                "Message channels that would carry it",
                "mca_channels_needed(messages_per_second, channel_messages_per_second_max)",
                "channels",
            ),
            Step("logged", "Log data of a message in two tiers", "put_get_log_bytes(message_bytes)", "bytes"),
            Step("logged_twice", "Log data of a message in three tiers", "three_tier_log_bytes(logged)", "bytes"),
        ),
        answer="us_each",
        words=(
            "A message costs {us_each} with {messages_per_connect} to a connection, {processors} at this"
            " rate; channels take"
            " {direct_mb} with a client each, {middle_mb} by way of {middle_queue_managers}.",
        ),
        watch=(
            Watch(
                "Connections for few messages: a middle tier, or clients that stay connected.",
                "R-TIER-1 L8056-L8069",
                "messages_per_connect < 10",
            ),
            Watch("MAXCHL ends at 9,999 channels.", "R-TIER-3 L8097", "clients > 9999"),
        ),
        example="--clients 5000 --messages-per-connect 1 --messages-per-second 500",
    ),
)
