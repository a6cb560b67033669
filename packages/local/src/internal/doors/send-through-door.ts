import {
  type ClientAnswer,
  type ClientAnswerOptions,
  clientFailure,
  DOOR_PROFILES,
  type HttpDoorKind,
} from '@sallyport/testkit/events';
import type { InvokeOptions, InvokeOutcome, StreamSink } from '../runtime/invoker.js';
import { toClientAnswer } from './answer.js';
import { decide } from './authorizer.js';
import { recordClient, recordRejection } from './door-journal.js';
import { missingRoute, recordDoorDifferences } from './door-record.js';
import { answerOptions, doorSettings, noRoute, routeOf } from './door-settings.js';
import { toEvent, traceOf } from './http-event.js';
import { invokeAuthorizer } from './invoke-authorizer.js';
import { hasRoute } from './public-routes.js';
import type { DoorHost, DoorRequest, DoorResult } from './request.js';

/** The HTTP doors, in the order of their ports. */
export const HTTP_DOORS: readonly HttpDoorKind[] = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'];

/** Receives parts of a response before the function has ended. */
export interface DoorClient {
  /** `isExpected`: the function is known to stream. */
  readonly stream?: (StreamSink & { readonly isExpected: boolean }) | undefined;
  /** Called when the door no longer waits for the function, which continues. */
  readonly onTimeout?: (client: ClientAnswer) => void;
}

/** Sends a request through a door and returns the response of its client. */
export async function sendThroughDoor(
  host: DoorHost,
  kind: HttpDoorKind,
  request: DoorRequest,
  { stream, onTimeout = () => {} }: DoorClient = {},
): Promise<DoorResult> {
  const options: InvokeOptions = {
    origin: { kind, target: `${request.method} ${request.path}` },
    whenBusy: 'refuse',
    ...(stream ? { stream } : {}),
    ...traceOf(request),
  };
  const settings = doorSettings(host, kind);
  const match = routeOf(settings, kind, request);
  const route = match === 'none' ? undefined : match;
  const { decision, refused } = await decide(host, kind, request, settings.jwt[route?.route.key ?? '']);
  const event = toEvent(kind, request, { settings, decision, match: route });
  // A manifest or template may be older than the code: the service answers a route that it has.
  const isMissing = match === 'none' && host.config.routes.length === 0 && hasRoute(host.inspection(), request);
  if (match === 'none' && !isMissing) {
    const rejection = noRoute(kind, settings);
    return { outcome: recordRejection(host, event, options, rejection), client: rejection.client };
  }
  if (!decision.isAllowed) return { outcome: recordRejection(host, event, options, decision), client: decision.client };
  const authorized = await invokeAuthorizer(host, kind, event, options);
  if ('client' in authorized) return authorized;
  const startedAt = host.clock.monotonicMs();
  const running = host.invoker.invoke(authorized.event, { ...options, ...authorized.trace });
  const limitMs = DOOR_PROFILES[kind].waitsMs;
  const result = await answered(
    host,
    kind,
    withinLimit(host, running, limitMs, stream),
    running,
    answerOptions(settings, request),
    onTimeout,
  );
  const durationMs = host.clock.monotonicMs() - startedAt;
  const before = [...refused, ...(isMissing ? [missingRoute(request, settings)] : [])];
  recordDoorDifferences(host, kind, request, { ...result, durationMs, before }, settings);
  return result;
}

/** The outcome of an invocation, and the response of its client, which is recorded. */
async function answered(
  host: DoorHost,
  kind: HttpDoorKind,
  waited: Promise<InvokeOutcome | 'too-slow'>,
  running: Promise<InvokeOutcome>,
  options: ClientAnswerOptions,
  onTimeout: (client: ClientAnswer) => void,
): Promise<DoorResult> {
  const outcome = await waited;
  if (outcome === 'too-slow') {
    const client = clientFailure(kind, 'timeout');
    onTimeout(client);
    const late = await running;
    recordClient(host, late.id, client);
    return { outcome: late, client };
  }
  if (outcome.ok && outcome.streamed) return { outcome, client: undefined };
  const client = toClientAnswer(kind, outcome, options);
  const summary = outcome.ok ? String(client.status) : `${client.status} ${outcome.error.errorType}`;
  recordClient(host, outcome.id, client, summary);
  return { outcome, client };
}

async function withinLimit(
  host: DoorHost,
  running: Promise<InvokeOutcome>,
  limit: number | undefined,
  stream: DoorClient['stream'],
): Promise<InvokeOutcome | 'too-slow'> {
  if (limit === undefined || limit > host.config.timeoutMs || host.config.inspect !== undefined) return running;
  let cancel = () => {};
  const late = new Promise<'too-slow'>((resolve) => {
    cancel = host.clock.after(limit, () => {
      // A streamed answer has its own limits: the REST API waits 15 minutes for it.
      if (!stream?.isExpected) resolve('too-slow');
    });
  });
  return Promise.race([running, late]).finally(() => cancel());
}
