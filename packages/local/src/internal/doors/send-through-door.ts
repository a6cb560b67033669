import { clientFailure, DOOR_PROFILES, type HttpDoorKind } from '@sallyport/testkit/events';
import type { InvokeOptions, InvokeOutcome, StreamSink } from '../runtime/invoker.js';
import { toClientAnswer } from './answer.js';
import { decide } from './authorizer.js';
import { recordClient, recordRejection } from './door-journal.js';
import { answerOptions, doorSettings, noRoute, routeOf } from './door-settings.js';
import { toEvent, traceOf } from './http-event.js';
import { invokeAuthorizer } from './invoke-authorizer.js';
import type { DoorHost, DoorRequest, DoorResult } from './request.js';

/** The HTTP doors, in the order of their ports. */
export const HTTP_DOORS: readonly HttpDoorKind[] = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'];

/** Sends a request through a door and returns the response of its client. */
export async function sendThroughDoor(
  host: DoorHost,
  kind: HttpDoorKind,
  request: DoorRequest,
  stream?: StreamSink,
): Promise<DoorResult> {
  const options: InvokeOptions = {
    origin: { kind, target: `${request.method} ${request.path}` },
    whenBusy: 'refuse',
    ...(stream ? { stream } : {}),
    ...traceOf(request),
  };
  const settings = doorSettings(host);
  const match = routeOf(host.config, kind, request);
  const decision = await decide(host, kind, request);
  const event = toEvent(kind, request, { settings, decision, match: match === 'none' ? undefined : match });
  if (match === 'none') {
    const rejection = noRoute(kind);
    return { outcome: recordRejection(host, event, options, rejection), client: rejection.client };
  }
  if (!decision.isAllowed) return { outcome: recordRejection(host, event, options, decision), client: decision.client };
  const authorized = await invokeAuthorizer(host, kind, event, options);
  if ('client' in authorized) return authorized;
  const running = host.invoker.invoke(authorized.event, { ...options, ...authorized.trace });
  const outcome = await withinDoorLimit(host, kind, running);
  if (outcome === 'too-slow') {
    const client = clientFailure(kind, 'timeout');
    return { outcome: await running, client };
  }
  if (outcome.ok && outcome.streamed) return { outcome, client: undefined };
  const client = toClientAnswer(kind, outcome, answerOptions(settings, request));
  const summary = outcome.ok ? String(client.status) : `${client.status} ${outcome.error.errorType}`;
  recordClient(host, outcome.id, client, summary);
  return { outcome, client };
}

async function withinDoorLimit(
  host: DoorHost,
  kind: HttpDoorKind,
  running: Promise<InvokeOutcome>,
): Promise<InvokeOutcome | 'too-slow'> {
  const limit = DOOR_PROFILES[kind].waitsMs;
  if (limit === undefined || limit > host.config.timeoutMs || host.config.inspect !== undefined) return running;
  let cancel = () => {};
  const late = new Promise<'too-slow'>((resolve) => {
    cancel = host.clock.after(limit, () => resolve('too-slow'));
  });
  return Promise.race([running, late]).finally(() => cancel());
}
