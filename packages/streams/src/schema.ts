/** Names that infrastructure code shares with event routers. Imports nothing. */

/** Maps the names that handlers are registered under to physical names or ARNs: a JSON object of names, see the README. */
export const EVENT_SOURCES_ENV = 'FRAMEWORK_EVENT_SOURCES';
/** `auto`, `eventID` or `sequenceNumber`; read when the option `streamFailureIdentifier` is not given. */
export const STREAM_FAILURE_IDENTIFIER_ENV = 'FRAMEWORK_STREAM_FAILURE_IDENTIFIER';
