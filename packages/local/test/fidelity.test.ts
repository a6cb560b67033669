import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { FIXTURES } from '@sallyport/contract-runtime';
import { DOOR_PROFILES, type HttpDoorKind } from '@sallyport/testkit/events';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

// The fixtures of the front doors, over HTTP through the doors of a run.

const SERVICE = `
export const handler = async (event) => {
  const headers = event.multiValueHeaders ?? event.headers ?? {};
  const asked = [headers['x-answer'] ?? headers['X-Answer'] ?? ''].flat()[0];
  if (asked === 'error') throw new Error('no');
  if (asked === '') return { statusCode: 200 };
  const expand = (_name, value) => (value?.$repeat ? value.$repeat[0].repeat(value.$repeat[1]) : value);
  return JSON.parse(Buffer.from(asked, 'base64').toString('utf8'), expand);
};`;

type Json = Readonly<Record<string, unknown>>;
interface Fixture {
  readonly id: string;
  readonly covers: readonly string[];
  readonly input: { readonly steps: readonly { readonly call: string; readonly args: Json }[] };
  readonly expect: { readonly steps: readonly { readonly result: unknown }[] };
}

const fixtures = readdirSync(join(FIXTURES, 'front-doors')).map(
  (file) => JSON.parse(readFileSync(join(FIXTURES, 'front-doors', file), 'utf8')) as Fixture,
);

/** One check: a request or an answer through one door. */
interface Check {
  readonly name: string;
  readonly call: string;
  readonly args: Json;
  readonly result: unknown;
}

const CHECKS = fixtures.flatMap(({ id, input, expect: expected }) =>
  input.steps.flatMap(({ call, args }, index): Check[] => {
    // A time-out takes 30 seconds, and a throttled function needs many requests; other tests send them.
    const isSlow = args.failure === 'timeout' || args.failure === 'throttled';
    if ((call !== 'front_door_event' && call !== 'front_door_answer') || isSlow) return [];
    const name = `${id.slice('front-doors/'.length)} ${String(args.door)} (${index + 1})`;
    return [{ name, call, args, result: expected.steps[index]?.result }];
  }),
);

/** Headers that AWS adds to each request. */
const PLACE: Readonly<Record<string, (headers: Readonly<Record<string, string>>, door: HttpDoorKind) => boolean>> = {
  'the address of the client is the last of the forwarded addresses': (headers, door) =>
    headers[DOOR_PROFILES[door].added.for] === '203.0.113.9, 127.0.0.1',
  'a port is stated': (headers, door) => /^\d+$/.test(headers[DOOR_PROFILES[door].added.port] ?? ''),
  'a trace begins': (headers, door) =>
    /^Root=1-[\da-f]{8}-[\da-f]{24}/.test(headers[DOOR_PROFILES[door].added.trace] ?? ''),
  'headers of the connection are removed': (headers) => headers.connection === undefined,
  'the protocol is https': (headers, door) =>
    headers[DOOR_PROFILES[door].added.proto] === (door === 'load-balancer' ? 'http' : 'https'),
  'host is the domain of the API': (headers, door) =>
    door === 'load-balancer' || /\.(?:amazonaws\.com|on\.aws)$/.test(headers.host ?? headers.Host ?? ''),
};

/** The checks that fail, each with its reason; the record of every such request has the difference `request.address`. */
const DIFFERENT: Readonly<Record<string, string>> = Object.fromEntries(
  ['gateway-v2', 'gateway-v1', 'function-url'].flatMap((door) => [
    [
      `the protocol is https, ${door}`,
      'the door listens on plain HTTP, and redirects that the service builds must work here',
    ],
    [
      `host is the domain of the API, ${door}`,
      'the client sends the address of this machine, and links that the service builds must work here',
    ],
  ]),
);

const hosts = new Map<string, { readonly host: RunningHost; readonly project: Project }>();
async function hostFor({ binary_media_types: types = [], multi_value: multiValueHeaders = false }: Json) {
  const key = JSON.stringify([types, multiValueHeaders]);
  const known = hosts.get(key);
  if (known) return known.host;
  const project = createProject({ 'src/lambda.mjs': SERVICE });
  const flags = { binaryMediaTypes: types as string[], multiValueHeaders: multiValueHeaders as boolean };
  const made = { host: await start(project, flags), project };
  hosts.set(key, made);
  return made.host;
}
afterAll(async () => {
  for (const { host, project } of hosts.values()) {
    await host.stop();
    project.remove();
  }
});

type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly headers: readonly string[];
  readonly body?: Buffer;
};

function send(host: RunningHost, door: HttpDoorKind, { method = 'GET', path = '/', headers, body }: Sent) {
  return new Promise<{ status: number; rawHeaders: readonly string[]; body: Buffer }>((resolve, reject) => {
    const own = ['Host', `127.0.0.1:${host.ports[door]}`, ...(body ? ['Content-Length', String(body.length)] : [])];
    const outgoing = httpRequest(
      { host: '127.0.0.1', port: host.ports[door], method, path, headers: [...own, ...headers] as never },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, rawHeaders: incoming.rawHeaders, body: Buffer.concat(chunks) }),
        );
      },
    );
    outgoing.on('error', reject).end(body);
  });
}

const bytesOf = (body: unknown) =>
  body === undefined
    ? undefined
    : typeof body === 'string'
      ? Buffer.from(body)
      : Buffer.from((body as { readonly base64: string }).base64, 'base64');

/** The event of a request. */
async function eventOf(args: Json): Promise<unknown> {
  const host = await hostFor(args);
  const body = bytesOf(args.body);
  const headers = (args.headers ?? []) as readonly (readonly string[])[];
  await send(host, args.door as HttpDoorKind, { ...(args as object), headers: headers.flat(), ...(body && { body }) });
  return host.journal.rawEvent(host.journal.list().at(-1)?.id ?? 0);
}

/** The response that the client of an answer receives, without the headers of Node's server. */
async function clientOf(args: Json): Promise<unknown> {
  const host = await hostFor(args);
  const asked =
    args.failure === 'error' ? 'error' : Buffer.from(JSON.stringify(args.answer ?? null)).toString('base64');
  const accept = args.accept === undefined ? [] : ['accept', String(args.accept)];
  const got = await send(host, args.door as HttpDoorKind, { headers: ['x-answer', asked, ...accept] });
  const pairs: [string, string][] = [];
  for (let at = 0; at < got.rawHeaders.length; at += 2)
    pairs.push([String(got.rawHeaders[at]).toLowerCase(), String(got.rawHeaders[at + 1])]);
  const answered = (args.answer ?? {}) as { readonly headers?: Json };
  const isOwn = (name: string, value: string) =>
    Object.entries(answered.headers ?? {}).some(([own, given]) => own.toLowerCase() === name && given === value);
  const server = ['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'date'];
  const text = got.body.toString('utf8');
  return {
    status: got.status,
    headers: pairs.filter(([name, value]) => !server.includes(name) || isOwn(name, value)),
    body: Buffer.from(text).equals(got.body) ? text : { base64: got.body.toString('base64') },
  };
}

/** The matchers of the fixtures that occur here; an absent member is `undefined`. */
function matching(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map(matching);
  if (typeof expected !== 'object' || expected === null) return expected;
  const { $open: _isOpen, $any: type, $absent: isAbsent, ...members } = expected as Json;
  if (isAbsent === true) return undefined;
  if (type !== undefined) return expect.any(String);
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, matching(value)]));
}

/** The members of a value that an open expectation names. */
function named(got: unknown, expected: unknown): unknown {
  if (typeof got !== 'object' || got === null || Array.isArray(got)) return got;
  const { $open: isOpen, ...members } = (expected ?? {}) as Json;
  const keys = isOpen === true ? Object.keys(members) : Object.keys(got);
  return Object.fromEntries(keys.map((key) => [key, named((got as Json)[key], members[key])]));
}

test.each(CHECKS)('$name', async ({ call, args, result }) => {
  const { rejected: _rejected, ...expected } = result as Json;
  const got = call === 'front_door_event' ? await eventOf(args) : await clientOf(args);
  expect(named(got, expected)).toEqual(matching(expected));
});

describe.each(['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'] as const)('%s', (door) => {
  test.each(Object.keys(PLACE))('%s', async (name) => {
    const headers = [['X-Forwarded-For', '203.0.113.9']];
    const event = (await eventOf({ door, headers })) as { readonly headers: Readonly<Record<string, string>> };
    expect(PLACE[name]?.(event.headers, door)).toBe(DIFFERENT[`${name}, ${door}`] === undefined);
  });
});

test('at least 140 of 145 checks are as on AWS', () => {
  const all = CHECKS.length + 4 * Object.keys(PLACE).length;
  expect([CHECKS.length, all, Object.keys(DIFFERENT).length]).toEqual([177, 201, 6]);
  expect((all - Object.keys(DIFFERENT).length) / all).toBeGreaterThan(140 / 145);
});

test('each row of the profile of a door has a fixture with its source', () => {
  const sources = JSON.parse(readFileSync(join(FIXTURES, 'requirements.d', 'front-doors.json'), 'utf8')) as Readonly<
    Record<string, { readonly source: string }>
  >;
  const covered = new Set(fixtures.flatMap(({ covers }) => covers));
  const rows: Readonly<Record<keyof (typeof DOOR_PROFILES)['gateway-v2'], string>> = {
    headerNames: 'header-names',
    cookies: 'cookies',
    path: 'path',
    claims: 'claims',
    streams: 'streaming',
    textTypes: 'text-types',
    maxBodyBytes: 'limits',
    maxHeaderBytes: 'limits',
    maxAnswerBytes: 'max-answer',
    waitsMs: 'limits',
    added: 'added',
    remapped: 'remapped',
    needsStatus: 'needs-status',
    contentType: 'content-type',
    failures: 'failures',
  };
  const missing = Object.keys(DOOR_PROFILES['gateway-v2']).filter((row) => {
    const id = `front-doors.${rows[row as keyof typeof rows]}`;
    return !covered.has(id) || !/^https:/.test(sources[id]?.source ?? '');
  });
  expect(missing).toEqual([]);
});
