import { type Context, FrameworkError, type Middleware, type Request, type Response } from '@sallyport/core';
import {
  asBuffer,
  callerKey,
  createMap,
  guardHook,
  OutgoingResponse,
  sha256,
  stateOf,
  toResponse,
} from '@sallyport/core/internal';
import { boolean, defineOptions, func, invalidOption, list, text } from '@sallyport/core/options';
import { isConflict, JobLedgerError } from '../errors.js';
import type { JobLedger } from '../ledger/ledger.js';
import type { IdempotencyRecord } from './record.js';
import { executionOf, type Keep, type RunOutcome, runOnce, TIME_OPTIONS } from './run-idempotent.js';

/** Options of {@link withIdempotency}. */
export interface HttpIdempotencyOptions {
  /** Methods whose requests are checked, in any case. Default `POST` and `PATCH`. */
  readonly methods?: readonly string[];
  /** True if a request without `Idempotency-Key` is rejected with 400. Default false: it runs. */
  readonly required?: boolean;
  /** True if callers without identity share one namespace of keys. Default false: their keys are rejected with 400. */
  readonly allowAnonymous?: boolean;
  /** Names of further headers that are stored and replayed. Never `set-cookie`. Default: none. */
  readonly keepHeaders?: readonly string[];
  /**
   * Milliseconds after which the key of a crashed owner is free again, 1,000 to 31,622,400,000 (366 days). While the handler runs,
   * the key is renewed at 30 % of this time. Default 50,000, at most the remaining time of the invocation plus one second. Required
   * in durable executions: the time limit of the execution, which is not renewed.
   */
  readonly inProgressMs?: number;
  /** Seconds for which an answer is replayed, 1 to 3,155,760,000. Default 86,400. */
  readonly resultTtlSeconds?: number;
  /** Called with context and record when a stored answer is replayed. Its errors are ignored. */
  readonly onReplay?: (ctx: Context, record: IdempotencyRecord) => void;
}

type Answer = ReturnType<typeof toResponse>;

/** The stored form of an answer. */
interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Text if the bytes are UTF-8, else base64. */
  readonly body: string;
  readonly encoding: 'utf8' | 'base64';
  readonly isBase64?: true;
}

const HEADER = 'idempotency-key';
/** A token-like key: visible ASCII, except for the comma at which front doors join repeated headers. */
const BARE = /^[\x21-\x2b\x2d-\x7e]{1,255}$/;
/** A quoted string (RFC 8941 section 3.3.3) of visible ASCII. */
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,510})"$/;
const MAX_KEY = 255;

/** 4xx statuses that depend on more than the request: the same request may succeed later. */
const PASSING = [408, 409, 425, 429];
const KEPT_HEADERS = ['content-type', 'content-language', 'etag', 'last-modified', 'link', 'location'];

/** Validators and defaults for {@link HttpIdempotencyOptions}. */
export const IDEMPOTENCY_OPTIONS = defineOptions<HttpIdempotencyOptions>()({
  methods: list(text(), 'a list of methods').default(['POST', 'PATCH']),
  required: boolean.default(false),
  allowAnonymous: boolean.default(false),
  keepHeaders: list(text(), 'a list of header names').default([]),
  ...TIME_OPTIONS,
  onReplay: func<(ctx: Context, record: IdempotencyRecord) => void>(),
});

/**
 * Creates a middleware that runs a request with an `Idempotency-Key` once, and responds to its repetitions with the stored response. Applies
 * to `POST` and `PATCH` by default; results are stored for one day. While the first request runs, a repetition gets 409. GraphQL and
 * WebSocket requests are not affected.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * app.use(withIdempotency(ledger, { required: true, keepHeaders: ['content-encoding'] }));
 */
export function withIdempotency(ledger: JobLedger, options: HttpIdempotencyOptions = {}): Middleware {
  const { required, allowAnonymous, inProgressMs, resultTtlSeconds, onReplay, ...lists } =
    IDEMPOTENCY_OPTIONS.parse(options);
  const methods = lists.methods.map((method) => method.toUpperCase());
  const kept = [...KEPT_HEADERS, ...lists.keepHeaders.map((name) => name.toLowerCase())];
  if (kept.includes('set-cookie')) throw invalidOption('keepHeaders', 'a list without "set-cookie"');
  return async (ctx, next) => {
    if (ctx.route?.surface !== 'http' || !methods.includes(ctx.request.method)) return next(ctx);
    const key = idempotencyKeyOf(ctx, required);
    if (key === undefined) return next(ctx);
    const scope = scopeOf(ctx, allowAnonymous);
    const executionId = executionOf(ctx.lambdaContext, inProgressMs);
    const outcome = await translated(() =>
      runOnce<Answer>({
        ledger,
        begin: {
          scope,
          key,
          fingerprint: fingerprintOf(ctx.request),
          ...(executionId !== undefined && { executionId }),
        },
        inProgressMs,
        remainingMs: ctx.remainingMs,
        resultTtlSeconds,
        signal: ctx.signal,
        log: ctx.log,
        run: async () => toResponse(await next(ctx)),
        keep: (answer) => keptAnswer(ctx, answer, kept),
      }),
    );
    const answer = toAnswer(outcome);
    if (outcome.kind === 'stored' && onReplay) guardHook(() => onReplay(ctx, outcome.record));
    return answer;
  };
}

/** The ledger's errors as HTTP answers. If the store fails, a request must not run twice. */
async function translated<T>(run: () => Promise<RunOutcome<T>>): Promise<RunOutcome<T>> {
  try {
    return await run();
  } catch (error) {
    if (isConflict(error, 'payload_mismatch')) {
      throw new FrameworkError('app.validation_failed', 'idempotency key was used for another request', {
        cause: error,
      });
    }
    if (error instanceof JobLedgerError && error.reason === 'store_unavailable') {
      // The same request may succeed later (RFC 9110 section 15.6.4), unless the deployment is wrong.
      if (!error.retryable) throw new FrameworkError('app.internal', undefined, { cause: error });
      throw new FrameworkError('app.overloaded', undefined, { cause: error, headers: { 'retry-after': '1' } });
    }
    throw error;
  }
}

function toAnswer(outcome: RunOutcome<Answer>): Answer {
  if (outcome.kind === 'ran') return outcome.value;
  if (outcome.kind === 'in_progress') {
    const headers = { 'retry-after': String(Math.max(1, Math.ceil(outcome.retryAfterMs / 1000))) };
    throw new FrameworkError('app.conflict', 'request is in progress', { headers });
  }
  const answer = replayedAnswer(outcome.record.result);
  if (answer) return answer;
  throw new FrameworkError('app.conflict', 'result is not stored');
}

/**
 * The key of a request; `undefined` if absent and not required.
 *
 * @throws FrameworkError `app.bad_request`
 */
function idempotencyKeyOf(ctx: Context, required: boolean): string | undefined {
  const values = ctx.headerAll(HEADER);
  if (values.length === 0) {
    if (required) throw new FrameworkError('app.bad_request', 'idempotency key is required');
    return undefined;
  }
  const key = values.length === 1 ? parseKey(values[0] ?? '') : undefined;
  if (key === undefined) throw new FrameworkError('app.bad_request', 'invalid idempotency key');
  return key;
}

function parseKey(value: string): string | undefined {
  const text = value.replace(/^[ \t]+|[ \t]+$/g, '');
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1');
  if (quoted !== undefined) return quoted.length <= MAX_KEY ? quoted : undefined;
  return BARE.test(text) && !text.startsWith('"') ? text : undefined;
}

/**
 * The scope of a key: operation and caller. It is hashed, because routes and identities may be too long for a scope, and because
 * identities must not be in the keys of a table.
 *
 * @throws FrameworkError `app.bad_request` for a caller without identity
 */
function scopeOf(ctx: Context, allowAnonymous: boolean): string {
  if (ctx.authIdentity.trim() === '' && !allowAnonymous) {
    throw new FrameworkError('app.bad_request', 'idempotency key needs an authenticated caller');
  }
  return `http:${sha256(JSON.stringify([ctx.request.method, ctx.route?.pattern ?? '', callerKey(stateOf(ctx))]))}`;
}

/** A hash of all parts in which two requests with the same key may differ. */
function fingerprintOf({ method, rawPath, query, headers, body }: Request): string {
  const sortedQuery = Object.keys(query)
    .sort()
    .map((name) => [name, query[name]]);
  const head = JSON.stringify([method, rawPath, sortedQuery, headers['content-type'] ?? []]);
  return sha256(Buffer.concat([Buffer.from(`${head}\n`), body]));
}

/** True if an answer is stored, or its key released. */
function keptAnswer(ctx: Context, answer: Answer, names: readonly string[]): Keep {
  if (answer.bodyStream) {
    ctx.log.warn('streamed response is not stored for its idempotency key');
    return 'abandon';
  }
  const { status } = answer;
  return status >= 500 || PASSING.includes(status) ? 'abandon' : { result: toStored(answer, names) };
}

function toStored({ status, headers, body, isBase64 }: Response, names: readonly string[]): StoredAnswer {
  const kept = createMap<readonly string[]>();
  for (const [name, values] of Object.entries(headers)) {
    if (names.includes(name.toLowerCase())) kept[name.toLowerCase()] = values;
  }
  const bytes = asBuffer(body);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  return {
    status,
    headers: kept,
    body: isText ? text : bytes.toString('base64'),
    encoding: isText ? 'utf8' : 'base64',
    ...(isBase64 && { isBase64 }),
  };
}

/** The stored answer with `idempotency-replayed: true`; `undefined` if the record contains another value. */
function replayedAnswer(result: unknown): Answer | undefined {
  if (!isStored(result)) return undefined;
  const headers = createMap<string[]>();
  for (const [name, values] of Object.entries(result.headers)) headers[name] = [...values];
  headers['idempotency-replayed'] = ['true'];
  const answer = new OutgoingResponse(result.status, headers, Buffer.from(result.body, result.encoding));
  answer.isBase64 = result.isBase64 === true;
  return answer;
}

function isStored(value: unknown): value is StoredAnswer {
  const { status, headers, body, encoding } = (value ?? {}) as Partial<StoredAnswer>;
  if (!Number.isInteger(status) || typeof body !== 'string' || typeof headers !== 'object' || headers === null) {
    return false;
  }
  return (encoding === 'utf8' || encoding === 'base64') && Object.values(headers).every(Array.isArray);
}
