import type { GatewayProxyEvent, GatewayV2Event, HttpDoorKind } from '@sallyport/testkit/events';
import type { InvokeOptions } from '../runtime/invoker.js';
import { toClientAnswer } from './answer.js';
import { recordClient } from './door-journal.js';
import type { DoorEvent } from './http-event.js';
import { type AuthorizedDoor, arnOf, authorizationOf, authorizerEvent, refusalOf } from './lambda-authorizer.js';
import type { DoorHost, DoorResult } from './request.js';

/** An event that may be passed to the function. */
export interface AuthorizedEvent {
  /** With the context that the authorizer returned. */
  readonly event: object;
  /** The trace that the authorizer's invocation began, if any. */
  readonly trace?: { readonly traceId: string };
}

/** Invokes the door's Lambda authorizer, if any. Returns the event with the authorizer's context, or the rejection for the client. */
export async function invokeAuthorizer(
  host: DoorHost,
  kind: HttpDoorKind,
  sent: DoorEvent,
  { origin, traceId }: InvokeOptions,
): Promise<AuthorizedEvent | DoorResult> {
  const authorizer = host.authorizer('http');
  if (!authorizer || !hasLambdaAuthorizer(kind)) return { event: sent };
  const event = sent as GatewayProxyEvent | GatewayV2Event;
  const outcome = await authorizer.invoke(authorizerEvent(event), {
    origin: { ...origin, kind: 'authorizer' },
    whenBusy: 'refuse',
    ...(traceId === undefined ? {} : { traceId }),
  });
  const authorization = authorizationOf(kind, arnOf(event), outcome);
  if (authorization.isAllowed) {
    const root = host.journal.get(outcome.id)?.traceId;
    const requestContext = { ...event.requestContext, authorizer: authorization.authorizer };
    return { event: { ...event, requestContext }, ...(root && { trace: { traceId: `Root=${root}` } }) };
  }
  const isBroken = !outcome.ok && outcome.reason === 'build';
  const client = isBroken ? toClientAnswer(kind, outcome, {}) : refusalOf(authorization);
  recordClient(host, outcome.id, client);
  return { outcome, client };
}

function hasLambdaAuthorizer(kind: HttpDoorKind): kind is AuthorizedDoor {
  return kind === 'gateway-v2' || kind === 'gateway-v1';
}
