/** Names that infrastructure code shares with the front doors. Imports nothing. */

/** The management endpoint of a WebSocket API, if it differs from the endpoint of the event. */
export const WEBSOCKET_ENDPOINT_ENV = 'FRAMEWORK_WEBSOCKET_ENDPOINT';

/** IAM actions on the connections of a WebSocket API. */
export const WEBSOCKET_ACTIONS = ['execute-api:ManageConnections'] as const;

/** The front doors of a function as JSON, for the option `doors` of containers. */
export const DOORS_ENV = 'FRAMEWORK_DOORS';
