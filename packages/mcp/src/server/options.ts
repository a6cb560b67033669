import { type Clock, FrameworkError, type MaybePromise, systemClock } from '@sallyport/core';
import { invalidOption } from '@sallyport/core/options';
import { assertKnownOptions } from '@sallyport/core/pipeline';
import { isObject } from '../protocol/internal/json-rpc.js';
import type { Icon, Implementation, JsonObject } from '../protocol/types.js';
import type { McpContext } from '../run/context.js';
import { MCP_SESSION_TTL_SECONDS } from '../schema.js';
import type { McpSpill, McpStore } from '../store/store.js';
import type { CacheHint, ListedItem } from './definitions.js';

/** Keys of at least 32 bytes each. `current` seals; `previous` ones still open what they sealed. */
export interface McpSecret {
  /** The key that seals. Text counts as UTF-8. */
  readonly current: string | Uint8Array;
  /** Keys that only open. Default none. */
  readonly previous?: readonly (string | Uint8Array)[];
}

const MIN_BYTES = 32;

/**
 * The keys of a secret, the current one first.
 *
 * @throws FrameworkError when a key is shorter than 32 bytes; the text never holds the key
 */
export function parseSecret(secret: McpSecret): readonly Uint8Array[] {
  if (typeof secret !== 'object' || secret === null) throw invalidOption('secret', 'an object with "current"');
  const keys = [secret.current, ...(secret.previous ?? [])].map((key) => {
    const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
    if (!(bytes instanceof Uint8Array) || bytes.length < MIN_BYTES) {
      throw invalidOption('secret', `keys of at least ${MIN_BYTES} bytes`);
    }
    return bytes;
  });
  return keys;
}

/** How sessions are kept: in the id itself (`sealed`), in the store (`durable`), or not at all (`none`). */
export type SessionMode = 'sealed' | 'durable' | 'none';

/** Options of {@link createMcpServer}; an unknown key is refused. */
export interface McpServerOptions {
  /** Name of the server, as clients show it; required. Change notifications go to servers of the same name. */
  readonly name: string;
  /** Version of the server; required. */
  readonly version: string;
  /** Name for people. Default none. */
  readonly title?: string;
  /** What the server is for. Default none. */
  readonly description?: string;
  /** Page about the server. Default none. */
  readonly websiteUrl?: string;
  /** Icons that a client may show. Default none. */
  readonly icons?: readonly Icon[];
  /** How to use the server, for the client's model. */
  readonly instructions?: string;
  /** Default: `durable` with a store, else `sealed` with a secret, else `none`. */
  readonly sessions?: SessionMode;
  /** Seconds; at most 30 days. Default: `durable` 24 h, sliding; `sealed` 7 days, fixed. */
  readonly sessionTtlSeconds?: number;
  /** Where sessions, parked calls and changes are kept. Default none. */
  readonly store?: McpStore;
  /** Keys that seal session ids, state and cursors, or a function that gets them at the first use. Default none. */
  readonly secret?: McpSecret | (() => MaybePromise<McpSecret>);
  /** For events over 256 KiB. */
  readonly spill?: McpSpill;
  /** Change notifications: `publish`, subscriptions, listeners. Needs a store. Default `false`. */
  readonly changes?: boolean;
  /** Default `true`. */
  readonly logging?: boolean;
  /** Leaves entries out of lists, by caller. Lists are then made at each request and never shared. */
  readonly listFilter?: (ctx: McpContext, item: ListedItem) => MaybePromise<boolean>;
  /** Entries a page. Default 100. */
  readonly pageSize?: number;
  /** Hints of stateless-era answers. Default: 0 and private. */
  readonly cache?: CacheHint;
  /** Extensions by id, with their settings; stateless era. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** Origins that may call from a browser, besides loopback ones on loopback. Default none. */
  readonly allowedOrigins?: readonly string[];
  /** Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /** `hold` keeps a streaming response open while the client is asked. Default `park`. */
  readonly whileWaiting?: 'park' | 'hold';
  /** How soon a client comes back to a parked call. Default: 500 ms at first, 2 s after 5 s, 5 s after 30 s. */
  readonly retryMs?: number;
  /** How long a resumed stream waits for a run that is under way. Default 1,500. */
  readonly resumeWaitMs?: number;
  /** How often listeners look for changes. Default 1,000. */
  readonly changePollMs?: number;
  /** How long a listener lives at most. Default 300,000. */
  readonly listenMs?: number;
  /** For `publish`; requests bring their own. */
  readonly clock?: Clock;
}

/** Options with every default filled in. */
export interface Settings {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly sessions: SessionMode;
  readonly sessionTtlMs: number;
  readonly store: McpStore | undefined;
  readonly secret: McpSecret | (() => MaybePromise<McpSecret>) | undefined;
  readonly spill: McpSpill | undefined;
  readonly changes: boolean;
  readonly logging: boolean;
  readonly listFilter: McpServerOptions['listFilter'];
  readonly pageSize: number;
  readonly cache: Required<CacheHint>;
  readonly extensions: Readonly<Record<string, JsonObject>> | undefined;
  readonly allowedOrigins: readonly string[];
  readonly maxBodyBytes: number;
  readonly hold: boolean;
  readonly retryMs: number | undefined;
  readonly resumeWaitMs: number;
  readonly changePollMs: number;
  readonly listenMs: number;
  readonly clock: Clock;
}

const KNOWN = [
  ...[
    'name',
    'version',
    'title',
    'description',
    'websiteUrl',
    'icons',
    'instructions',
    'sessions',
    'sessionTtlSeconds',
  ],
  ...['store', 'secret', 'spill', 'changes', 'logging', 'listFilter', 'pageSize', 'cache', 'extensions'],
  ...['allowedOrigins', 'maxBodyBytes', 'whileWaiting', 'retryMs', 'resumeWaitMs', 'changePollMs', 'listenMs', 'clock'],
];
/** A prefix with at least one dot-separated label, a slash, a name (revision 2026-07-28, `_meta` keys). */
const EXTENSION_ID =
  /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]*[a-z0-9])?)*\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i;

/** @throws FrameworkError `app.invalid_configuration`, naming the option */
export function parseOptions(options: McpServerOptions): Settings {
  if (!isObject(options)) throw invalidOption('options', 'an object');
  assertKnownOptions(options, KNOWN);
  const { store, secret } = options;
  withFunctions(options, 'store', ['get', 'put', 'take', 'list']);
  withFunctions(options, 'spill', ['put', 'get']);
  withFunctions(options, 'clock', ['now']);
  const sessions = options.sessions ?? (store ? 'durable' : secret ? 'sealed' : 'none');
  checkSessions(sessions, options);
  if (secret !== undefined && typeof secret !== 'function') parseSecret(secret);
  if (options.changes && !store) throw invalidOption('changes', 'false without a store');
  const ttl = options.sessionTtlSeconds ?? (sessions === 'none' ? 0 : MCP_SESSION_TTL_SECONDS[sessions]);
  return {
    info: parseInfo(options),
    instructions: textOption(options, 'instructions'),
    sessions,
    sessionTtlMs: checkTtl(ttl, sessions) * 1000,
    store,
    secret,
    spill: options.spill,
    changes: flag(options, 'changes', false),
    logging: flag(options, 'logging', true),
    listFilter: options.listFilter,
    pageSize: whole(options, 'pageSize', 100, 1),
    cache: parseCache(options.cache),
    extensions: parseExtensions(options.extensions),
    allowedOrigins: options.allowedOrigins ?? [],
    maxBodyBytes: whole(options, 'maxBodyBytes', 4 * 1024 * 1024, 1),
    hold: oneOf(options.whileWaiting ?? 'park', 'whileWaiting', ['park', 'hold']) === 'hold',
    retryMs: options.retryMs === undefined ? undefined : whole(options, 'retryMs', 0, 1),
    resumeWaitMs: whole(options, 'resumeWaitMs', 1500, 0),
    changePollMs: whole(options, 'changePollMs', 1000, 10),
    listenMs: whole(options, 'listenMs', 300_000, 1),
    clock: options.clock ?? systemClock,
  };
}

function checkSessions(sessions: SessionMode, options: McpServerOptions): void {
  oneOf(sessions, 'sessions', ['sealed', 'durable', 'none']);
  if (sessions === 'sealed' && !options.secret) throw invalidOption('sessions', '"sealed" only with a secret');
  if (sessions === 'durable' && !options.store) throw invalidOption('sessions', '"durable" only with a store');
}

function checkTtl(seconds: number, sessions: SessionMode): number {
  const ok =
    Number.isInteger(seconds) && (sessions === 'none' || seconds >= 60) && seconds <= MCP_SESSION_TTL_SECONDS.maximum;
  if (!ok) throw invalidOption('sessionTtlSeconds', 'whole seconds, from 60 to 30 days');
  return seconds;
}

function parseInfo(options: McpServerOptions): Implementation {
  for (const key of ['name', 'version'] as const) {
    if (typeof options[key] !== 'string' || options[key] === '') throw invalidOption(key, 'a text that is not empty');
  }
  const { name, version, icons } = options;
  const info: Implementation = { name, version };
  for (const key of ['title', 'description', 'websiteUrl'] as const) {
    const text = textOption(options, key);
    if (text !== undefined) info[key] = text;
  }
  if (icons !== undefined) {
    if (!Array.isArray(icons)) throw invalidOption('icons', 'a list');
    info.icons = structuredClone(icons) as Icon[];
  }
  return info;
}

/** @throws FrameworkError for a part that lacks one of these functions */
function withFunctions(options: McpServerOptions, key: 'store' | 'spill' | 'clock', names: readonly string[]): void {
  const value = options[key] as object | undefined;
  if (value !== undefined && !names.every((name) => typeof Reflect.get(Object(value), name) === 'function')) {
    throw invalidOption(key, `an object with ${names.map((name) => `${name}()`).join(' and ')}`);
  }
}

/** @throws FrameworkError for a lifetime or a scope that the protocol does not know */
export function parseCache(hint: CacheHint | undefined): Required<CacheHint> {
  const { ttlMs = 0, scope = 'private' } = hint ?? {};
  if (!Number.isInteger(ttlMs) || ttlMs < 0) throw invalidOption('cache.ttlMs', 'a whole number of at least 0');
  return { ttlMs, scope: oneOf(scope, 'cache.scope', ['public', 'private']) };
}

function parseExtensions(extensions: McpServerOptions['extensions']): Settings['extensions'] {
  if (extensions === undefined) return undefined;
  for (const [id, settings] of Object.entries(extensions)) {
    if (!EXTENSION_ID.test(id) || !isObject(settings)) {
      throw new FrameworkError(
        'app.invalid_configuration',
        `framework: extension "${id}" must be "prefix/name" with an object`,
      );
    }
  }
  return structuredClone(extensions) as Settings['extensions'];
}

function textOption(
  options: McpServerOptions,
  key: 'title' | 'description' | 'websiteUrl' | 'instructions',
): string | undefined {
  const value: unknown = options[key];
  if (value !== undefined && typeof value !== 'string') throw invalidOption(key, 'a text');
  return value;
}

function flag(options: McpServerOptions, key: 'changes' | 'logging', fallback: boolean): boolean {
  const value: unknown = options[key] ?? fallback;
  if (typeof value !== 'boolean') throw invalidOption(key, 'true or false');
  return value;
}

type NumberKey = 'pageSize' | 'maxBodyBytes' | 'retryMs' | 'resumeWaitMs' | 'changePollMs' | 'listenMs';

function whole(options: McpServerOptions, key: NumberKey, fallback: number, least: number): number {
  const value: unknown = options[key] ?? fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
    throw invalidOption(key, `a whole number of at least ${least}`);
  }
  return value;
}

function oneOf<T extends string>(value: T, key: string, allowed: readonly T[]): T {
  if (!allowed.includes(value)) throw invalidOption(key, `one of ${allowed.join(', ')}`);
  return value;
}
