import { randomUUID } from 'node:crypto';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  type ClientAnswer,
  clientAnswer,
  clientFailure,
  type DoorFailure,
  type FunctionUrlEvent,
  type GatewayProxyEvent,
  type GatewayV2Event,
  type HttpDoorKind,
  type LoadBalancerEvent,
} from '@sallyport/testkit/events';
import type { Config } from '../config/config.js';
import type { ClientView } from '../journal/journal.js';
import { startTrace } from '../journal/trace.js';
import type { FailureReason, InvokeOptions, InvokeOutcome, StreamSink } from '../runtime/invoker.js';
import { type DoorDecision, decide } from './authorizer.js';
import { type AuthorizedDoor, arnOf, authorizationOf, authorizerEvent, refusalOf } from './lambda-authorizer.js';
import type { DoorHost, DoorRequest } from './request.js';

/** The HTTP doors, in the order of their ports. */
export const HTTP_DOORS: readonly HttpDoorKind[] = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'];

/** The result of a request to a door. */
export interface DoorResult {
  readonly outcome: InvokeOutcome;
  /** `undefined` if the response was streamed to the sink. */
  readonly client: ClientAnswer | undefined;
}

/** Maximum milliseconds that a door waits for its function; `undefined`: the function's timeout applies. */
const WAITS_MS: Readonly<Record<HttpDoorKind, number | undefined>> = {
  'gateway-v2': 30_000,
  'gateway-v1': 29_000,
  'function-url': undefined,
  'load-balancer': undefined,
};

/** Sends a request through a door and returns the response of its client. */
export async function sendThroughDoor(
  host: DoorHost,
  kind: HttpDoorKind,
  request: DoorRequest,
  stream?: StreamSink,
): Promise<DoorResult> {
  const { method, path, as, clientContext } = request;
  const options: InvokeOptions = {
    origin: { kind, target: `${method} ${path}`, ...(as === undefined ? {} : { as }) },
    whenBusy: 'refuse',
    ...(clientContext === undefined ? {} : { clientContext }),
    ...(stream ? { stream } : {}),
    ...traceOf(request),
  };
  const decision = await decide(host, kind, request);
  const event = toEvent(kind, request, host.config, decision);
  if (!decision.isAllowed) return rejected(host, event, options, decision);
  const asked = await authorized(host, kind, event, options);
  if ('client' in asked) return asked;
  const running = host.invoker.invoke(asked.event, { ...options, ...asked.trace });
  const outcome = await withinDoorLimit(host, kind, running);
  if (outcome === 'too-slow') {
    const client = clientFailure(kind, 'timeout');
    return { outcome: await running, client };
  }
  if (outcome.ok && outcome.streamed) return { outcome, client: undefined };
  const client = outcome.ok
    ? clientAnswer(kind, outcome.answer, { multiValue: host.config.multiValueHeaders })
    : failureOf(kind, outcome.reason, outcome.error.errorMessage);
  const warning = refusalText(client, host);
  if (warning) host.journal.append(outcome.id, 'logs', { at: Date.now(), level: 'warn', text: warning });
  host.journal.update(outcome.id, { client: toView(client, false, false), summary: summaryOf(client, outcome) });
  return { outcome, client };
}

/** Records a request that the door's own authorizer rejected: there is no invocation. */
function rejected(
  host: DoorHost,
  event: object,
  { origin, traceId }: InvokeOptions,
  { reason, client }: Extract<DoorDecision, { isAllowed: false }>,
): DoorResult {
  const requestId = randomUUID();
  const { root, segment, parent } = startTrace(traceId, host.clock.now().getTime());
  const id = host.journal.open({ requestId, traceId: root, segment, parent, origin, event });
  const error = { errorType: client.status === 401 ? 'Unauthorized' : 'Forbidden', errorMessage: reason };
  host.journal.update(id, {
    status: 'failed',
    error,
    client: toView(client, false, false),
    summary: String(client.status),
  });
  return { outcome: { ok: false, id, requestId, reason: 'authorizer', error }, client };
}

interface Authorized {
  readonly event: object;
  readonly trace?: { readonly traceId: string };
}

/** Invokes the door's Lambda authorizer, if any. Returns the event with the authorizer's context, or the rejection for the client. */
async function authorized(
  host: DoorHost,
  kind: HttpDoorKind,
  sent: DoorEvent,
  { origin, traceId }: InvokeOptions,
): Promise<Authorized | DoorResult> {
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
  const client = isBroken ? failureOf(kind, 'build', outcome.error.errorMessage) : refusalOf(authorization);
  host.journal.update(outcome.id, { client: toView(client, false, false), summary: String(client.status) });
  return { outcome, client };
}

function hasLambdaAuthorizer(kind: HttpDoorKind): kind is AuthorizedDoor {
  return kind === 'gateway-v2' || kind === 'gateway-v1';
}

/** The response as the client receives it, for the journal. */
function toView(client: ClientAnswer, streamed: boolean, cut: boolean): ClientView {
  const { status, headers, body } = client;
  return { status, headers, body: readable(Buffer.from(body)), streamed, cut };
}

/** Text is returned unchanged; other bytes are replaced by their count. */
export function readable(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\u{fffd}') && !Buffer.from(text).equals(bytes) ? `${bytes.length} bytes` : text;
}

function summaryOf({ status }: ClientAnswer, outcome: InvokeOutcome): string {
  return outcome.ok ? String(status) : `${status} ${outcome.error.errorType}`;
}

async function withinDoorLimit(
  host: DoorHost,
  kind: HttpDoorKind,
  running: Promise<InvokeOutcome>,
): Promise<InvokeOutcome | 'too-slow'> {
  const limit = WAITS_MS[kind];
  if (limit === undefined || limit > host.config.timeoutMs || host.config.inspect !== undefined) return running;
  let cancel = () => {};
  const late = new Promise<'too-slow'>((resolve) => {
    cancel = host.clock.after(limit, () => resolve('too-slow'));
  });
  return Promise.race([running, late]).finally(() => cancel());
}

/** A message for the developer if the door rejected the function's response. */
function refusalText({ refused }: ClientAnswer, host: DoorHost): string | undefined {
  if (refused === undefined) return undefined;
  const why = host.inspection().streaming
    ? 'the handler streams, and this door requires a buffered response: use the function URL, or the REST API with --rest-stream'
    : refused;
  return `framework: the door rejected the response: ${why}`;
}

const FAILURES: Partial<Record<FailureReason, DoorFailure>> = { throttled: 'throttled' };

function failureOf(kind: HttpDoorKind, reason: FailureReason, message: string): ClientAnswer {
  if (reason !== 'build') return clientFailure(kind, FAILURES[reason] ?? 'error');
  const body = JSON.stringify({ error: { code: 'local.build_failed', message } });
  return { status: 502, headers: [['content-type', 'application/json']], body: Buffer.from(body) };
}

type DoorEvent = GatewayProxyEvent | GatewayV2Event | FunctionUrlEvent | LoadBalancerEvent;

/** The event of a request, as its door sends it. */
function toEvent(kind: HttpDoorKind, request: DoorRequest, config: Config, decision: DoorDecision): DoorEvent {
  const { method, path, more } = request;
  const { authorizer, identity } = decision.isAllowed ? decision.context : {};
  const options = { ...httpOptions(request), ...(authorizer && { authorizer }), ...more };
  switch (kind) {
    case 'gateway-v2':
      return buildAPIGatewayV2Request(method, path, options);
    case 'function-url':
      return buildLambdaFunctionURLRequest(method, path, { routeKey: '$default', ...options });
    case 'gateway-v1': {
      const event = buildAPIGatewayProxyRequest(method, path, options);
      const { requestContext } = event;
      return { ...event, requestContext: { ...requestContext, identity: { ...requestContext.identity, ...identity } } };
    }
    case 'load-balancer': {
      // The event has no ids and no times; the client's address is in a header.
      const { sourceIp: _ip, requestId: _id, time: _time, ...rest } = options;
      return buildLoadBalancerRequest(method, path, { multiValue: config.multiValueHeaders, ...rest });
    }
  }
}

function httpOptions({ headers, body, sourceIp }: DoorRequest) {
  const all: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of headers) all[name] = [...(all[name] ?? []), value];
  const bytes = Buffer.from(body);
  const content =
    bytes.length === 0 ? {} : { body: isText(headers, bytes) ? bytes.toString('utf8') : new Uint8Array(bytes) };
  return { headers: all, sourceIp, requestId: randomUUID(), time: new Date(), ...content };
}

const TEXT = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|graphql|x-www-form-urlencoded)\b)/i;

/** Doors send text unchanged, and all other bodies in base64. */
function isText(headers: DoorRequest['headers'], bytes: Buffer): boolean {
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (header('content-encoding') !== undefined || !TEXT.test(header('content-type') ?? 'text/plain')) return false;
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

function traceOf({ headers }: DoorRequest): { readonly traceId?: string } {
  const traceId = headers.find(([name]) => name.toLowerCase() === 'x-amzn-trace-id')?.[1];
  return traceId === undefined ? {} : { traceId };
}
