import { type Context, FrameworkError, type Handler } from '@sallyport/core';
import { isPlainObject, StoreTimeout, stateOf, withDeadline } from '@sallyport/core/internal';
import { defineOptions, kind, number } from '@sallyport/core/options';
import { json } from './responses.js';

/**
 * Checks one dependency. It fails if it throws, rejects, or resolves to `false`.
 *
 * @param signal aborts at the deadline of the checks
 */
export type HealthCheck = (signal: AbortSignal) => unknown;

/** Options of {@link health}. */
export interface HealthOptions {
  /** The checks by name; they run at the same time. Default: none, so the answer only shows that the function runs. */
  readonly checks?: Readonly<Record<string, HealthCheck>>;
  /** The deadline of all checks together, in milliseconds, 1 to 25,000. Default 2,000; load balancers give up after 5 s by default. */
  readonly timeoutMs?: number;
  /** Milliseconds for which a result is answered again, 0 to 300,000. Default 5,000: many probes do not become many calls. */
  readonly cacheMs?: number;
}

const checks = kind<Readonly<Record<string, HealthCheck>>>(
  'an object of functions',
  (value) => isPlainObject(value) && Object.values(value).every((check) => typeof check === 'function'),
);

/** Validators and defaults for {@link HealthOptions}. */
export const HEALTH_OPTIONS = defineOptions<HealthOptions>()({
  checks: checks.default({}),
  timeoutMs: number(1, 25_000, 'milliseconds').default(2_000),
  cacheMs: number(0, 300_000, 'milliseconds').default(5_000),
});

/** The result of one check. `code` is the error code of a failure. */
interface CheckResult {
  readonly status: 'ok' | 'failed';
  readonly durationMs: number;
  readonly code?: string;
}

interface HealthResult {
  readonly status: 'ok' | 'failed';
  readonly checks: Readonly<Record<string, CheckResult>>;
}

/** Time kept free at the end of an invocation, so that the answer can still be sent. */
const ANSWER_MARGIN_MS = 100;

/**
 * A handler for health probes of load balancers and monitors: 200 `{"status":"ok"}`, or 503 `{"status":"failed"}` if a check fails or does not end in time.
 * Callers that the gate has identified also receive the result of each check, so register it twice: public for probes, and with a posture for operators. Both
 * routes share one result. Error messages are only logged.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a value of the wrong type
 * @example
 * const probe = health({ checks: { notes: (signal) => notes.ping({ signal }) } });
 * app.get('/health', probe, Public());
 * app.get('/health/details', probe, Authenticated('ops:read'));
 */
export function health(options: HealthOptions = {}): Handler {
  const settings = HEALTH_OPTIONS.parse(options);
  let running: Promise<HealthResult> | undefined;
  let known: { readonly result: HealthResult; readonly until: number } | undefined;

  return async (ctx) => {
    const { clock, principal } = stateOf(ctx);
    if (!known || known.until <= clock.monotonicMs()) {
      running ??= runChecks(settings, ctx).finally(() => {
        running = undefined;
      });
      const result = await running;
      known = { result, until: clock.monotonicMs() + settings.cacheMs };
    }
    const { result } = known;
    const response = json(result.status === 'ok' ? 200 : 503, principal === null ? { status: result.status } : result);
    response.headers['cache-control'] = ['no-store'];
    return response;
  };
}

async function runChecks(
  { checks: all, timeoutMs }: ReturnType<typeof HEALTH_OPTIONS.parse>,
  ctx: Context,
): Promise<HealthResult> {
  const remaining = ctx.remainingMs;
  const ms = remaining > 0 ? Math.max(1, Math.min(timeoutMs, remaining - ANSWER_MARGIN_MS)) : timeoutMs;
  const entries = Object.entries(all).map(
    async ([name, check]) => [name, await runCheck(name, check, ms, ctx)] as const,
  );
  const results = await Promise.all(entries);
  const isHealthy = results.every(([, { status }]) => status === 'ok');
  return { status: isHealthy ? 'ok' : 'failed', checks: Object.fromEntries(results) };
}

async function runCheck(name: string, check: HealthCheck, ms: number, ctx: Context): Promise<CheckResult> {
  const { clock } = stateOf(ctx);
  const started = clock.monotonicMs();
  const duration = () => Math.round(clock.monotonicMs() - started);
  try {
    // Other requests share the result, so the signal of this one does not end the check.
    const value = await withDeadline({ ms, clock, signal: undefined }, async (signal) => check(signal));
    if (value === false) throw new FrameworkError('app.overloaded', `the check ${name} returned false`);
    return { status: 'ok', durationMs: duration() };
  } catch (error) {
    ctx.log.error('health check failed', { check: name, error });
    return { status: 'failed', durationMs: duration(), code: codeOf(error) };
  }
}

function codeOf(error: unknown): string {
  if (error instanceof StoreTimeout) return 'app.timeout';
  return error instanceof FrameworkError ? error.code : 'app.internal';
}
