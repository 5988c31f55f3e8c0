"""Messages of message channels, among AMQ9nnn: agents, batches, the channel initiator.

A row: severity, text with {0}, {1}, ... for the inserts, what it means, what to do. `amq_messages` reads it. The first
insert is the name of the channel unless the text says otherwise.
"""

from __future__ import annotations

_NOTHING = "None is needed."
_DEFINITIONS = "Compare the definitions of the channel at both ends."
_OTHER_END = "Look at the error log of the other end."
_RETRIED = "The channel tries again, as SHORTRTY and LONGRTY of its definition say."

MESSAGE_CHANNEL_ROWS: dict[int, tuple[str, str, str, str]] = {
    9003: (
        "I", "Channel '{0}' goes on with sequence number {1}.", "The two ends have agreed where they left off.",
        _NOTHING,
    ),
    9007: (
        "E", "Channel '{0}' with {1} ended: {2}.", "The channel cannot go on; the message says why.",
        "Remove the cause. " + _RETRIED,
    ),
    9207: (
        "E", "What came from {0} on channel '{1}' cannot be understood: {2}.",
        "The other end broke the rules of the protocol, or is no queue manager. The connection is ended.", _OTHER_END,
    ),
    9501: (
        "E", "Channel '{0}': {1}.", "The channel cannot do what it should; the message says why.",
        "Remove the cause. " + _RETRIED,
    ),
    9502: (
        "E", "Channel '{0}' does not have a suitable type: {1}.", "The action needs a channel of another type.",
        "Name another channel, or define it with another CHLTYPE.",
    ),
    9504: (
        "E", "A protocol error was detected on channel '{0}' with {1}: {2}.",
        "The other end sent what does not belong there. The channel ends; nothing of the batch is taken.", _OTHER_END,
    ),
    9505: (
        "E", "Sequence numbers of channel '{0}' wrap at {1} here and at {2} at the other end.",
        "SEQWRAP must be the same at both ends.", "Correct one of the definitions.",
    ),
    9506: (
        "E", "Batch {1} of channel '{0}' was not confirmed: {2}.",
        "The other end could not say that it has the batch. The batch stays in doubt until the two ends meet again.",
        "Look at the error log of the other end. " + _RETRIED,
    ),
    9507: (
        "E", "Channel '{0}' is in doubt: {1}.",
        "The batch was sent, and it is not known whether the other end has it.",
        "Let the channel run against the same queue manager again: it settles this itself. If that cannot be, compare "
        "DISPLAY CHSTATUS SAVED at both ends and use RESOLVE CHANNEL.",
    ),
    9512: (
        "E", "PING CHANNEL cannot be used for channel '{0}': {1}.",
        "Only a channel that calls the other end can be pinged, while it does not run.", "Ping another channel.",
    ),
    9515: (
        "W", "Channel '{0}' was changed.", "The definition was changed while the channel was in use.",
        "The changes take effect when the channel is started the next time.",
    ),
    9516: (
        "E", "The state of channel '{0}' could not be kept: {1}.", "The queue manager could not write it to its log.",
        "Look at the messages before this one, and at the space of the log.",
    ),
    9517: (
        "E", "What is kept of channel '{0}' does not fit: {1}.", "The sync record and a batch in doubt disagree.",
        "Compare DISPLAY CHSTATUS SAVED at both ends; then RESOLVE CHANNEL, or RESET CHANNEL.",
    ),
    9520: (
        "E", "Channel '{0}' is not defined at the other end, {1}.", "The other end does not know the channel.",
        "Define it there with the same name, and a type that fits.",
    ),
    9521: (
        "E", "Channel '{0}' does not work with the other end, {1}: {2}.",
        "The other end cannot be the partner of this channel.", _DEFINITIONS,
    ),
    9523: (
        "E", "The other end, {1}, detected a protocol error on channel '{0}'.", "It did not take what was sent to it.",
        _OTHER_END,
    ),
    9525: (
        "E", "The remote queue manager of channel '{0}', {1}, is ending.", "The channel ends with it.",
        "Start the other queue manager. " + _RETRIED,
    ),
    9527: (
        "E", "A message of channel '{0}' cannot be sent: {1}.",
        "The message does not fit the channel, and could not be put to the dead-letter queue instead.",
        "Raise MAXMSGL at both ends, make a dead-letter queue known, or remove the message from the transmission "
        "queue.",
    ),
    9528: (
        "I", "Channel '{0}' was stopped on request: {1}.", "STOP CHANNEL was given, here or at the other end.",
        "START CHANNEL lets it run again.",
    ),
    9529: (
        "E", "The target queue of a message of channel '{0}' is not known to {1}.",
        "The message could not be delivered, and could not be put to the dead-letter queue.",
        "Define the queue at the other end, or make a dead-letter queue known to it.",
    ),
    9535: (
        "E", "Exit '{1}' of channel '{0}' is not valid: {2}.", "It could not be loaded, or is no callable.",
        "Correct the definition of the channel, or the exit.",
    ),
    9538: (
        "E", "Channel '{0}' cannot commit or back out a batch: {1}.", "The queue manager refused the unit of work.",
        "mqrc explains the reason; then START CHANNEL.",
    ),
    9540: (
        "E", "A batch of channel '{0}' was backed out: {1}.",
        "The queue manager could not commit it. The messages are sent again.", "mqrc explains the reason.",
    ),
    9541: (
        "E", "A message of channel '{0}' cannot be converted: {1}.",
        "CONVERT(YES) was asked for, and the data do not allow it. The message is sent as it is, or goes to the "
        "dead-letter queue.",
        "Correct the format and the CCSID that the application gives.",
    ),
    9542: (
        "I", "Queue manager '{1}' is ending; channel '{0}' ends.", "A channel ends with its queue manager.",
        "Start the queue manager again.",
    ),
    9544: (
        "W", "Messages of channel '{0}' were not put to their queues: {1} went to the dead-letter queue {2}, {3} were "
        "discarded.",
        "Their queues were full, inhibited or not known, or the channel may not put there.",
        "Each message on the dead-letter queue has a header with the reason; runmqdlq deals with them.",
    ),
    9546: (
        "E", "The other end of channel '{0}', {1}, ended it: {2}.", "It sent a status that is an error.", _OTHER_END,
    ),
    9547: (
        "E", "The channel '{0}' at {1} has a type that does not suit: {2}.",
        "A sender needs a receiver or a requester at the other end, a server the same, a requester a server or sender.",
        _DEFINITIONS,
    ),
    9549: (
        "W", "Gets are inhibited on transmission queue {1} of channel '{0}'.", "The channel cannot get its messages.",
        "ALTER QLOCAL GET(ENABLED). " + _RETRIED,
    ),
    9552: (
        "E", "A security flow was not received on channel '{0}' from {1}.",
        "A security exit runs at this end and expected one of the other end.",
        "Give both ends exits that belong together, or none.",
    ),
    9565: (
        "E", "A message of channel '{0}' cannot be delivered, and {1}: {2}.",
        "The message could not be put, for the reason at the end, nor laid aside. A message that must not be lost ends "
        "the channel.",
        "Remove what prevents the delivery, or let the message go to a dead-letter queue: ALTER QMGR DEADQ, and "
        "USEDLQ(YES) of the channel.",
    ),
    9566: (
        "E", "The dead-letter queue {1} does not take a message of channel '{0}': {2}. The message could not be "
        "delivered: {3}.",
        "A message could not be delivered, and the dead-letter queue does not take it. The channel ends.",
        "Remove the cause at the dead-letter queue (room, PUT(ENABLED), MAXMSGL, a local queue), or what prevents the "
        "delivery. The sending end tries again.",
    ),
    9569: (
        "W", "Channel '{0}' from {1} is taken over by a new connection.",
        "AdoptNewMCA allows it: the partner called again while its last connection was still thought to be there.",
        _NOTHING,
    ),
    9571: (
        "E", "Channel '{0}' from {1} could not be taken over: {2}.",
        "The instance that runs did not end in time, or comes from elsewhere.",
        "STOP CHANNEL MODE(FORCE), or look at AdoptNewMCA and AdoptNewMCACheck in qm.ini.",
    ),
    9572: (
        "E", "A message of channel '{0}' has a header that is not valid: {1}.",
        "What lies on a transmission queue must begin with a transmission queue header.",
        "Find out who put it there. It goes to the dead-letter queue if there is one.",
    ),
    9573: (
        "E", "Channel '{0}' is not started: {1} channels are active, which is the maximum.",
        "MaxActiveChannels in qm.ini says how many may be.", "End other channels, or raise MaxActiveChannels.",
    ),
    9574: (
        "I", "Channel '{0}' can be started now.", "A channel that waited for another one to end goes on.", _NOTHING,
    ),
    9575: (
        "E", "The user of channel '{0}' is not known: {1}.", "MCAUSER or the user that was mapped cannot be used.",
        "Correct MCAUSER of the channel, or the channel authentication record.",
    ),
    9578: (
        "E", "Exit '{1}' of channel '{0}' gave a response that is not valid: {2}.",
        "A channel exit must answer in one of the ways that are known. The channel ends.",
        "Ask those who wrote the exit.",
    ),
    9588: (
        "E", "Exit '{1}' of channel '{0}' failed: {2}.", "It raised an exception. The channel ends.",
        "Ask those who wrote the exit.",
    ),
    9589: (
        "W", "A message for {0}, {1}, was refused: it came over a channel that proves nobody, and says that user '{2}' "
        "put it.",
        "The receiving channel has no MCAUSER, no CHLAUTH rule maps it to a user, and its partner has shown no "
        "certificate. So anybody who reaches the port may have sent the message, and nothing is done for the user in "
        "it. It goes to the dead-letter queue.",
        "If this partner is to send commands or triggers: let it show a certificate (SSLCIPH and SSLCAUTH of the "
        "channel), or say as whom it acts, with MCAUSER or SET CHLAUTH, and give that user the authority.",
    ),
    9602: (
        "E", "The channel initiator cannot read its queue {0}: {1}.",
        "Channels are not started by triggers until it can.", "Correct the queue; then START CHINIT.",
    ),
    9603: (
        "W", "A trigger message on {0} names no channel that can be started: {1}.", "The trigger is dropped.",
        "TRIGDATA of the transmission queue should be empty, or name the channel; XMITQ of a channel the queue.",
    ),
    9604: (
        "E", "Channel '{0}' terminated unexpectedly: {1}.", "An error that should not be ended the channel.",
        "Report it with the error log. " + _RETRIED,
    ),
    9605: (
        "I", "Channel '{0}' is tried again in {1} seconds; {2} attempts are left.",
        "It ended for a reason that may go away by itself.", _NOTHING,
    ),
    9606: (
        "W", "Channel '{0}' is not tried again: its retries are used up.",
        "SHORTRTY and LONGRTY of the definition were tried. The channel is stopped.",
        "Remove the cause; then START CHANNEL.",
    ),
}  # fmt: skip
