import { FrameworkError, type TriggerKind } from '@sallyport/core';
import { objectOf } from './event.js';

/**
 * The error for an event that has the shape of a request and is none, or `undefined` for a request. A route that ran for
 * such an event would have effects that nobody asked for.
 */
export function refusalOf(kind: TriggerKind, event: unknown): FrameworkError | undefined {
  const fields = objectOf(event);
  if ((fields.type === 'REQUEST' || fields.type === 'TOKEN') && isAuthorizerEvent(kind, fields)) {
    return refusal('http.authorizer_event', "an authorizer's event");
  }
  if (isText(fields.actionGroup) && isText(fields.messageVersion)) {
    return refusal('http.action_group_event', "an agent's action");
  }
  if (kind !== 'gateway-v1' || typeof fields.path === 'string') return undefined;
  if (typeof objectOf(fields.requestContext).path === 'string') return undefined;
  return refusal('http.event_without_path', 'an event without a path');
}

/**
 * Published samples of a WebSocket `$connect` have `type` and `methodArn` like an authorizer's event; they also have
 * `isBase64Encoded`, which an authorizer never gets
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-input.html).
 */
function isAuthorizerEvent(kind: TriggerKind, fields: Readonly<Record<string, unknown>>): boolean {
  if (!Object.hasOwn(fields, 'type') || !(isText(fields.methodArn) || isText(fields.routeArn))) return false;
  return kind !== 'websocket' || !Object.hasOwn(fields, 'isBase64Encoded');
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

type RefusalCode = 'http.authorizer_event' | 'http.action_group_event' | 'http.event_without_path';

function refusal(code: RefusalCode, what: string): FrameworkError {
  return new FrameworkError(code, `framework: ${what} is no request; serve it with a function of its own`);
}
