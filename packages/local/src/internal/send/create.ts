import { randomBytes } from 'node:crypto';
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import type { HttpDoorKind } from '@sallyport/testkit/events';
import { headersFor, type Outgoing } from '../doors/iam-authorizer.js';
import { HTTP_DOORS } from '../doors/send-through-door.js';
import { localError } from '../errors.js';
import type { RunBase } from '../host/base.js';
import type { FunctionAccess } from '../host/host.js';
import type { Identity } from '../identity/identity.js';
import { shownOutcome } from '../journal/cleaner.js';
import type { InvocationRecord } from '../journal/journal.js';
import type { InvokeOutcome } from '../runtime/invoker.js';
import { findType } from '../sources/source-types.js';
import type { Sources } from '../sources/sources.js';
import type { Sender, SendRequest, SendResult } from './send.js';

/** Options of an HTTP request that a client can send to a door; with other builder options, the event is invoked directly. */
const ON_THE_WIRE: readonly string[] = ['headers', 'query', 'cookies', 'body', 'json'];

type Options = Readonly<Record<string, unknown>>;
type Sent = SendResult['invocations'][number];

/** The parts of a run that its sender uses. */
export interface SenderHost extends RunBase, FunctionAccess {
  readonly identity: Identity;
  readonly sources: Sources;
}

/** Creates the sender of a run. */
export function createSender(host: SenderHost): Sender {
  return { send: (request) => send(host, request) };
}

async function send(host: SenderHost, given: SendRequest): Promise<SendResult> {
  if (isForSource(given) && !given.caller && given.alias === undefined)
    return { invocations: [], recordIds: sendToSource(host, given) };
  const request = await signed(host, given);
  const options = (request.options ?? {}) as Options;
  const isPlain =
    request.kind === 'http' &&
    !request.caller &&
    request.alias === undefined &&
    Object.keys(options).every((name) => ON_THE_WIRE.includes(name));
  if (!isPlain) return { invocations: [await invokeByHand(host, request)], recordIds: [] };
  const doors = (request.doors ?? ['gateway-v2']).map(assertDoor);
  return { invocations: await Promise.all(doors.map((door) => throughDoor(host, door, request))), recordIds: [] };
}

/** True unless the request is an event: `invoke` is the kind of a source, and of a trigger, which has no target. */
function isForSource({ kind, target = '' }: SendRequest): boolean {
  const type = findType(kind);
  return type !== undefined && (type.form !== undefined || target !== '');
}

function sendToSource({ sources }: SenderHost, { kind, target = '', options }: SendRequest): readonly string[] {
  sources.assertHandled(kind, target);
  const records = (Array.isArray(options) ? options : [options ?? {}]) as readonly Options[];
  return sources.send({ kind, name: target, records });
}

/** Adds a token of the local issuer, if the kind has headers. */
async function signed({ identity }: SenderHost, request: SendRequest): Promise<SendRequest> {
  const { as, kind, options } = request;
  if (!as || !['http', 'appsync', 'websocket'].includes(kind)) return request;
  const authorization = `Bearer ${await identity.token(as)}`;
  const own = (options ?? {}) as { readonly headers?: object };
  const headers = { ...own.headers, authorization };
  const { sub, scopes = [] } = as;
  const claims = { sub, scope: scopes.join(' ') };
  const more = kind === 'appsync' ? { identity: { sub, issuer: 'local', claims } } : {};
  return { ...request, options: { ...more, ...own, headers } };
}

function assertDoor(door: string): HttpDoorKind {
  const known = HTTP_DOORS.find((one) => one === door);
  if (!known)
    throw localError('local.unknown_kind', `the door "${door}" does not exist: use one of ${HTTP_DOORS.join(', ')}`);
  return known;
}

async function invokeByHand(host: SenderHost, request: SendRequest): Promise<Sent> {
  const { kind, target = '', as, caller } = request;
  // Loaded with the first use: the catalogue of triggers takes 4 MB.
  const { aliasOf, buildEvent } = await import('./build-event.js');
  const alias = aliasOf(request);
  const custom = caller?.kind === 'agent' ? { bedrockAgentCoreToolName: caller.tool } : {};
  const outcome = await host.invoker.invoke(buildEvent(request), {
    origin: {
      kind: kind === 'event' ? 'send' : kind,
      target,
      ...(as ? { as: as.sub } : {}),
      ...(alias !== undefined && { alias }),
    },
    whenBusy: 'refuse',
    ...(caller ? { clientContext: { custom } } : {}),
  });
  const client = host.journal.get(outcome.id)?.client ?? null;
  return { door: null, outcome: shownOutcome(host.journal, outcome), client };
}

/** Sends a request over HTTP, as a client of the door does. */
async function throughDoor(host: SenderHost, door: HttpDoorKind, request: SendRequest): Promise<Sent> {
  const { target = '', as, options } = request;
  const [, method, path] = /^([A-Za-z]+)\s+(\/\S*)$/.exec(target.trim()) ?? [];
  if (method === undefined || path === undefined) {
    const example = target.trim().startsWith('/') ? `GET ${target.trim()}` : 'GET /notes';
    throw localError('local.usage', `an HTTP target must be a method and a path: "${example}" (got "${target}")`);
  }
  const root = `1-${Math.floor(Date.now() / 1000)
    .toString(16)
    .padStart(8, '0')}-${randomBytes(12).toString('hex')}`;
  await call(host, door, toOutgoing(host.ports[door], method.toUpperCase(), path, options ?? {}, `Root=${root}`));
  const record = firstOf(host, host.journal.idByTrace(root));
  if (!record) throw localError('local.usage', `the door ${door} rejected the request before it reached the function`);
  const { id, requestId, status, client, origin, error } = record;
  if (as) host.journal.update(id, { origin: { ...origin, as: as.sub } });
  const outcome: InvokeOutcome =
    status === 'failed'
      ? { ok: false, id, requestId, reason: 'handler', error: error ?? { errorType: 'Error', errorMessage: '' } }
      : { ok: true, id, requestId, streamed: client?.streamed ?? false, answer: record.answer };
  return { door, outcome, client };
}

/** The invocation of the request. The newest one of its trace can belong to a message that the request sent. */
function firstOf({ journal }: Pick<SenderHost, 'journal'>, id = 0): InvocationRecord | undefined {
  const record = journal.get(id);
  return typeof record?.causedBy === 'number' ? firstOf({ journal }, record.causedBy) : record;
}

interface WireOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly json?: unknown;
}

function toOutgoing(
  port: number,
  method: string,
  path: string,
  { headers = {}, query = {}, cookies = [], body, json }: WireOptions,
  trace: string,
): Outgoing {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`),
  );
  const sent = {
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
    ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}),
    'x-amzn-trace-id': trace,
  };
  return {
    port,
    method,
    path: pairs.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`,
    headers: sent,
    body: (json === undefined ? body : JSON.stringify(json)) ?? '',
  };
}

function call(host: SenderHost, door: HttpDoorKind, outgoing: Outgoing): Promise<void> {
  const { port, method, path, body } = outgoing;
  const headers = headersFor(host, door, outgoing) as OutgoingHttpHeaders;
  return new Promise<void>((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (incoming) => {
      incoming.resume();
      incoming.once('close', resolve);
      // An interrupted response counts as a response too.
      incoming.on('error', () => resolve());
    });
    request.on('error', reject);
    request.end(body.length === 0 ? undefined : body);
  });
}
