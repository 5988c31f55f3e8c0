"""Messages of the trigger monitor and the dead-letter queue handler (AMQ86nn, AMQ87nn), and of dspmqtrn and rsvmqtrn.

A row: severity, text with {0}, {1}, ... for the inserts, what it means, what to do. `amq_messages` reads it.
"""

from __future__ import annotations

_NOTHING = "None is needed."
_RULE = "Correct the rules table and start the dead-letter queue handler again. Nothing was done to any message."

ROWS_8600: dict[int, tuple[str, str, str, str]] = {
    7056: (
        "I", "Transaction number {0} is in-doubt.",
        "It is prepared, and its transaction manager has not decided yet. Its messages are locked meanwhile.",
        "Let the transaction manager decide. If it never will, rsvmqtrn commits or backs out.",
    ),
    7057: (
        "I", "Transaction number {0} {1}.", "An administrator has decided a unit of work that was in doubt.",
        "Tell the transaction manager's administrator: the other participants must be decided the same way.",
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
