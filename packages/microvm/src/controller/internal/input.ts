import { canonicalJson, isPlainObject, sha256 } from '@sallyport/core/internal';
import { invalidRequest, MicrovmError } from '../../errors.js';
import { findForbidden } from '../../internal/forbidden.js';
import type { PortScope } from '../../provider/provider.js';
import type { IdlePolicy } from '../../registry/registry.js';
import { includesPort, isPort, LIMITS, type MicrovmImage, type Settings } from '../options.js';

/** Input with names in snake_case, so that errors contain the names that the client sent. */
export type Fields = Readonly<Record<string, unknown>>;

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;
const METADATA_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const METADATA = { entries: 16, value: 256, bytes: 2048 };
const TTL = { least: 60, most: 900, fallback: 300 };
const PAGE = { most: 50, refreshed: 25, fallback: 25 };
const MAX_PORT_ENTRIES = 16;

/** Input of a new session, before ids and times are added. */
export interface RunRequest {
  readonly sessionId: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly image: MicrovmImage;
  readonly maximumDurationSeconds: number;
  readonly idlePolicy: IdlePolicy;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  /** Digest of the caller's input. */
  readonly requestHash: string;
}

/**
 * Accepts a plain object with only these members, and without names or values of credentials.
 *
 * @throws MicrovmError `microvm.invalid_request`, `microvm.forbidden_field`
 */
export function checkFields(input: unknown, known: readonly string[]): Fields {
  if (!isPlainObject(input)) throw invalidRequest('the input must be an object');
  if (findForbidden(input) !== undefined) {
    throw new MicrovmError('microvm.forbidden_field', 'the request contains a field that is not allowed');
  }
  for (const name of Object.keys(input)) {
    if (!known.includes(name)) throw invalidRequest(`unknown field; known are ${known.join(', ') || 'none'}`);
  }
  return input;
}

/** @throws MicrovmError `microvm.invalid_request` */
export function parseSessionId(value: unknown): string {
  if (typeof value === 'string' && SESSION_ID.test(value)) return value;
  throw invalidRequest('session_id must be 1 to 64 letters, digits, "_" and "-", the first a letter or a digit');
}

const RUN_FIELDS = [
  'session_id',
  'image_ref',
  'image_version',
  'maximum_duration_seconds',
  'idle_policy',
  'metadata',
  'idempotency_key',
];

/** @throws MicrovmError `microvm.invalid_request`, `microvm.forbidden_field` */
export function parseRun(input: unknown, settings: Settings): RunRequest {
  const fields = checkFields(input, RUN_FIELDS);
  const { session_id, idempotency_key, ...given } = fields;
  const sessionId = optional(session_id, parseSessionId);
  const idempotencyKey = optional(idempotency_key, parseIdempotencyKey);
  if (sessionId !== undefined && idempotencyKey !== undefined) {
    throw invalidRequest('pass session_id or idempotency-key, not both');
  }
  const { max } = settings.duration;
  return {
    sessionId,
    idempotencyKey,
    image: parseImage(fields.image_ref, fields.image_version, settings.images),
    maximumDurationSeconds:
      optional(fields.maximum_duration_seconds, (value) => parseInteger(value, 'maximum_duration_seconds', 1, max)) ??
      settings.duration.default,
    idlePolicy: optional(fields.idle_policy, parseIdlePolicy) ?? settings.idlePolicy,
    metadata: optional(fields.metadata, parseMetadata),
    requestHash: sha256(canonicalJson(given)),
  };
}

function optional<T>(value: unknown, parse: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : parse(value);
}

function parseIdempotencyKey(value: unknown): string {
  if (typeof value === 'string' && IDEMPOTENCY_KEY.test(value)) return value;
  throw invalidRequest('idempotency-key must be 1 to 128 visible ASCII characters');
}

function parseInteger(value: unknown, name: string, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw invalidRequest(`${name} must be a whole number from ${least} to ${most}`);
}

function parseImage(ref: unknown, version: unknown, images: readonly MicrovmImage[]): MicrovmImage {
  const wanted = ref ?? images[0]?.ref;
  const image = images.find(
    (one) => one.ref === wanted && (version === undefined || (one.version ?? version) === version),
  );
  if (image === undefined) throw invalidRequest('image_ref and image_version must name an allowed image');
  if (version === undefined) return image;
  if (typeof version !== 'string' || !/^[\w.-]{1,64}$/.test(version)) {
    throw invalidRequest('image_version must be a version of the image');
  }
  return { ref: image.ref, version };
}

function parseIdlePolicy(value: unknown): IdlePolicy {
  const known = ['auto_resume_enabled', 'max_idle_duration_seconds', 'suspended_duration_seconds'];
  const names = isPlainObject(value) ? Object.keys(value) : [];
  if (names.length !== known.length || !names.every((name) => known.includes(name))) {
    throw invalidRequest(`idle_policy must have ${known.join(', ')}, exactly these three`);
  }
  const { auto_resume_enabled, max_idle_duration_seconds, suspended_duration_seconds } = value as Fields;
  if (typeof auto_resume_enabled !== 'boolean') throw invalidRequest('auto_resume_enabled must be true or false');
  const { leastIdleSeconds: least, durationSeconds: most } = LIMITS;
  return {
    autoResumeEnabled: auto_resume_enabled,
    maxIdleDurationSeconds: parseInteger(max_idle_duration_seconds, 'max_idle_duration_seconds', least, most),
    suspendedDurationSeconds: parseInteger(suspended_duration_seconds, 'suspended_duration_seconds', 0, most),
  };
}

function parseMetadata(value: unknown): Readonly<Record<string, string>> {
  if (!isPlainObject(value)) throw invalidRequest('metadata must be an object');
  const entries = Object.entries(value);
  if (entries.length > METADATA.entries) throw invalidRequest(`metadata must have at most ${METADATA.entries} entries`);
  let bytes = 0;
  for (const [name, text] of entries) {
    if (!METADATA_NAME.test(name)) throw invalidRequest('names in metadata must match [A-Za-z0-9_.-]{1,64}');
    if (typeof text !== 'string' || text.length > METADATA.value || !text.isWellFormed()) {
      throw invalidRequest(`values in metadata must be strings of at most ${METADATA.value} characters`);
    }
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  }
  if (bytes > METADATA.bytes) throw invalidRequest(`metadata must have at most ${METADATA.bytes} bytes`);
  return Object.fromEntries(entries) as Record<string, string>;
}

export interface ListRequest {
  readonly limit: number;
  readonly after: string | undefined;
  readonly refresh: boolean;
}

/** @throws MicrovmError `microvm.invalid_request`, `microvm.forbidden_field` */
export function parseList(input: unknown): ListRequest {
  const { max_results, cursor, refresh = false } = checkFields(input, ['max_results', 'cursor', 'refresh']);
  if (typeof refresh !== 'boolean') throw invalidRequest('refresh must be true or false');
  const limit = optional(max_results, (value) => parseInteger(value, 'max_results', 1, PAGE.most)) ?? PAGE.fallback;
  return {
    limit: refresh ? Math.min(limit, PAGE.refreshed) : limit,
    after: optional(cursor, decodeCursor),
    refresh,
  };
}

/** The cursor after a session. It does not contain the tenant, which always comes from the caller. */
export function encodeCursor(sessionId: string): string {
  return Buffer.from(JSON.stringify({ v: 1, s: sessionId })).toString('base64url');
}

function decodeCursor(value: unknown): string {
  try {
    if (typeof value !== 'string' || !/^[\w-]{1,200}$/.test(value)) throw new TypeError('no cursor');
    const parsed: unknown = JSON.parse(Buffer.from(value, 'base64url').toString());
    const { v, s, ...others } = parsed as Fields;
    if (v !== 1 || Object.keys(others).length > 0) throw new TypeError('no cursor');
    return parseSessionId(s);
  } catch {
    throw invalidRequest('cursor must be the next_cursor of a page');
  }
}

/** @throws MicrovmError `microvm.invalid_request` */
export function parseTtl(value: unknown): number {
  return optional(value, (ttl) => parseInteger(ttl, 'ttl_seconds', TTL.least, TTL.most)) ?? TTL.fallback;
}

/**
 * Ports of a token: within the allowed ports, without the hook port. Sorted, without duplicates.
 *
 * @throws MicrovmError `microvm.invalid_request`
 */
export function parsePorts(value: unknown, { ports, hookPort }: Settings['invoke']): readonly PortScope[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PORT_ENTRIES) {
    throw invalidRequest(`ports must be a list of 1 to ${MAX_PORT_ENTRIES} entries`);
  }
  const scopes = new Map<string, PortScope>();
  for (const entry of value.map(parsePortScope)) {
    const [start, end] = 'port' in entry ? [entry.port, entry.port] : [entry.start, entry.end];
    const isAllowed = ports.some((scope) => includesPort(scope, start) && includesPort(scope, end));
    if (!isAllowed || includesPort(entry, hookPort)) throw invalidRequest('ports must be within the allowed ports');
    scopes.set(scopeName(entry), entry);
  }
  return [...scopes].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, scope]) => scope);
}

function parsePortScope(value: unknown): PortScope {
  if (!isPlainObject(value)) throw invalidRequest('each of ports must be { port } or { start, end }');
  const { port, start, end, ...others } = value;
  const isSingle = isPort(port) && start === undefined && end === undefined;
  const isRange = port === undefined && isPort(start) && isPort(end) && start <= end;
  if ((!isSingle && !isRange) || Object.keys(others).length > 0) {
    throw invalidRequest(`each of ports must be { port } or { start, end }, from 1 to ${LIMITS.port}`);
  }
  return isSingle ? { port } : { start: start as number, end: end as number };
}

/** `ports:8080`, `ports:1-9`. */
export function scopeName(scope: PortScope): string {
  return 'port' in scope ? `ports:${scope.port}` : `ports:${scope.start}-${scope.end}`;
}
