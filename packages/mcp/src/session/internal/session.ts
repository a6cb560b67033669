import { isObject, sha256Url } from '@sallyport/core/internal';
import { holdsScopes, type McpRequest, nowMs, principalHash } from '../../http/internal/transport.js';
import { randomText } from '../../internal/crypto.js';
import { own } from '../../protocol/internal/json-rpc.js';
import { isSessionVersion, MAX_SUBSCRIPTIONS, type SessionVersion } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Implementation, JsonObject, LogLevel } from '../../protocol/types.js';
import { invalidParams } from '../../server/errors.js';
import { type ServerData, storeOf } from '../../server/internal/server-data.js';
import { decodeRow, encodeRow, type Row, toTtl } from '../../store/store.js';

/** The session of a request. */
export interface Session {
  readonly version: SessionVersion;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Partition of its rows; `undefined` if nothing is stored. */
  readonly partition: string | undefined;
  /** The log level; `undefined` if it is in a separate row, or not stored. */
  readonly level: LogLevel | undefined;
  readonly expiresMs: number;
}

/** The session of a request to a server without sessions. */
export const NO_SESSION: Omit<Session, 'version'> = {
  client: undefined,
  capabilities: {},
  partition: undefined,
  level: 'info',
  expiresMs: 0,
};

interface SessionData {
  readonly v: string;
  readonly c?: Implementation | undefined;
  readonly caps: ClientCapabilities;
  /** Hash of the principal. */
  readonly p: string;
  readonly l: LogLevel;
  /** A tombstone: the session was deleted. */
  readonly gone?: true;
}

const MAX_CLIENT_TEXT = 64;
const MAX_DECLARED_BYTES = 16 * 1024;
const ID = /^[\x21-\x7e]{1,4096}$/;

/** Creates a session and returns its id; `undefined` if the server has no sessions. */
export async function createSession(
  server: ServerData,
  http: McpRequest,
  version: string,
  params: JsonObject,
): Promise<string | undefined> {
  const { settings } = server;
  const client = toClient(own(params, 'clientInfo'));
  const capabilities = (own(params, 'capabilities') ?? {}) as ClientCapabilities;
  const expiresMs = nowMs(http.clock) + settings.sessionTtlMs;
  if (settings.sessions === 'none') return undefined;
  if (settings.sessions === 'sealed') {
    const text = JSON.stringify([version, toBits(capabilities), client?.name ?? '', expiresMs]);
    return server.sealer.seal('session', text, principalHash(http));
  }
  const id = randomText(32);
  const caps = JSON.stringify(capabilities).length > MAX_DECLARED_BYTES ? fromBits(toBits(capabilities)) : capabilities;
  const data: SessionData = { v: version, c: client, caps, p: principalHash(http), l: 'info' };
  await storeOf(server).put(
    { ...keyOf(server, id), version: 1, ttl: toTtl(expiresMs), data: encodeRow(data) },
    'absent',
  );
  return id;
}

/** The session with this id, if it exists and belongs to the caller. */
export async function findSession(server: ServerData, http: McpRequest, id: string): Promise<Session | undefined> {
  if (!ID.test(id)) return undefined;
  return server.settings.sessions === 'sealed' ? openSealed(server, http, id) : readDurable(server, http, id);
}

async function openSealed(server: ServerData, http: McpRequest, id: string): Promise<Session | undefined> {
  const text = await server.sealer.open('session', id, principalHash(http));
  if (text === undefined) return undefined;
  const [version, bits, name, expiresMs] = JSON.parse(text) as [string, number, string, number];
  if (!isSessionVersion(version) || expiresMs <= nowMs(http.clock)) return undefined;
  return {
    version,
    client: name === '' ? undefined : { name, version: '' },
    capabilities: fromBits(bits),
    partition: server.settings.store && partitionOf(server, id),
    level: server.settings.store ? undefined : 'info',
    expiresMs,
  };
}

async function readDurable(server: ServerData, http: McpRequest, id: string): Promise<Session | undefined> {
  const row = await storeOf(server).get(keyOf(server, id));
  const data = row && decodeRow<SessionData>(row);
  if (!row || !data || data.gone || data.p !== principalHash(http) || !isSessionVersion(data.v)) return undefined;
  await touch(server, http, row, data);
  return {
    version: data.v,
    client: data.c,
    capabilities: data.caps,
    partition: row.partition,
    level: data.l,
    expiresMs: row.ttl * 1000,
  };
}

/** Extends the lifetime after a quarter of it has passed. If another writer is faster, the result is the same. */
async function touch(server: ServerData, http: McpRequest, row: Row, data: SessionData): Promise<void> {
  const { sessionTtlMs } = server.settings;
  const now = nowMs(http.clock);
  if (row.ttl * 1000 - now > sessionTtlMs * 0.75) return;
  // Extends the subscriptions first: if this is interrupted, the next request repeats it.
  if (server.settings.changes) await renewSubscriptions(server, row.partition, toTtl(now + sessionTtlMs));
  const next = { ...row, version: row.version + 1, ttl: toTtl(now + sessionTtlMs), data: encodeRow(data) };
  await storeOf(server).put(next, { version: row.version });
}

/** Writes a tombstone that expires at the end of the session's lifetime. */
export async function deleteSession(server: ServerData, id: string): Promise<void> {
  await change(server, partitionOf(server, id), (data) => ({ ...data, gone: true }));
}

/** Stores the lowest level of log events. Without a store it has no effect. */
export async function setLevel(server: ServerData, session: Session, level: LogLevel): Promise<void> {
  const { partition } = session;
  if (partition === undefined) return;
  if (server.settings.sessions === 'durable') await change(server, partition, (data) => ({ ...data, l: level }));
  else {
    const data = encodeRow(level);
    await storeOf(server).put({ partition, sort: LEVEL, version: 1, ttl: toTtl(session.expiresMs), data });
  }
}

/** The lowest level of log events. For a sealed session it is in a row that is read only when a handler logs. */
export async function readLevel(server: ServerData, session: Session): Promise<LogLevel> {
  if (session.level !== undefined || session.partition === undefined) return session.level ?? 'info';
  const row = await storeOf(server).get({ partition: session.partition, sort: LEVEL });
  return row ? decodeRow<LogLevel>(row) : 'info';
}

const SESSION = 'session';
const LEVEL = 'level';

async function change(server: ServerData, partition: string, edit: (data: SessionData) => SessionData): Promise<void> {
  const store = storeOf(server);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const row = await store.get({ partition, sort: SESSION });
    if (!row) return;
    const data = decodeRow<SessionData>(row);
    if (data.gone) return;
    const next = { ...row, version: row.version + 1, data: encodeRow(edit(data)) };
    if (await store.put(next, { version: row.version })) return;
  }
  throw new Error('framework: mcp: a session row changes too often');
}

/** Servers may share a table: only the server that created a session finds it. */
function partitionOf({ settings }: ServerData, id: string): string {
  return `s#${sha256Url(JSON.stringify([settings.info.name, id]))}`;
}

function keyOf(server: ServerData, id: string) {
  return { partition: partitionOf(server, id), sort: SESSION };
}

/** Name and version, truncated for the store. */
function toClient(info: unknown): Implementation | undefined {
  if (!isObject(info) || typeof info.name !== 'string') return undefined;
  const { name, version, title } = info;
  const client: Implementation = { name: cut(name), version: cut(version) };
  if (typeof title === 'string') client.title = cut(title);
  return client;
}

const cut = (text: unknown): string => (typeof text === 'string' ? text.slice(0, MAX_CLIENT_TEXT) : '');

/** The capabilities that are stored, in the order of their bits. */
const BITS: readonly ((capabilities: ClientCapabilities) => unknown)[] = [
  (capabilities) => capabilities.roots,
  (capabilities) => capabilities.sampling,
  (capabilities) => capabilities.sampling?.tools,
  (capabilities) => capabilities.elicitation,
  (capabilities) => capabilities.elicitation?.form,
  (capabilities) => capabilities.elicitation?.url,
];

function toBits(capabilities: ClientCapabilities): number {
  return BITS.reduce((bits, has, index) => (isObject(has(capabilities)) ? bits | (1 << index) : bits), 0);
}

function fromBits(bits: number): ClientCapabilities {
  const [roots, sampling, tools, elicitation, form, url] = BITS.map((_, index) => (bits & (1 << index)) !== 0);
  return {
    ...(roots ? { roots: {} } : {}),
    ...(sampling ? { sampling: tools ? { tools: {} } : {} } : {}),
    ...(elicitation ? { elicitation: { ...(form ? { form: {} } : {}), ...(url ? { url: {} } : {}) } } : {}),
  };
}

const SUBSCRIPTION = 'sub#';

/** Subscribes a session to changes of a resource, until the session ends. */
export async function subscribe(server: ServerData, session: Session, uri: string, now: number): Promise<void> {
  const key = subscriptionKey(session, uri);
  const subscriptions = await listSubscriptions(server, key.partition);
  const others = subscriptions.filter(({ sort }) => sort !== key.sort);
  const { sessions, sessionTtlMs } = server.settings;
  const expiresMs = sessions === 'sealed' ? session.expiresMs : now + sessionTtlMs;
  if (others.length >= MAX_SUBSCRIPTIONS) throw invalidParams(`At most ${MAX_SUBSCRIPTIONS} subscriptions`);
  await storeOf(server).put({ ...key, version: 1, ttl: toTtl(expiresMs), data: encodeRow(1) });
}

async function listSubscriptions(server: ServerData, partition: string): Promise<readonly Row[]> {
  const rows = await storeOf(server).list(partition, SUBSCRIPTION, MAX_SUBSCRIPTIONS);
  return rows.filter(({ sort }) => sort.startsWith(SUBSCRIPTION));
}

async function renewSubscriptions(server: ServerData, partition: string, ttl: number): Promise<void> {
  const rows = await listSubscriptions(server, partition);
  await Promise.all(rows.map((row) => storeOf(server).put({ ...row, ttl })));
}

export async function unsubscribe(server: ServerData, session: Session, uri: string): Promise<void> {
  await storeOf(server).take(subscriptionKey(session, uri));
}

/** True if a session must be notified of a change: it has subscribed to the resource, and its caller may still read it. */
export async function isSubscribed(
  server: ServerData,
  http: McpRequest,
  session: Session,
  uri: string,
): Promise<boolean> {
  const found = server.registry.findResource(uri);
  if (!found || !holdsScopes(http, 'resource' in found ? found.resource : found.template)) return false;
  return (await storeOf(server).get(subscriptionKey(session, uri))) !== undefined;
}

function subscriptionKey({ partition = '' }: Session, uri: string) {
  return { partition, sort: SUBSCRIPTION + sha256Url(uri) };
}
