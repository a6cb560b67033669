/** Names that infrastructure code shares with the WebSocket door. Imports nothing. */

/** The management endpoint of a WebSocket API, when it is not that of the event. */
export const WEBSOCKET_ENDPOINT_ENV = 'FRAMEWORK_WEBSOCKET_ENDPOINT';

/** IAM actions on the connections of a WebSocket API. */
export const WEBSOCKET_ACTIONS = ['execute-api:ManageConnections'] as const;
