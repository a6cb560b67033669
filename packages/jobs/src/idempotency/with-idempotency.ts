import { assertKnownOptions, FrameworkError, invalidOption, type Middleware } from '@sallyport/core';
import { toResponse } from '@sallyport/core/pipeline';
import { isConflict, JobLedgerError } from '../errors.js';
import type { JobLedger } from '../ledger/ledger.js';
import { keptAnswer, replayedAnswer } from './internal/http-answer.js';
import { fingerprintOf, idempotencyKeyOf, scopeOf } from './internal/http-request.js';
import { executionOf, inProgressWithin, type RunOutcome, runOnce } from './internal/run-once.js';

export interface HttpIdempotencyOptions {
  /** `POST` and `PATCH`. */
  readonly methods?: readonly string[];
  /** Whether a request without `Idempotency-Key` is refused; false. */
  readonly required?: boolean;
  /** Whether callers without identity share their keys; false: their keys are refused. */
  readonly allowAnonymous?: boolean;
  /** Names of further headers that are stored and replayed. Never `set-cookie`. */
  readonly keepHeaders?: readonly string[];
  /** How long a silent owner blocks the key; what is left of the invocation and a second. Required in durable executions. */
  readonly inProgressMs?: number;
  /** How long an answer is replayed; 86,400. */
  readonly resultTtlSeconds?: number;
}

type Answer = ReturnType<typeof toResponse>;

const OPTIONS = ['methods', 'required', 'allowAnonymous', 'keepHeaders', 'inProgressMs', 'resultTtlSeconds'];
const KEPT_HEADERS = ['content-type', 'content-language', 'etag', 'last-modified', 'link', 'location'];

/**
 * Answers a request with a known `Idempotency-Key` with the stored answer of the first one. GraphQL and WebSocket pass.
 *
 * @throws FrameworkError `app.invalid_configuration`
 * @example app.use(withIdempotency(ledger, { required: true }));
 */
export function withIdempotency(ledger: JobLedger, options: HttpIdempotencyOptions = {}): Middleware {
  const { methods, kept } = parse(options);
  return async (ctx, next) => {
    if (ctx.route?.surface !== 'http' || !methods.includes(ctx.request.method)) return next(ctx);
    const key = idempotencyKeyOf(ctx, options.required === true);
    if (key === undefined) return next(ctx);
    const scope = scopeOf(ctx, options.allowAnonymous === true);
    const { inProgressMs, resultTtlSeconds } = options;
    const executionId = executionOf(ctx.lambdaContext, inProgressMs);
    const outcome = await translated(() =>
      runOnce<Answer>({
        ledger,
        begin: {
          scope,
          key,
          fingerprint: fingerprintOf(ctx.request),
          inProgressMs: inProgressMs ?? inProgressWithin(ctx.remainingMs),
          ...(executionId !== undefined && { executionId }),
        },
        resultTtlSeconds,
        signal: ctx.signal,
        log: ctx.log,
        run: async () => toResponse(await next(ctx)),
        keep: (answer) => keptAnswer(ctx, answer, kept),
      }),
    );
    return toAnswer(outcome);
  };
}

function parse(options: HttpIdempotencyOptions): { methods: readonly string[]; kept: readonly string[] } {
  if (typeof options !== 'object' || options === null) throw invalidOption('options', 'an object');
  assertKnownOptions(options, OPTIONS);
  const { methods = ['POST', 'PATCH'], keepHeaders = [], inProgressMs, resultTtlSeconds } = options;
  assertTexts('methods', methods);
  assertTexts('keepHeaders', keepHeaders);
  for (const name of ['required', 'allowAnonymous'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'boolean') throw invalidOption(name, 'true or false');
  }
  assertFrom('inProgressMs', inProgressMs, 1000);
  assertFrom('resultTtlSeconds', resultTtlSeconds, 1);
  const kept = [...KEPT_HEADERS, ...keepHeaders.map((name) => name.toLowerCase())];
  if (kept.includes('set-cookie')) throw invalidOption('keepHeaders', 'without "set-cookie"');
  return { methods: methods.map((method) => method.toUpperCase()), kept };
}

function assertTexts(option: string, value: unknown): void {
  if (Array.isArray(value) && value.every((text) => typeof text === 'string' && text.trim() !== '')) return;
  throw invalidOption(option, 'a list of names');
}

function assertFrom(option: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)) return;
  throw invalidOption(option, `a whole number from ${least}`);
}

/** The ledger's own errors as HTTP has them; a store that fails is no permission to run twice. */
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
      throw new FrameworkError('app.internal', undefined, { cause: error });
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
