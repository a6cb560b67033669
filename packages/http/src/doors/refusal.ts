import { FrameworkError, type TriggerKind } from '@sallyport/core';
import { objectOf } from './door.js';

/** Codes of the errors with which the HTTP and WebSocket surfaces reject an event before anything runs. */
type HttpRefusalCode = 'http.authorizer_event' | 'http.action_group_event' | 'http.event_without_path';

const TEXTS: Readonly<Record<HttpRefusalCode, string>> = {
  'http.authorizer_event':
    'framework: the event asks a Lambda authorizer for a decision and is no request; give the authorizer a function of its own',
  'http.action_group_event':
    'framework: the event is an action of an Amazon Bedrock agent and is no request; give the action group a function of its own',
  'http.event_without_path':
    'framework: the event has no path, so it is no proxy request; send path as text, or serve the event with a trigger of its own',
};

/**
 * The error for an event that has the shape of a request and is none, or `undefined` for a request. A route that ran for
 * such an event would have effects that nobody asked for.
 */
export function refusalOf(kind: TriggerKind, event: unknown): FrameworkError | undefined {
  const fields = objectOf(event);
  if ((fields.type === 'REQUEST' || fields.type === 'TOKEN') && isAuthorizerEvent(kind, fields)) {
    return refusal('http.authorizer_event');
  }
  if (isText(fields.actionGroup) && isText(fields.messageVersion)) return refusal('http.action_group_event');
  if (kind !== 'gateway-v1' || typeof fields.path === 'string') return undefined;
  return typeof objectOf(fields.requestContext).path === 'string' ? undefined : refusal('http.event_without_path');
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

function refusal(code: HttpRefusalCode): FrameworkError {
  return new FrameworkError(code, TEXTS[code]);
}
