/** Calls a running `sallyport dev` through the HTTP API of its console, as its page does: one event for each handler of the project. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toOptions } from '../../packages/local/console/parts/form-values.js';
import { withTargetSamples } from '../../packages/local/console/parts/samples.js';
import type { ConsoleApi, InvocationRow, SendForm } from '../../packages/local/src/internal/console/api.js';
import type { RouteView } from '../../packages/local/src/internal/inspect/inspection.js';
import type { SendRequest } from '../../packages/local/src/internal/send/send.js';

/** The HTTP API of the console of one run. */
export type Console = <R extends keyof ConsoleApi>(route: R, body?: object) => Promise<ConsoleApi[R]['answer']>;

/** The console of the run in a project, by the file that other commands find it with. */
export function consoleOf(project: string): Console {
  const { port, token } = JSON.parse(readFileSync(join(project, '.sallyport/run.json'), 'utf8')) as {
    readonly port: number;
    readonly token: string;
  };
  return async (route, body) => {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'release', version: '1.0.0' } },
};

/** Values that a user enters, because no schema describes them. */
const TYPED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'POST /mcp': { json: JSON.stringify(INITIALIZE) },
  $default: { body: '"hello"' },
};

// The form does not fill in the parameter, so that the id is "{id}".
const NOTES = ['http GET /health: 200', 'http GET /notes/{id}: 404', 'http PUT /notes/{id}: 200'];
const ORDERS = ['queue orders: ok', 'queue bills.fifo: ok', 'stream clicks: ok', 'schedule nightly: ok'];
const BOOKS = [
  'appsync Query.book: {"id":"1","title":"The first book"}',
  'appsync Mutation.renameBook: {"id":"1","title":"text"}',
];
const CHAT = ['websocket $connect: 204', 'websocket $default: 204', 'websocket $disconnect: 204'];
const METADATA = '/.well-known/oauth-protected-resource';
const TOOLS = [
  ...['http POST /mcp: 200', 'http GET /mcp: 405', 'http DELETE /mcp: 405'],
  ...[METADATA, `${METADATA}/mcp`].flatMap((path) => [`http GET ${path}: 200`, `http HEAD ${path}: 200`]),
];

/** The lines of {@link askEach} for each kind of project. */
export const ASKED: Readonly<Record<string, readonly string[]>> = {
  api: NOTES,
  events: ORDERS,
  graphql: BOOKS,
  websocket: CHAT,
  mcp: TOOLS,
  full: [...NOTES, ...TOOLS, ...BOOKS, ...ORDERS, ...CHAT],
};

/**
 * Sends one event for each registration of the project, with the values with which its form begins and a caller that its posture accepts.
 *
 * @param without kinds that are not sent
 * @returns one line for each, in order: `http GET /health: 200`, `queue orders: ok`
 */
export async function askEach(call: Console, without: readonly string[] = []): Promise<readonly string[]> {
  const [forms, inventory] = await Promise.all([call('GET /api/forms'), call('GET /api/inventory')]);
  const registrations = registrationsOf(inventory).filter(({ kind }) => !without.includes(kind));
  // DynamoDB starts after the doors; connections are its items.
  if (registrations.some(({ kind }) => kind === 'websocket'))
    await until(async () => (await call('GET /api/state')).state !== 'starting' || undefined);
  const lines: string[] = [];
  for (const { kind, target } of registrations) {
    const form = forms.find((one) => one.kind === kind);
    if (!form) throw new Error(`the console has no form for ${kind}`);
    const route = inventory.routes.find((one) => one.surface === kind && one.name === target);
    const before = (await call('GET /api/invocations')).at(-1)?.id ?? 0;
    await call('POST /api/send', requestOf(form, target, route));
    const { id, summary } = await nextOf(call, before);
    lines.push(`${kind} ${target}: ${kind === 'appsync' ? await fieldOf(call, id) : summary}`);
  }
  return lines;
}

interface Registration {
  readonly kind: string;
  readonly target: string;
}

function registrationsOf({ routes, triggers }: ConsoleApi['GET /api/inventory']['answer']): readonly Registration[] {
  return [
    ...routes.map(({ surface, name }) => ({ kind: surface, target: name })),
    // A rule of a bus that has a name is a schedule.
    ...triggers.map(({ kind, name, selector }) =>
      selector?.ruleName === undefined ? { kind, target: name } : { kind: 'schedule', target: selector.ruleName },
    ),
  ].sort((a, b) => ORDER.indexOf(a.target) - ORDER.indexOf(b.target));
}

/** A connection is opened before it has messages, and closed last. */
const ORDER = ['$connect', '$default', '$disconnect'];

function requestOf(form: SendForm, target: string, route: RouteView | undefined): SendRequest {
  const { fields } = withTargetSamples(form, target);
  const options = toOptions(fields, TYPED[target] ?? {});
  const isClosed = route?.posture && !['public', 'optional'].includes(route.posture);
  return {
    ...{ kind: form.kind, target, options },
    ...(isClosed && { as: { sub: 'ada', ...(route.scopes.length > 0 && { scopes: route.scopes }) } }),
  };
}

/** The answer of a GraphQL field, as JSON. */
async function fieldOf(call: Console, id: number): Promise<string> {
  const { answer } = await call(`GET /api/invocations/${id}` as 'GET /api/invocations/{id}');
  return JSON.stringify(answer);
}

/** The first invocation after a number, at its end. */
function nextOf(call: Console, before: number): Promise<InvocationRow> {
  return until(async () => (await call('GET /api/invocations')).find(({ id, ms }) => id > before && ms !== null));
}

/** The first value that is read, at most a minute later. */
export async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const found = await read();
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error('nothing happened in 60 s');
}
