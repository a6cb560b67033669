import { type Difference, graphqlDifferences, toDifference, webSocketDifferences } from '@sallyport/testkit/events';
import { recordDifferences } from '../differences/record.js';
import type { InvokeOutcome } from '../runtime/invoker.js';
import type { DoorHost } from './request.js';

/** Adds what would differ on AWS to the record of a GraphQL field, or of a batch of fields. */
export function recordGraphQL(host: DoorHost, outcome: InvokeOutcome, event: unknown, startedAt: number): void {
  recordDifferences(host, outcome.id, [
    ...graphqlDifferences({
      eventBytes: jsonBytes(event),
      answerBytes: outcome.ok ? jsonBytes(outcome.answer) : 0,
      durationMs: host.clock.monotonicMs() - startedAt,
    }),
    ...notRetried(outcome, 'AppSync does not invoke the function again: the field has an error'),
  ]);
}

/** Adds what would differ on AWS to the record of a WebSocket route. */
export function recordWebSocket(host: DoorHost, routeKey: string, outcome: InvokeOutcome, startedAt: number): void {
  const { body } = ((outcome.ok ? outcome.answer : undefined) ?? {}) as { readonly body?: unknown };
  const isSent = host.config.routeResponse && routeKey !== '$connect' && typeof body === 'string';
  recordDifferences(host, outcome.id, [
    ...webSocketDifferences({
      sentBytes: isSent ? Buffer.byteLength(body) : 0,
      durationMs: host.clock.monotonicMs() - startedAt,
    }),
    ...(routeKey === '$connect' ? [ADDRESS] : []),
    ...notRetried(
      outcome,
      routeKey === '$disconnect'
        ? 'The WebSocket API does not invoke the function again: the client is not connected any more'
        : 'The WebSocket API does not invoke the function again: the client receives an error',
    ),
  ]);
}

/** Adds what would differ on AWS to the record of the Lambda authorizer of a WebSocket API. */
export function recordConnectAuthorizer(host: DoorHost, outcome: InvokeOutcome): void {
  const authorizerBytes = outcome.ok ? jsonBytes(outcome.answer) : 0;
  recordDifferences(host, outcome.id, webSocketDifferences({ authorizerBytes }));
}

const ADDRESS = toDifference(
  'request.address',
  'the headers Host and X-Forwarded-Proto name this machine: on AWS, Host is the domain of the API or your own domain, and the protocol is https',
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-overview.html',
);

function notRetried(outcome: InvokeOutcome, text: string): readonly Difference[] {
  return outcome.ok || outcome.reason === 'build' ? [] : [toDifference('retry', text)];
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
