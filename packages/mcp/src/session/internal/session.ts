import { type Exchange, nowMs } from '../../http/internal/exchange.js';
import { isObject, own } from '../../protocol/internal/json-rpc.js';
import { isSessionVersion, type LogLevel } from '../../protocol/internal/protocol.js';
import type { ClientCapabilities, Implementation, JsonObject } from '../../protocol/types.js';
import { type Core, principalHash, storeOf } from '../../server/internal/core.js';
import { hashText, randomText } from '../../store/internal/crypto.js';
import { decodeRow, encodeRow, type Row, toTtl } from '../../store/store.js';
import type { Session } from './session-shape.js';

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

/** Makes a session and returns its id; `undefined` when there are no sessions. */
export async function createSession(
  core: Core,
  exchange: Exchange,
  version: string,
  params: JsonObject,
): Promise<string | undefined> {
  const { settings } = core;
  const client = toClient(own(params, 'clientInfo'));
  const capabilities = (own(params, 'capabilities') ?? {}) as ClientCapabilities;
  const expiresMs = nowMs(exchange.clock) + settings.sessionTtlMs;
  if (settings.sessions === 'none') return undefined;
  if (settings.sessions === 'sealed') {
    const text = JSON.stringify([version, toBits(capabilities), client?.name ?? '', expiresMs]);
    return core.sealer.seal('session', text, principalHash(exchange));
  }
  const id = randomText(32);
  const caps = JSON.stringify(capabilities).length > MAX_DECLARED_BYTES ? fromBits(toBits(capabilities)) : capabilities;
  const data: SessionData = { v: version, c: client, caps, p: principalHash(exchange), l: 'info' };
  await storeOf(core).put(sessionRow(id, 1, expiresMs, data), 'absent');
  return id;
}

/** The session with this id, if it lives and belongs to who calls. */
export async function findSession(core: Core, exchange: Exchange, id: string): Promise<Session | undefined> {
  if (!ID.test(id)) return undefined;
  return core.settings.sessions === 'sealed' ? openSealed(core, exchange, id) : readDurable(core, exchange, id);
}

async function openSealed(core: Core, exchange: Exchange, id: string): Promise<Session | undefined> {
  const text = await core.sealer.open('session', id, principalHash(exchange));
  if (text === undefined) return undefined;
  const [version, bits, name, expiresMs] = JSON.parse(text) as [string, number, string, number];
  if (!isSessionVersion(version) || expiresMs <= nowMs(exchange.clock)) return undefined;
  return {
    version,
    client: name === '' ? undefined : { name, version: '' },
    capabilities: fromBits(bits),
    partition: core.settings.store && partitionOf(id),
    level: core.settings.store ? undefined : 'info',
    expiresMs,
  };
}

async function readDurable(core: Core, exchange: Exchange, id: string): Promise<Session | undefined> {
  const row = await storeOf(core).get(keyOf(id));
  const data = row && decodeRow<SessionData>(row);
  if (!row || !data || data.gone || data.p !== principalHash(exchange) || !isSessionVersion(data.v)) return undefined;
  await touch(core, exchange, row, data);
  return {
    version: data.v,
    client: data.c,
    capabilities: data.caps,
    partition: row.partition,
    level: data.l,
    expiresMs: row.ttl * 1000,
  };
}

/** Slides the expiry once a quarter of the lifetime has passed. Losing to another writer is as good as winning. */
async function touch(core: Core, exchange: Exchange, row: Row, data: SessionData): Promise<void> {
  const { sessionTtlMs } = core.settings;
  const now = nowMs(exchange.clock);
  if (row.ttl * 1000 - now > sessionTtlMs * 0.75) return;
  const next = { ...row, version: row.version + 1, ttl: toTtl(now + sessionTtlMs), data: encodeRow(data) };
  await storeOf(core).put(next, { version: row.version });
}

/** Leaves a tombstone until the session would have ended anyway. */
export async function deleteSession(core: Core, id: string): Promise<void> {
  await change(core, partitionOf(id), (data) => ({ ...data, gone: true }));
}

/** Remembers the least level of log events. Where nothing is stored it stays as it is. */
export async function setLevel(core: Core, session: Session, level: LogLevel): Promise<void> {
  const { partition } = session;
  if (partition === undefined) return;
  if (core.settings.sessions === 'durable') await change(core, partition, (data) => ({ ...data, l: level }));
  else {
    const data = encodeRow(level);
    await storeOf(core).put({ partition, sort: LEVEL, version: 1, ttl: toTtl(session.expiresMs), data });
  }
}

/** The least level of log events; a sealed session keeps it in a row that is read only when a handler logs. */
export async function readLevel(core: Core, session: Session): Promise<LogLevel> {
  if (session.level !== undefined || session.partition === undefined) return session.level ?? 'info';
  const row = await storeOf(core).get({ partition: session.partition, sort: LEVEL });
  return row ? decodeRow<LogLevel>(row) : 'info';
}

const SESSION = 'session';
const LEVEL = 'level';

async function change(core: Core, partition: string, edit: (data: SessionData) => SessionData): Promise<void> {
  const store = storeOf(core);
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

function partitionOf(id: string): string {
  return `s#${hashText(id)}`;
}

function keyOf(id: string) {
  return { partition: partitionOf(id), sort: SESSION };
}

function sessionRow(id: string, version: number, expiresMs: number, data: SessionData): Row {
  return { ...keyOf(id), version, ttl: toTtl(expiresMs), data: encodeRow(data) };
}

/** Name and version, cut to what is worth storing. */
function toClient(info: unknown): Implementation | undefined {
  if (!isObject(info) || typeof info.name !== 'string') return undefined;
  const { name, version, title } = info;
  const client: Implementation = { name: cut(name), version: cut(version) };
  if (typeof title === 'string') client.title = cut(title);
  return client;
}

const cut = (text: unknown): string => (typeof text === 'string' ? text.slice(0, MAX_CLIENT_TEXT) : '');

/** The capabilities that matter to us, in the order of their bits. */
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
