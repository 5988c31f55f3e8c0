"""Messages of commands on queue managers and objects, most of AMQ8nnn: what they answer.

A row: severity, text with {0}, {1}, ... for the inserts, what it means, what to do. `amq_messages` reads it.
The many rows that say that an object was made, altered, deleted or is shown are made from short tables.
"""

from __future__ import annotations

_NOTHING = "None is needed."

_OBJECTS = {
    "queue": (8006, 8008, 8007, 8409),
    "process": (8010, 8012, 8011, 8407),
    "channel": (8014, 8016, 8015, 8414),
    "subscription": (8094, 8095, 8091, 8096),
    "namelist": (8552, 8551, 8553, 8550),
    "authentication information object": (8563, 8567, 8564, 8566),
    "service": (8625, 8622, 8627, 8629),
    "listener": (8626, 8623, 8628, 8630),
    "topic": (8690, 8691, 8692, 8633),
    "communication information object": (8858, 8861, 8859, 8860),
}
"""Created, altered, deleted, and the heading of its display."""

_HEADINGS = {
    8099: "Subscription status",
    8276: "Connection",
    8408: "Queue manager",
    8417: "Channel status",
    8441: "Cluster queue manager",
    8450: "Queue status",
    8631: "Listener status",
    8632: "Service status",
    8705: "Queue manager status",
    8723: "Publish/subscribe status",
    8754: "Topic status",
    8864: "Authority record",
    8866: "Entity authority",
    8878: "Channel authentication record",
    8932: "Application status",
}

_ACCEPTED = {
    8018: ("start a channel", "DISPLAY CHSTATUS shows whether it runs."),
    8019: ("stop a channel", "DISPLAY CHSTATUS shows when it has stopped."),
    8021: ("start a listener", "DISPLAY LSSTATUS shows whether it runs."),
    8706: ("stop a listener", "DISPLAY LSSTATUS shows when it has stopped."),
    8733: ("start a service", "DISPLAY SVSTATUS shows whether it runs."),
    8734: ("stop a service", "DISPLAY SVSTATUS shows when it has stopped."),
    8556: ("resume the queue manager", _NOTHING),
    8557: ("suspend the queue manager", _NOTHING),
    8558: ("refresh a cluster", _NOTHING),
    8559: ("reset a cluster", _NOTHING),
}

COMMAND_ROWS: dict[int, tuple[str, str, str, str]] = {
    8001: (
        "I", "LibreMQ queue manager '{0}' created.", "It has the objects that every queue manager has.",
        "Start it with strmqm.",
    ),
    8002: (
        "I", "LibreMQ queue manager '{0}' deleted.", "Its objects, messages and log are gone.", _NOTHING,
    ),
    8003: (
        "I", "LibreMQ queue manager '{0}' started using V{1}.", "Applications may connect.", _NOTHING,
    ),
    8004: (
        "I", "LibreMQ queue manager '{0}' {1}.", "It has ended as it was told to.", _NOTHING,
    ),
    8005: (
        "I", "LibreMQ queue manager altered.", "The attributes have their new values.", _NOTHING,
    ),
    8020: (
        "I", "Ping of channel {0} complete.", "The other end of the channel answers.", _NOTHING,
    ),
    8022: (
        "I", "LibreMQ queue cleared.", "All its messages have been deleted.", _NOTHING,
    ),
    8023: (
        "I", "LibreMQ channel reset.", "The channel goes on with the sequence number that was given.",
        "Reset the other end, too, if it does not follow by itself.",
    ),
    8024: (
        "I", "LibreMQ channel initiator started.", "Channels whose transmission queue asks for it are started.",
        _NOTHING,
    ),
    8025: (
        "I", "LibreMQ channel resolved.", "The messages in doubt were committed or backed out, as was asked.",
        _NOTHING,
    ),
    8041: (
        "E", "The queue manager '{0}' cannot be started: {1}", "What is named kept it from starting; nothing is lost.",
        "Correct the cause and start it again.",
    ),
    8048: (
        "I", "Default objects statistics: {0} created, {1} replaced, {2} failed.",
        "These are the objects that every queue manager has.", "If some failed, the lines before say which.",
    ),
    8077: (
        "W", "User '{0}' is not authorized for object '{1}' ({2}): it lacks {3}.",
        "A call failed with reason 2035, because no authority record of the user or of its groups gives all "
        "authorities that the call needs.",
        "If the user should have them: SET AUTHREC or setmqaut with the authorities that are named.",
    ),
    8101: (
        "S", "LibreMQ error ({0}) has occurred.", "A command failed in a way that it did not foresee.",
        "mqrc explains the number. Look into the error log; report it if it goes on.",
    ),
    8118: (
        "E", "The queue manager '{0}' does not exist{1}.", "There is no queue manager of that name here.",
        "dspmq shows the ones that exist. LIBREMQ_DATA, or -md, says in which folder to look.",
    ),
    8124: (
        "E", "The option {0} is not supported.", "LibreMQ knows it and does not have it here.", "Leave it out.",
    ),
    8135: (
        "E", "Not authorized{0}.", "The user that gave the command may not do that to this object.",
        "Have an administrator give the command, or the authority (SET AUTHREC).",
    ),
    8137: (
        "E", "The queue manager '{0}' is starting already.", "Somebody else starts it at this moment.",
        "Wait for that start.",
    ),
    8138: (
        "E", "The attribute value {0} is not valid for this queue.", "This kind of queue cannot have that value.",
        "Correct the command.",
    ),
    8139: (
        "E", "Storage is not available.", "The command needs more memory than there is.",
        "End what is not needed, then repeat the command.",
    ),
    8140: (
        "E", "Resource problem{0}.", "The queue manager lacks memory, disk space, log space or open files.",
        "The error log says which; provide it, then repeat the command.",
    ),
    8141: (
        "E", "The queue manager has as many connections as it can have.", "The limit of connections is reached.",
        "Have applications disconnect, or raise MaxChannels in qm.ini.",
    ),
    8142: (
        "E", "LibreMQ object {0} exists with queue type {1}.", "A queue of another type has that name.",
        "Use the command for its type, or another name.",
    ),
    8143: (
        "E", "LibreMQ queue {0} is not empty.", "A queue with messages is not deleted without being told to.",
        "Have the messages read, CLEAR QLOCAL, or DELETE QLOCAL with PURGE.",
    ),
    8144: (
        "E", "The log is not available{0}.", "The log of the queue manager could not be used.",
        "Look into the error log and at the disk of the log.",
    ),
    8145: (
        "E", "Connection broken.", "The queue manager ended, or the connection to it was lost.",
        "Start the queue manager if it has ended, then repeat the command.",
    ),
    8146: (
        "E", "The queue manager '{0}' is not available: {1}", "The command needs a queue manager that runs.",
        "Start it with strmqm; dspmq shows its state.",
    ),
    8147: (
        "E", "LibreMQ object {0} not found.", "There is no object of that name and type.",
        "Look for the name with DISPLAY; names have upper and lower case unless they are not quoted.",
    ),
    8148: (
        "E", "LibreMQ object {0} in use.", "An application has it open, or it has messages that are not committed.",
        "DISPLAY QSTATUS TYPE(HANDLE) shows who. Repeat the command when they are done.",
    ),
    8149: (
        "S", "LibreMQ object {0} damaged.", "Its file does not hold what it should.",
        "With a linear log: rcrmqobj. Otherwise delete and define it, or restore a backup.",
    ),
    8150: (
        "E", "LibreMQ object {0} already exists.", "An existing object is replaced only if REPLACE is given.",
        "Use ALTER, REPLACE, or another name.",
    ),
    8151: (
        "E", "LibreMQ object {0} exists with another type.", "Objects of this kind share their names.",
        "Use another name, or delete the other object.",
    ),
    8153: (
        "E", "There is not enough disk space.", "The disk is full.", "Make room, then repeat the command.",
    ),
    8156: (
        "E", "LibreMQ queue manager quiescing.", "It is ending and takes no new work.",
        "Repeat the command when it runs again.",
    ),
    8157: (
        "E", "Security error{0}.", "A check of the user's authority could not be made.", "Look into the error log.",
    ),
    8214: (
        "E", "CONNAME is required: {0}.", "A channel that begins a connection must know where to.",
        "Give CONNAME('host(port)').",
    ),
    8226: (
        "E", "LibreMQ channel {0} already exists.", "A channel of that name is there.",
        "Use ALTER, REPLACE, or another name.",
    ),
    8227: (
        "E", "Channel {0} not found.", "No channel has that name.", "DISPLAY CHANNEL(*) shows those that are there.",
    ),
    8229: (
        "E", "Channel {0} exists with another type.", "A channel keeps its type.",
        "Delete the channel and define it anew, or use the command for its type.",
    ),
    8242: (
        "E", "The CipherSpec cannot be used: {0}.", "It is none, too weak, or not offered by this system.",
        "Correct it; ANY_TLS12_OR_HIGHER is a good choice.",
    ),
    8245: (
        "W", "User '{0}' is not authorized to display object '{1}' ({2}).",
        "A call or command failed with reason 2035, because it needs dsp on the object.",
        "If the user should see the object: SET AUTHREC with AUTHADD(DSP) for it or one of its groups.",
    ),
    8405: (
        "I", "Syntax error at or near the end of this part of the command:",
        "The command could not be understood from there on; nothing was done.", "Correct the command.",
    ),
    8410: (
        "E", "Internal error while a command was read: {0}.", "The error is not in the command.", "Report it.",
    ),
    8415: (
        "I", "LibreMQ queue manager responds to commands.", "PING QMGR was answered.", _NOTHING,
    ),
    8416: (
        "E", "MQSC timed out: the command server did not answer.", "No answer came within the time that -w gives.",
        "Is the command server of that queue manager running? Are both transmission queues being emptied?",
    ),
    8418: (
        "I", "{0} command responses received.", "They came from the command server.", _NOTHING,
    ),
    8420: (
        "I", "There is no channel status for {0}.", "No channel of that name has been used.", _NOTHING,
    ),
    8421: (
        "E", "A parameter is missing: {0}.", "The command cannot do without it.", "Add it.",
    ),
    8424: (
        "E", "Error in a name: {0}.", "It is too long, empty, or has characters that a name cannot have.",
        "Correct the name: letters, digits and . / _ %, up to the length for its type.",
    ),
    8425: (
        "E", "Error in a parameter value: {0}.", "The parameter cannot have that value.", "Correct it.",
    ),
    8426: (
        "I", "The command is not known. The commands are: {0}", "Its first word is no command.", "Correct it.",
    ),
    8427: (
        "I", "The command takes: {0}", "It helps to correct the command in the message before.", _NOTHING,
    ),
    8457: (
        "I", "LibreMQ connection stopped.", "The application gets a broken connection with its next call.", _NOTHING,
    ),
    8461: (
        "I", "There is no connection {0}.", "It may have ended meanwhile.", "DISPLAY CONN(*) shows those there are.",
    ),
    8464: (
        "E", "The attribute {0} of a subscription cannot be changed.", "It is fixed when a subscription is made.",
        "Delete the subscription and define it anew.",
    ),
    8469: (
        "E", "LibreMQ subscription {0} already exists.", "Its name is taken.", "Use ALTER, REPLACE, or another name.",
    ),
    8490: (
        "W", "Kept, with no effect yet: {0}.",
        "The command has done what it was asked to. What the attribute is for is not part of LibreMQ yet, or does not "
        "exist on this platform; media images (IMGSCHED and the like) are of a linear log only.",
        "None is needed. The reference page of objects says which attributes these are.",
    ),
    8498: (
        "E", "This cannot be done here: {0}.",
        "The queue manager runs inside an application, or its log is of the other type.",
        "The text says what it takes.",
    ),
    8499: (
        "E", "{0} needs {1}: that is not part of LibreMQ yet. Nothing was changed.",
        "The command is one of MQ's, for a part that this release does not have.", "Leave the command out.",
    ),
    8506: (
        "W", "The command server of queue manager '{0}' could not read {1}: {2}",
        "Commands stay on the queue. The command server tries again when the next one comes, and every few minutes.",
        "Correct what the message names.",
    ),
    8507: (
        "W", "The command server of queue manager '{0}' could not put a message for {1}: {2}",
        "The command was carried out or refused, but nobody will hear of it.",
        "Let those who send commands name a queue for the answer that takes it, and define a dead-letter queue.",
    ),
    8508: (
        "E", "A command that came as a message failed on queue manager '{0}' with an error in LibreMQ itself: {1}",
        "The sender got reason MQRCCF_UNEXPECTED_ERROR. Other commands are served as before.",
        "Report the error together with the command, and see what the command should have changed.",
    ),
    8560: (
        "I", "LibreMQ security cache refreshed.", "The next check uses what is defined now.", _NOTHING,
    ),
    8730: (
        "I", "Listener {0} is active already.", "It was to be started, or deleted.", "To delete it, stop it first.",
    ),
    8731: (
        "W", "Listener {0} is not active.", "It was to be stopped.", _NOTHING,
    ),
    8732: (
        "W", "Service {0} is not active.", "It was to be stopped.", _NOTHING,
    ),
    8735: (
        "E", "Command {0} of service {1} could not be started: {2}", "The program of STARTCMD or STOPCMD did not run.",
        "Correct the path or the rights, then START SERVICE again.",
    ),
    8736: (
        "I", "Service {0} is active already.", "It was to be started, or deleted.", "To delete it, stop it first.",
    ),
    8862: (
        "I", "LibreMQ authority record set.", "It applies to objects that are opened from now on.", _NOTHING,
    ),
    8863: (
        "I", "LibreMQ authority record deleted.", "It applies to objects that are opened from now on.", _NOTHING,
    ),
    8865: (
        "E", "There is no authority record for {0}.", "No record has this profile, type and entity.",
        "DISPLAY AUTHREC shows those there are.",
    ),
    8867: (
        "E", "The authority {0} does not exist for objects of type {1}.",
        "Not all authorities make sense for all types.",
        "Correct the command; ALL gives all that there are for the type.",
    ),
    8871: (
        "E", "Entity, principal or group {0} is not known.", "The operating system and setmqusr do not know it.",
        "Correct the name, or create the user or group first.",
    ),
    8877: (
        "I", "LibreMQ channel authentication record set.", "It applies to channels that start from now on.", _NOTHING,
    ),
    8884: (
        "E", "Channel authentication record not found.", "No record fits what was given.",
        "DISPLAY CHLAUTH(*) shows those there are; all of its keys must be given.",
    ),
    8885: (
        "E", "A parameter does not go with the action on a channel authentication record: {0}.",
        "Only some parameters make sense with each action.", "Leave it out.",
    ),
    8886: (
        "E", "A parameter does not go with the type of a channel authentication record: {0}.",
        "Only some parameters make sense with each type.", "Leave it out.",
    ),
    8898: (
        "I", "Channel authentication record details - not in use now.",
        "CHLAUTH(DISABLED) of the queue manager: no record is looked at when a client connects.",
        "ALTER QMGR CHLAUTH(ENABLED) makes them count.",
    ),
}  # fmt: skip

for _kind, (_created, _altered, _deleted, _shown) in _OBJECTS.items():
    COMMAND_ROWS[_created] = (
        "I", f"LibreMQ {_kind} created.", f"The {_kind} is there, also after a restart.", _NOTHING
    )  # fmt: skip
    COMMAND_ROWS[_altered] = (
        "I", f"LibreMQ {_kind} changed.", f"The {_kind} has its new attributes, also after a restart.", _NOTHING
    )  # fmt: skip
    COMMAND_ROWS[_deleted] = ("I", f"LibreMQ {_kind} deleted.", f"The {_kind} is gone.", _NOTHING)
    COMMAND_ROWS[_shown] = (
        "I", f"{_kind[0].upper()}{_kind[1:]} details.", f"The attributes of a {_kind} follow.", _NOTHING
    )  # fmt: skip
for _number, _what in _HEADINGS.items():
    COMMAND_ROWS[_number] = ("I", f"{_what} details.", "The attributes that were asked for follow.", _NOTHING)
for _number, (_request, _next) in _ACCEPTED.items():
    COMMAND_ROWS[_number] = (
        "I", f"Request to {_request} accepted.", "It is carried out from now on, apart from the command.", _next
    )  # fmt: skip
