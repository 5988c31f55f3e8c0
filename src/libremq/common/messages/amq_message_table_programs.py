"""Messages of the trigger monitor, the dead-letter queue handler (AMQ86nn, AMQ87nn), dspmqrte, dspmqtrn and rsvmqtrn.

A row: severity, text with {0}, {1}, ... for the inserts, what it means, what to do. `amq_messages` reads it.
"""

from __future__ import annotations

_NOTHING = "None is needed."
_RULE = "Correct the rules table and start the dead-letter queue handler again. Nothing was done to any message."

PROGRAM_ROWS: dict[int, tuple[str, str, str, str]] = {
    7056: (
        "I", "Transaction number {0} is in-doubt.",
        "It is prepared, and its transaction manager has not decided yet. Its messages are locked meanwhile.",
        "Let the transaction manager decide. If it never will, rsvmqtrn commits or backs out.",
    ),
    7057: (
        "I", "Transaction number {0} {1}.", "An administrator has decided a unit of work that was in doubt.",
        "Tell the transaction manager's administrator: the other participants must be decided the same way.",
    ),
    7058: (
        "I", "Transaction number {0} was {1} by an administrator.",
        "Its transaction manager has not heard of that yet: it is told when it comes with a decision of its own.",
        "Once the other participants are decided the same way, rsvmqtrn -f forgets the transaction.",
    ),
    7110: ("E", "There are no matching transactions: {0}.", "Nothing is in doubt that was asked for.", _NOTHING),
    7111: (
        "E", "Transaction number {0} is not known.", "It was decided meanwhile, or has another number.",
        "dspmqtrn shows the numbers of those that are in doubt.",
    ),
    8601: (
        "I", "LibreMQ trigger monitor started: it reads '{0}' of queue manager '{1}'.",
        "Programs are started from now on for the trigger messages that come to this queue.", _NOTHING,
    ),
    8602: ("I", "LibreMQ trigger monitor ended.", "It was told to end, or its queue manager ends.", _NOTHING),
    8607: (
        "E", "The trigger monitor could not connect to queue manager '{0}': {1}",
        "Without a connection there are no trigger messages to read.",
        "Start the queue manager with strmqm, or correct its name.",
    ),
    8608: (
        "E", "The trigger monitor lost its queue manager '{0}': {1}",
        "The connection broke, or the queue manager ended at once.",
        "Start the queue manager, then the trigger monitor again.",
    ),
    8611: (
        "E", "The trigger monitor cannot read the initiation queue '{0}': {1}",
        "The queue does not exist, is of a wrong type, or another program has it for itself.",
        "Name a local queue that the trigger monitor may open for input.",
    ),
    8612: ("I", "Waiting for a trigger message.", "The initiation queue is empty.", _NOTHING),
    8615: (
        "E", "The trigger monitor could not get a message from '{0}': {1}",
        "The call failed for the reason that is shown.", "Correct that, then start the trigger monitor again.",
    ),
    8616: (
        "I", "The triggered program '{0}' ended with exit code {1}.",
        "The trigger monitor goes on to the next trigger message.",
        "If the exit code says that it failed, look into what the program wrote.",
    ),
    8617: (
        "W", "Not a valid trigger message: {0}.",
        "Only messages that a queue manager made for a triggered queue start programs. This one went to the "
        "dead-letter queue.",
        "Find out who put it on the initiation queue.",
    ),
    8618: (
        "E", "The triggered program could not be started: {0}.",
        "The trigger message went to the dead-letter queue; the trigger monitor goes on.",
        "Correct APPLICID of the PROCESS, or install the program; then a new message triggers again.",
    ),
    8619: (
        "E", "The application type is not supported here: {0}.",
        "The trigger monitor starts programs of type UNIX. The trigger message went to the dead-letter queue.",
        "Correct APPLTYPE of the PROCESS, or use a trigger monitor for that type.",
    ),
    8624: (
        "I", "Starting '{0}' for queue '{1}', process '{2}'.",
        "A trigger message came, and its program is started.", _NOTHING,
    ),
    8620: (
        "E", "The trigger message is dropped, because the dead-letter queue does not take it: {0}",
        "A trigger message that cannot be used goes to the dead-letter queue. There is none, or it is full.",
        "Set DEADQ of the queue manager to a queue that can take messages.",
    ),
    8652: ("I", "DSPMQRTE command has finished.", "All that is known of the route was shown.", _NOTHING),
    8654: (
        "I", "The trace-route message arrived on queue manager '{0}'.",
        "It reached the queue manager of its target, and was not delivered there, as was asked for.",
        "Use -d yes to have the message put on the target queue.",
    ),
    8655: (
        "W", "The trace-route message expired on queue manager '{0}'.", "It was not got from a queue in time.",
        "See whether the channels of that queue manager run, or give the message more time with -xs.",
    ),
    8656: (
        "W", "The trace-route message could not be put on its queue on queue manager '{0}': {1}.",
        "It was discarded there, or went to the dead-letter queue.", "Remove the cause that is named there.",
    ),
    8657: (
        "I", "DSPMQRTE command used message identifier '{0}'.",
        "Reports, replies and the message itself are found by it.", "Use it with -i to show the route again later.",
    ),
    8658: (
        "E", "DSPMQRTE command could not put a message on queue '{0}' of queue manager '{1}': {2}",
        "The put failed for the reason that is shown. Nothing was sent.", "Correct that and try again.",
    ),
    8659: (
        "I", "DSPMQRTE command successfully put a message on queue '{0}', queue manager '{1}'.",
        "A trace-route message is on its way.", _NOTHING,
    ),
    8660: (
        "W", "DSPMQRTE command could not order the following {0} activities.",
        "They have numbers that other activities have, too: copies of the message went different ways.", _NOTHING,
    ),
    8661: (
        "W", "DSPMQRTE command will not put to queue '{0}', queue manager '{1}': it is a local queue.",
        "The message is not to be delivered, and there is no way from here to another queue manager.",
        "Use -d yes to put a trace-route message on a queue that is here.",
    ),
    8662: (
        "I", "The trace-route message was delivered to queue '{0}' of queue manager '{1}'.",
        "It is at the end of its route.", "Get the message from that queue when it is no longer needed.",
    ),
    8664: (
        "E", "DSPMQRTE command cannot find a way to queue '{0}': {1}", "The queue could not be opened.",
        "Correct the names, or define what is missing.",
    ),
    8665: (
        "E", "DSPMQRTE command cannot open the reply queue '{0}': {1}",
        "Without it nothing would be heard of the message. Nothing was sent.",
        "Name a local queue with -rq that this user may open for input.",
    ),
    8666: (
        "I", "Queue '{0}' on queue manager '{1}'.", "The message came to this queue, or was meant for it.", _NOTHING,
    ),
    8668: (
        "E", "DSPMQRTE command cannot connect to queue manager '{0}': {1}", "There is no connection.",
        "Start the queue manager with strmqm, or correct its name.",
    ),
    8671: (
        "E", "DSPMQRTE command needs a reply queue: {0}.", "A temporary queue ends with the command.",
        "Name a queue with -rq.",
    ),
    8672: (
        "E", "DSPMQRTE command cannot get messages from queue '{0}': {1}", "The call failed for that reason.",
        "Correct that. What has come meanwhile is still there, and -i shows it.",
    ),
    8674: (
        "I", "DSPMQRTE command is now waiting for information to display.",
        "It shows the route when the end of it is known, or the time is over (-w).", _NOTHING,
    ),
    8682: (
        "I", "The trace-route message is on its way; it was last put on {0}.",
        "No reports or replies were asked for, so nothing more is known here.",
        "With -ac the message carries its route: show it with -i from the queue that it comes to.",
    ),
    8683: (
        "W", "The trace-route message reached its limit of activities on queue manager '{0}'.",
        "It was discarded there, or went to the dead-letter queue.", "Allow more with -s, or look for a loop.",
    ),
    8684: (
        "W", "The trace-route message passed {0} queue managers that record nothing.",
        "The route has gaps. ROUTEREC(DISABLED) makes such a gap.", "Enable ROUTEREC there, if the route matters.",
    ),
    8685: (
        "W", "The trace-route message was not forwarded from queue manager '{0}'.",
        "The next queue manager does not know what a trace-route message is.", "Use -f all to have it forwarded.",
    ),
    8686: (
        "W", "The trace-route message was rejected on queue manager '{0}': {1}.",
        "It has options for forwarding or delivery that are not known there.", _NOTHING,
    ),
    8687: (
        "E", "DSPMQRTE command found nothing on queue '{0}' about message '{1}'.",
        "The queue has no report, no reply and no trace-route message with this identifier.",
        "Check the identifier and the queue, or wait for it with -w.",
    ),
    8688: (
        "W", "DSPMQRTE command has timed out after {0} seconds; the message was last seen on {1}.",
        "The end of the route is not known. The message may still be on its way.",
        "See whether the channel of that queue runs, and whether ACTIVREC of the queue managers is enabled.",
    ),
    8708: (
        "I", "Dead-letter queue handler started to process INPUTQ({0}).", "It works through the rules table.", _NOTHING,
    ),
    8709: (
        "I", "Dead-letter queue handler ending: {0} messages retried, {1} forwarded, {2} discarded, {3} left.",
        "It was told to end, or there is nothing more that it can do.", _NOTHING,
    ),
    8721: (
        "W", "A message on the dead-letter queue has no valid MQDLH ({0}). It stays there.",
        "The rules work on the header that says why a message came to the queue. This one was put without it.",
        "Get the message with another program.",
    ),
    8722: (
        "W", "Dead-letter queue handler unable to put message: line {0}, reason {1}, queue '{2}': {3}",
        "The action of the rule in this line failed. It is tried again as often as RETRY says, then the next rule is.",
        "Correct what the reason says, or change the rule.",
    ),
    8741: (
        "E", "Dead-letter queue handler unable to connect to queue manager '{0}': {1}",
        "The connection failed for the reason that is shown.", "Start the queue manager, or correct its name.",
    ),
    8742: (
        "E", "Dead-letter queue handler unable to work on queue '{0}': {1}",
        "The queue could not be opened or read for the reason that is shown.", "Correct that and start it again.",
    ),
    8750: (
        "E", "No valid input provided to runmqdlq: {0}.",
        "A rules table has at least one rule; an empty input has none.", _RULE,
    ),
    8752: (
        "E", "The parameter {0} is longer than {1} characters on line {2}.",
        "No such value can match or be used.", _RULE,
    ),
    8753: ("E", "Duplicate parameter {0} found on line {1}.", "A keyword may stand once in a rule.", _RULE),
    8755: (
        "E", "Syntax error on line {0}: {1}.", "This is no KEYWORD(value) with a keyword that is known here.", _RULE,
    ),
    8757: (
        "E", "The value of {0} is not valid on line {1}: {2}.",
        "It is outside the range, or no number and no name that this keyword takes.", _RULE,
    ),
    8758: ("E", "{0} errors detected in input to runmqdlq.", "The messages before this one name them.", _RULE),
    8759: (
        "E", "Invalid combination of parameters to dead-letter queue handler on line {0}: {1}.",
        "A keyword is missing, or goes with another action only.", _RULE,
    ),
    8999: ("I", "{0} done.", "A command was carried out that has no message of its own.", "None."),
}  # fmt: skip
