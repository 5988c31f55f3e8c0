"""Messages of connections, most of AMQ9nnn: clients, listeners, TLS and channel authentication.

A row: severity, text with {0}, {1}, ... for the inserts, what it means, what to do. `amq_messages` reads it.
"""

from __future__ import annotations

_NOTHING = "None is needed."
_CERTIFICATES = "Look at the certificates of both ends: who issued them, for whom, and until when they are valid."
_EXIT = "Mend the exit, or take it out of the definition of the channel. The channel reads it anew when it starts."

CONNECTION_ROWS: dict[int, tuple[str, str, str, str]] = {
    9001: (
        "I", "Channel '{0}' ended normally.", "It was told to end, or the other end disconnected.", _NOTHING,
    ),
    9002: (
        "I", "Channel '{0}' is starting.", "The channel begins to work.", _NOTHING,
    ),
    9181: (
        "E", "Exit {1} of channel '{0}' gave an answer that is not valid: {2}.", "The channel is ended.", _EXIT,
    ),
    9185: (
        "E", "Exit {1} of channel '{0}' reserves a space that is not valid: {2}.", "The channel is ended.", _EXIT,
    ),
    9186: (
        "E", "The send exits of channel '{0}' reserve {1} bytes of a segment; {2} are possible.",
        "The channel is ended.", _EXIT,
    ),
    9189: (
        "E", "Exit {1} of channel '{0}' gave data of a length that is not valid: {2}.", "The channel is ended.", _EXIT,
    ),
    9190: (
        "E", "Channel '{0}' ended because of an error in exit {1}: {2}.", "The exit raised an exception.", _EXIT,
    ),
    9202: (
        "E", "Remote host '{0}' not available: {1}.", "No conversation could be begun with it.",
        "Does the listener run there? Is the address right, and does a firewall let it pass?",
    ),
    9206: (
        "E", "Error sending data to {0}: {1}.", "The connection is ended.", "Look at the network and at the other end.",
    ),
    9208: (
        "E", "Error on receive from {0}: {1}.", "The connection is ended.",
        "Look at the network and at the other end.",
    ),
    9209: (
        "E", "Connection to {0} closed.", "The other end closed it, or was gone, without saying why.",
        "Look at the other end.",
    ),
    9213: (
        "E", "A connection could not be accepted: {0}.", "The system did not give the queue manager the connection.",
        "If there are too many open files, raise that limit, or lower MaxChannels in qm.ini.",
    ),
    9218: (
        "E", "Nothing can listen on {0}: {1}; choose another port or address, or end the program that has it.",
        "The address is used by another program, or is none of this machine.",
        "Choose another port or address (strmqm -p 1415, and the same in URLs), or end the other program.",
    ),
    9259: (
        "E", "{0} did not answer for {1} seconds; its connection is ended.",
        "Heartbeats were sent and nothing came back. The application's unit of work is backed out.",
        "Look whether the machine or the network is down. HBINT of the channel says how long to wait.",
    ),
    9491: (
        "W", "Transmission queue {0} is not there or cannot be read: {1}.", "The channel cannot get its messages.",
        "Look at the queue.",
    ),
    9503: (
        "E", "Channel '{0}' could not be negotiated with {1}: {2}.", "The two ends ask for what does not fit together.",
        "Change the definition of one of them.",
    ),
    9508: (
        "E", "The program cannot connect to the queue manager '{0}': {1}.", "A program of LibreMQ needed a connection.",
        "mqrc explains the reason.",
    ),
    9509: (
        "E", "The program cannot open queue manager object '{0}': {1}.", "A program of LibreMQ needed the object.",
        "mqrc explains the reason.",
    ),
    9510: (
        "E", "Messages cannot be retrieved from queue '{0}': {1}.", "A program of LibreMQ read the queue.",
        "mqrc explains the reason.",
    ),
    9511: (
        "E", "Messages cannot be put to queue '{0}': {1}.", "A program of LibreMQ wrote to the queue.",
        "mqrc explains the reason.",
    ),
    9513: (
        "E", "A connection was refused: {0}.", "As many channels or sockets are in use as there can be.",
        "End those that are not needed, or raise the limit that is named: MaxChannels or MaxActiveChannels in qm.ini, "
        "or, for sockets, that of open files.",
    ),
    9514: (
        "E", "Channel '{0}' is in use.", "The command needs a channel that does not run.", "Stop the channel first.",
    ),
    9519: (
        "E", "Channel '{0}' not found.", "It is not defined here, or has another type.",
        "Define the channel, or correct the name that the other end uses.",
    ),
    9524: (
        "E", "The remote queue manager is not available for channel '{0}'.", "The other end refused the channel.",
        "Start the other queue manager. The channel tries again, as SHORTRTY and LONGRTY of its definition say.",
    ),
    9526: (
        "E", "Message sequence number error for channel '{0}': {1} was expected, {2} came.",
        "The two ends count differently: one was restored from a backup, defined anew, or another queue manager calls.",
        "Find out why; then RESET CHANNEL at the sending end, or give the receiving end its number.",
    ),
    9531: (
        "E", "Queue {0} of channel '{1}' is no transmission queue.", "Its USAGE must be XMITQ.",
        "Correct XMITQ of the channel, or USAGE of the queue.",
    ),
    9533: (
        "W", "Channel '{0}' is not active.", "It was to be stopped or looked at.", _NOTHING,
    ),
    9534: (
        "E", "Channel '{0}' is not enabled at the moment.", "It was stopped by an administrator.",
        "START CHANNEL lets it be used again.",
    ),
    9536: (
        "W", "Channel '{0}' ended by exit {1}: {2}.", "A channel exit asked for it.", "Ask those who wrote the exit.",
    ),
    9545: (
        "I", "Disconnect interval of channel '{0}' expired.",
        "Nothing was to be sent, or no call of the client came, for so long.", _NOTHING,
    ),
    9557: (
        "E", "User {0} from {1} could not be authenticated.",
        "The user id or the password is wrong, or the user may not connect in this way.",
        "Correct what the application gives. setmqusr sets a password.",
    ),
    9558: (
        "E", "Channel '{0}' is not available at the moment: {1}.", "It is stopped, or in use as often as it may be.",
        "START CHANNEL, or raise MAXINST or MAXINSTC.",
    ),
    9590: (
        "W", "{0} channels are more than this process can have: {1}, because of its {2}. Raise that limit, or lower "
        "MaxChannels in qm.ini.",
        "The queue manager starts with fewer channels than qm.ini asks for.", "As the message says.",
    ),
    9591: (
        "E", "Users cannot be authenticated: {0}.", "The file of users, or the system's service, cannot be used.",
        "Correct the cause that is named; until then nobody who needs a password gets in.",
    ),
    9592: (
        "E", "Channel '{0}': what came from {1} belongs to another connection than this one.",
        "The two ends of a channel tell each other a number that they have just made up, and take nothing from an end "
        "that does not say it back. This one did not: it sends what was recorded of an earlier connection, or is "
        "broken.",
        "If it happens again, find out who calls from that address. Nothing was taken from it, and the channel starts "
        "as usual when its partner calls. A channel with TLS cannot be recorded.",
    ),
    9593: (
        "W", "Channel '{0}': the other end ({1}) waits for message {2}, and the next one has number {3}. Both have the "
        "same last batch, so that nothing is missing: the other end is told to go on with {3}.",
        "The sequence number of one end was changed, by RESET CHANNEL there or by a connection that was no honest one. "
        "The unit of work of the last batch, which both ends keep, tells that they agree about the messages.",
        "If nobody has entered RESET CHANNEL at the other end, find out who has called it.",
    ),
    9594: (
        "W", "{0} connections of {1} that had not logged in were closed: {2} may wait for that ({3} in qm.ini).",
        "Connections were opened faster than anybody logged in over them. Those that had waited longest without asking "
        "for anything were closed, or the last one was refused. This is said once a minute for each address.",
        "Look what that machine does. If these are your applications, which all start at once, raise the limit.",
    ),
    9595: (
        "E", "The connection of {0} is closed: of all messages on their way, over {2} bytes, it holds most, {1} bytes.",
        "Messages that were begun and not completed, or that a peer does not take, hold as much memory as they may. "
        "The connection that holds most gives way, of the address that holds most.",
        "Look what that application does. How much there may be depends on the memory of the machine.",
    ),
    9596: (
        "E", "Channel '{0}': {1} does not show that it is there now, as it did when the last batch was sent.",
        "The two ends of a channel tell each other numbers that they have just made up, if both know how. Both did, "
        "and now the other end says that it does not: it may send what was recorded of a connection before that, or be "
        "a queue manager that was set back to an older release.",
        "If it was set back, enter RESET CHANNEL at this end, which forgets that it knew. If not, find out who calls "
        "from that address. Nothing was taken from it.",
    ),
    9597: (
        "W", "{0} channels of {1} were ended: {2} may run whose partner has proven nobody (half of {3} in qm.ini).",
        "A receiver without MCAUSER, without a rule that maps its partner and without a certificate of it takes "
        "whoever calls, by any name. So many such channels run from there already; those that run go on.",
        "Find out who calls. If they are all meant to, give the channel an MCAUSER, a CHLAUTH rule with USERSRC(MAP), "
        "or TLS with SSLCAUTH(REQUIRED).",
    ),
    9616: (
        "E", "CipherSpec {0} of channel '{1}' is not enabled.", "It is too weak, or this system does not have it.",
        "Use a CipherSpec of TLS 1.2 or 1.3, or one of the ANY_ aliases.",
    ),
    9620: (
        "E", "Internal error of TLS on channel '{0}': {1}.", "The TLS library reported it.", _CERTIFICATES,
    ),
    9631: (
        "E", "The CipherSpec {0} that was negotiated with {1} does not match {2} of channel '{3}'.",
        "The two ends asked for different ones.", "Give both the same, or an ANY_ alias.",
    ),
    9633: (
        "E", "A TLS handshake failed: {0}.", "The two ends could not agree, or do not trust each other.",
        _CERTIFICATES,
    ),
    9635: (
        "E", "{0} began with TLS, and this queue manager has no certificate.",
        "The key repository (SSLKEYR) has no certificate of the queue manager.",
        "Put one there; libremq tls init makes one. Then REFRESH SECURITY TYPE(SSL).",
    ),
    9636: (
        "E", "The distinguished name of {0} does not match SSLPEER of channel '{1}': {2}.",
        "The certificate is valid, and belongs to somebody whom the channel does not accept.",
        "Correct SSLPEER, or the certificate that the other end uses.",
    ),
    9637: (
        "E", "Channel '{0}' lacks a certificate from {1}.", "SSLCAUTH(REQUIRED) asks for one, and none was given.",
        "Give the other end a certificate, or use SSLCAUTH(OPTIONAL). Clients are asked for one only if the key "
        "repository has authorities to compare it with (trust.pem).",
    ),
    9638: (
        "E", "TLS communications error for channel '{0}': {1}.", "The connection broke during the handshake.",
        "Look at the other end.",
    ),
    9639: (
        "E", "{0} did not use TLS, and channel '{1}' has a CipherSpec.", "Plain text is not accepted on this channel.",
        "Have the other end use TLS with a CipherSpec that fits.",
    ),
    9640: (
        "E", "SSLPEER {0} is not valid: {1}.", "It is no pattern of a distinguished name.", "Correct it.",
    ),
    9641: (
        "E", "{0} used TLS, and channel '{1}' has no CipherSpec.", "Both ends must agree on whether TLS is used.",
        "Set SSLCIPH of the channel, or have the other end connect without TLS.",
    ),
    9642: (
        "E", "There is no certificate for channel '{0}': {1}.",
        "The key repository does not have the one that CERTLABL names.",
        "Put it there, or correct CERTLABL; then REFRESH SECURITY TYPE(SSL).",
    ),
    9654: (
        "E", "A certificate that is not valid came from {0}: {1}.", "It is expired, revoked, or of an unknown issuer.",
        _CERTIFICATES,
    ),
    9660: (
        "E", "The key repository {0} cannot be used: {1}",
        "Its files are missing, not readable, or do not belong together.",
        "Correct SSLKEYR or the files, then REFRESH SECURITY TYPE(SSL).",
    ),
    9665: (
        "E", "{0} ended the TLS handshake: {1}.",
        "It may not trust this queue manager's certificate.", _CERTIFICATES,
    ),
    9719: (
        "E", "TLS cannot be used: {0}.",
        "The queue manager asks for what cannot be done here. FIPS 140 is a mode of the whole OpenSSL library, set by "
        "the system; Suite B and revocation by LDAP or OCSP are not there at all.",
        "Run the queue manager on a system in FIPS mode, or set SSLFIPS(NO); SUITEB(NONE); SSLCRLNL(' ').",
    ),
    9776: (
        "E", "Channel '{0}' from {1} was blocked by its user id {2}.",
        "A channel authentication record of TYPE(BLOCKUSER) names the user, or *MQADMIN and the user is privileged.",
        "Use another user, or change the record: DISPLAY CHLAUTH with MATCH(RUNCHECK) shows it.",
    ),
    9777: (
        "E", "Channel '{0}' from {1} was blocked: {2}.", "A channel authentication record with USERSRC(NOACCESS) fits.",
        "DISPLAY CHLAUTH with MATCH(RUNCHECK) shows which; change it if the channel should be allowed.",
    ),
    9780: (
        "W", "Channel '{0}' from {1} would have been blocked: {2}. WARN(YES) lets it pass.",
        "A channel authentication record in warning mode fits.", "Set WARN(NO) when you want it to be blocked.",
    ),
    9781: (
        "E", "A connection from {0} was blocked by its address.",
        "A channel authentication record of TYPE(BLOCKADDR) names it.", "Change the record if it is wrong.",
    ),
    9787: (
        "E", "The user id {0} of channel '{1}' could not be mapped: {2}.",
        "The channel authentication record, ADOPTCTX or security exit that names this user cannot be applied.",
        "Correct the channel authentication record or the exit, or use a shorter user id.",
    ),
    9788: (
        "W", "The name of the machine at {0} could not be found out within {1} seconds.",
        "Channel authentication records with host names need it. They do not fit this connection.",
        "Correct the name service, set REVDNS(DISABLED), or use addresses in the records.",
    ),
    9999: (
        "E", "Channel to {0} ended abnormally: {1}.", "The peer did what it should not, or a message before says why.",
        "Look at the other end, and at the messages before this one.",
    ),
}  # fmt: skip
