import { type Clock, FrameworkError, type MaybePromise, systemClock } from '@sallyport/core';
import { isObject } from '@sallyport/core/internal';
import {
  boolean,
  defineOptions,
  func,
  group,
  integer,
  invalidOption,
  kind,
  list,
  type OptionKind,
  object,
  oneOf,
  type ParsedOptions,
  parsed,
  string,
  withMethods,
} from '@sallyport/core/options';
import type { OnCall } from '../calls/call.js';
import type { Icon, Implementation, JsonObject } from '../protocol/types.js';
import type { McpContext } from '../run/context.js';
import { MCP_SESSION_TTL_SECONDS } from '../schema.js';
import type { McpSpill, McpStore, StoreCallOptions } from '../store/store.js';
import type { McpTasks } from '../tasks/options.js';
import type { CacheHint, ListedItem } from './definitions.js';

/** Keys of at least 32 bytes each. `current` encrypts; `previous` keys only decrypt. */
export interface McpSecret {
  /** The key for encryption. A string is used as UTF-8. */
  readonly current: string | Uint8Array;
  /** Keys only for decryption. Default none. */
  readonly previous?: readonly (string | Uint8Array)[];
}

const MIN_BYTES = 32;

/**
 * Reads the secret of a server. The signal aborts when no request waits for the secret any longer: each waits until shortly before its
 * invocation ends.
 */
export type McpSecretReader = (options?: StoreCallOptions) => MaybePromise<McpSecret>;

/**
 * The keys of a secret, the current one first.
 *
 * @throws FrameworkError when a key is shorter than 32 bytes; the error text never contains the key
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

/** Storage of sessions: in the id itself (`sealed`), in the store (`durable`), or no sessions (`none`). */
export type SessionMode = 'sealed' | 'durable' | 'none';

/** Text for wrong arguments: the message of the validator, or the rule of its JSON Schema. */
export type ArgumentErrors = 'message' | 'rule';

/** Options of {@link createMcpServer}; an unknown key is rejected. */
export interface McpServerOptions {
  /**
   * Name of the server, shown by clients; required. Sessions, encrypted states and changes belong to the server of this name.
   * Different servers that share a table or a secret need different names.
   */
  readonly name: string;
  /** Version of the server; required. */
  readonly version: string;
  /** Display name. Default none. */
  readonly title?: string;
  /** Purpose of the server. Default none. */
  readonly description?: string;
  /** Web page of the server. Default none. */
  readonly websiteUrl?: string;
  /** Icons that a client may show. Default none. */
  readonly icons?: readonly Icon[];
  /** Instructions for the client's model. */
  readonly instructions?: string;
  /** Storage of sessions. Default: `durable` with a store, else `sealed` with a secret, else `none`. */
  readonly sessions?: SessionMode;
  /** Seconds; at most 30 days. Default: `durable` 24 h after the last use; `sealed` 7 days after creation. */
  readonly sessionTtlSeconds?: number;
  /** The store for sessions, parked calls and changes. Default none. */
  readonly store?: McpStore;
  /**
   * Keys that encrypt session ids, state and cursors, or a function that loads them at the first use and again every ten
   * minutes: `secretFromArn()` of `@sallyport/mcp/aws`. Default none.
   */
  readonly secret?: McpSecret | McpSecretReader;
  /** The store for values over 256 KiB: `s3McpSpill()` of `@sallyport/mcp/aws`. Default none: such values are an error. */
  readonly spill?: McpSpill;
  /** Change notifications: `publish`, subscriptions, listeners. Needs a store. Default `false`. */
  readonly changes?: boolean;
  /** True if log messages of handlers are sent to clients. Default `true`. */
  readonly logging?: boolean;
  /** Filters lists for each caller. Lists are then created for each request and never shared. */
  readonly listFilter?: (ctx: McpContext, item: ListedItem) => MaybePromise<boolean>;
  /** Hooks around every call of a tool, a resource or a prompt, the outermost first. Default none. */
  readonly onCall?: OnCall | readonly OnCall[];
  /** Lets calls of tools become tasks. Needs a store and a secret. Default none. */
  readonly tasks?: McpTasks;
  /** Entries in each page of a list. Default 100. */
  readonly pageSize?: number;
  /** Hints of stateless-era answers. Default: 0 and private. */
  readonly cache?: CacheHint;
  /** Additional extensions by id, with the settings that are declared to clients. Default none. */
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  /** Origins of pages that may send requests, in addition to loopback origins on loopback. Default none. */
  readonly allowedOrigins?: readonly string[];
  /** Maximum size of a request body in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * The text for each wrong argument of a tool. `message` is the validator's own message, cut to one line of 200 characters; for an empty
   * message, the rule. `rule` is only the rule of the JSON Schema with its bound: `minimum 1`. Default `message`.
   */
  readonly argumentErrors?: ArgumentErrors;
  /**
   * Behaviour while a question of the session era has no answer. `park` ends the response, and the client polls the call; `hold` keeps a
   * streaming response open; `auto` holds a streaming response for `holdMs`, and then parks. Default `auto`.
   */
  readonly whileWaiting?: 'auto' | 'park' | 'hold';
  /** Milliseconds for which `auto` holds, less than the time limits of clients (60 s). Default 15,000. */
  readonly holdMs?: number;
  /**
   * Milliseconds after which a client polls a parked call. Default: 100 ms at first, 500 ms after 1 s, 2 s after 5 s, 5 s
   * after 30 s.
   */
  readonly retryMs?: number;
  /** Milliseconds that a resumed stream waits for a running call. Default 1,500. */
  readonly resumeWaitMs?: number;
  /** Milliseconds between two checks for changes by a listener. Default 1,000. */
  readonly changePollMs?: number;
  /** Maximum milliseconds of a listener, which uses a unit of the function's concurrency for this time. Default 25,000. */
  readonly listenMs?: number;
  /** The clock of `publish`. Requests use the clock of their container. */
  readonly clock?: Clock;
}

/** A prefix with at least one dot-separated label, a slash, a name (revision 2026-07-28, `_meta` keys). */
const EXTENSION_ID =
  /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]*[a-z0-9])?)*\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i;

/** A string with at least one character; it is not changed. */
const filled: OptionKind<string> = kind(
  'a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
);

/** Cache lifetime and scope of an answer. */
export const CACHE: OptionKind<CacheHint> = group<CacheHint>()({
  ttlMs: integer(0).default(0),
  scope: oneOf('public', 'private').default('private'),
});

const SECRET = parsed<McpSecret | McpSecretReader>('keys of at least 32 bytes, or a function', (value) => {
  if (typeof value !== 'function') parseSecret(value as McpSecret);
  return value as McpSecret;
});

const EXTENSIONS = parsed<Readonly<Record<string, JsonObject>>>('settings by extension', (value) => {
  if (!isObject(value)) throw invalidOption('extensions', 'an object with the settings of each extension');
  for (const [id, settings] of Object.entries(value)) {
    if (EXTENSION_ID.test(id) && isObject(settings)) continue;
    throw new FrameworkError(
      'app.invalid_configuration',
      `framework: extension "${id}" must be "prefix/name" with an object`,
    );
  }
  return structuredClone(value) as Readonly<Record<string, JsonObject>>;
});

const TASKS = group<McpTasks>()({
  start: func<McpTasks['start']>().required(),
  ttlMs: integer(60_000, 7 * 86_400_000, 'milliseconds').default(3_600_000),
  pollIntervalMs: integer(100, undefined, 'milliseconds').default(1000),
});

/** Validators and defaults for {@link McpServerOptions}. */
export const MCP_SERVER_OPTIONS = defineOptions<McpServerOptions>()({
  name: filled.required(),
  version: filled.required(),
  title: string,
  description: string,
  websiteUrl: string,
  icons: list(object<Icon>(), 'a list of icons'),
  instructions: string,
  sessions: oneOf('sealed', 'durable', 'none'),
  sessionTtlSeconds: integer(60, MCP_SESSION_TTL_SECONDS.maximum, 'seconds'),
  store: withMethods<McpStore>('get', 'put', 'take', 'list'),
  secret: SECRET,
  spill: withMethods<McpSpill>('put', 'get'),
  changes: boolean.default(false),
  logging: boolean.default(true),
  listFilter: func<NonNullable<McpServerOptions['listFilter']>>(),
  onCall: kind<OnCall | readonly OnCall[]>('a function or a list of functions', (value) =>
    [value].flat().every((hook) => typeof hook === 'function'),
  ).default([]),
  tasks: TASKS,
  pageSize: integer(1).default(100),
  cache: CACHE,
  extensions: EXTENSIONS,
  allowedOrigins: list(string, 'a list of origins').default([]),
  maxBodyBytes: integer(1).default(4 * 1024 * 1024),
  argumentErrors: oneOf('message', 'rule').default('message'),
  whileWaiting: oneOf('auto', 'park', 'hold').default('auto'),
  holdMs: integer(1, undefined, 'milliseconds').default(15_000),
  retryMs: integer(1),
  resumeWaitMs: integer(0).default(1500),
  changePollMs: integer(10).default(1000),
  listenMs: integer(1).default(25_000),
  clock: withMethods<Clock>('now').default(systemClock),
});

type Parsed = ParsedOptions<typeof MCP_SERVER_OPTIONS.kinds>;

/** Options with every default filled in. */
export interface Settings extends Omit<Parsed, 'sessions' | 'cache' | 'icons' | 'onCall'> {
  readonly onCall: readonly OnCall[];
  readonly info: Implementation;
  readonly sessions: SessionMode;
  readonly sessionTtlMs: number;
  readonly cache: Required<CacheHint>;
  readonly hold: boolean;
}

/** @throws FrameworkError `app.invalid_configuration`, naming the option */
export function parseOptions(options: McpServerOptions): Settings {
  const parsed = MCP_SERVER_OPTIONS.parse(options);
  const { store, secret } = parsed;
  const sessions = parsed.sessions ?? (store ? 'durable' : secret ? 'sealed' : 'none');
  if (sessions === 'sealed' && !secret) throw invalidOption('sessions', '"sealed" only with a secret');
  if (sessions === 'durable' && !store) throw invalidOption('sessions', '"durable" only with a store');
  if (parsed.changes && !store) throw invalidOption('changes', 'false without a store');
  if (parsed.tasks && !(store && secret)) throw invalidOption('tasks', 'left out without a store and a secret');
  const ttlSeconds = parsed.sessionTtlSeconds ?? (sessions === 'none' ? 0 : MCP_SESSION_TTL_SECONDS[sessions]);
  return {
    ...parsed,
    info: infoOf(parsed),
    sessions,
    sessionTtlMs: ttlSeconds * 1000,
    onCall: [parsed.onCall].flat(),
    cache: { ttlMs: 0, scope: 'private', ...parsed.cache },
    hold: parsed.whileWaiting === 'hold',
  };
}

/** Name and version of the server; a copy, so that it cannot be changed later. */
function infoOf({ name, version, title, description, websiteUrl, icons }: Parsed): Implementation {
  const info: JsonObject = { name, version, title, description, websiteUrl, icons };
  return JSON.parse(JSON.stringify(info)) as Implementation;
}
