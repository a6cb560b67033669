import { type Difference, toDifference } from './differences.js';
import { WEBSOCKET_PROFILE } from './door-profile.js';

/**
 * Facts about an AppSync API, whose quotas are at https://docs.aws.amazon.com/general/latest/gr/appsync.html. The evaluated resolver
 * template limits what AppSync sends to a function and what it accepts from it.
 */
export const GRAPHQL_PROFILE = {
  /** Maximum bytes of the event of one field as JSON, and of the request of a client. */
  maxEventBytes: 5 * 1024 * 1024,
  /** Maximum bytes of the answer of the function as JSON. */
  maxAnswerBytes: 5 * 1024 * 1024,
  /** Milliseconds that AppSync needs at most for a request with all its fields. */
  waitsMs: 30_000,
} as const;

const APPSYNC_QUOTAS = 'https://docs.aws.amazon.com/general/latest/gr/appsync.html';
const WEBSOCKET_QUOTAS =
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html';

/** One field of a GraphQL request that the function resolved. */
export interface GraphQLExchange {
  /** Bytes of the event as JSON. Default: 0. */
  readonly eventBytes?: number;
  /** Bytes of the answer as JSON. Default: 0. */
  readonly answerBytes?: number;
  /** Milliseconds from the beginning of the request to the answer. Default: 0. */
  readonly durationMs?: number;
}

/**
 * Compares one field of a GraphQL request with {@link GRAPHQL_PROFILE}.
 *
 * @returns what would differ on AWS; empty if nothing would
 * @example
 * graphqlDifferences({ durationMs: 31_000 })[0]?.topic; // 'duration.door'
 */
export function graphqlDifferences({
  eventBytes = 0,
  answerBytes = 0,
  durationMs = 0,
}: GraphQLExchange): readonly Difference[] {
  const { maxEventBytes, maxAnswerBytes, waitsMs } = GRAPHQL_PROFILE;
  const found: Difference[] = [];
  if (eventBytes > maxEventBytes) {
    const text = `AppSync does not send an event of ${eventBytes} bytes to the function: the limit is ${maxEventBytes}, and the field has an error`;
    found.push(toDifference('request.limit', text, APPSYNC_QUOTAS));
  }
  if (answerBytes > maxAnswerBytes) {
    const text = `AppSync does not accept an answer of ${answerBytes} bytes: the limit is ${maxAnswerBytes}, and the field has an error`;
    found.push(toDifference('answer.limit', text, APPSYNC_QUOTAS));
  }
  if (durationMs > waitsMs) found.push(tooLong('AppSync ends a request after', waitsMs, durationMs, APPSYNC_QUOTAS));
  return found;
}

/** One invocation by a WebSocket API. */
export interface WebSocketExchange {
  /** Bytes of the message that is sent to the client. Default: 0. */
  readonly sentBytes?: number;
  /** Bytes of the answer of the Lambda authorizer as JSON. Default: 0. */
  readonly authorizerBytes?: number;
  /** Milliseconds that the function needed. Default: 0. */
  readonly durationMs?: number;
}

/**
 * Compares one invocation by a WebSocket API with {@link WEBSOCKET_PROFILE}.
 *
 * @returns what would differ on AWS; empty if nothing would
 * @example
 * webSocketDifferences({ sentBytes: 200_000 })[0]?.topic; // 'answer.limit'
 */
export function webSocketDifferences({
  sentBytes = 0,
  authorizerBytes = 0,
  durationMs = 0,
}: WebSocketExchange): readonly Difference[] {
  const { maxMessageBytes, maxAuthorizerBytes, waitsMs } = WEBSOCKET_PROFILE;
  const found: Difference[] = [];
  if (sentBytes > maxMessageBytes) {
    const text = `the WebSocket API does not send a message of ${sentBytes} bytes: the limit is ${maxMessageBytes}; send several messages`;
    found.push(toDifference('answer.limit', text, WEBSOCKET_QUOTAS));
  }
  if (authorizerBytes > maxAuthorizerBytes) {
    const text = `the WebSocket API rejects the answer of the authorizer: it has ${authorizerBytes} bytes, and the limit is ${maxAuthorizerBytes}`;
    found.push(toDifference('answer.limit', text, WEBSOCKET_QUOTAS));
  }
  if (durationMs > waitsMs) found.push(tooLong('the WebSocket API waits', waitsMs, durationMs, WEBSOCKET_QUOTAS));
  return found;
}

function tooLong(begin: string, limitMs: number, durationMs: number, source: string): Difference {
  const needed = (durationMs / 1000).toFixed(1);
  const text = `${begin} ${limitMs / 1000} seconds, and the client receives an error; this one needed ${needed}, and the function runs on`;
  return toDifference('duration.door', text, source);
}
