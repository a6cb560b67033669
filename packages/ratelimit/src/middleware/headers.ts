import { boolean, defineOptions, type ParsedOptions } from '@sallyport/core/options';
import { invalidConfig } from '../errors.js';
import type { LimitDecision, WindowState } from '../limiter/limiter.js';
import { durationLabel } from '../strategies/internal/definition.js';

/** Options for the rate limit headers of a response. */
export interface RateLimitHeaderOptions {
  /** `ratelimit-policy` and `ratelimit` (draft-ietf-httpapi-ratelimit-headers). Default true. */
  readonly ietf?: boolean;
  /** `x-ratelimit-limit`, `-remaining` and `-reset`; with several windows `-window` too. Default true. */
  readonly legacy?: boolean;
}

const OPTIONS = defineOptions<RateLimitHeaderOptions>()(
  { ietf: boolean.default(true), legacy: boolean.default(true) },
  { fail: invalidConfig },
);

export const HEADER_OPTIONS = OPTIONS.kinds;
export type HeaderSettings = ParsedOptions<typeof HEADER_OPTIONS>;
export const ALL_HEADERS: HeaderSettings = { ietf: true, legacy: true };

/**
 * The headers of a decision, by lower-case name. A denial has `retry-after`. Without a decision of the store the counts are
 * unknown: an allowed request has no headers, a denied request `x-rate-limit-fail-closed: true` and `retry-after: 1`. A
 * decision of the local limiter has only `retry-after`, because its counts are for one instance.
 *
 * @param now the time from which seconds are counted
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example rateLimitHeaders(decision, ctx.now(), { legacy: false }) // { 'ratelimit-policy': '"default";q=100;w=60', … }
 */
export function rateLimitHeaders(
  decision: LimitDecision,
  now: Date,
  options?: RateLimitHeaderOptions,
): Record<string, string> {
  return headersOf(decision, now, OPTIONS.parse(options));
}

/** As {@link rateLimitHeaders}, with parsed options. */
export function headersOf(
  decision: LimitDecision,
  now: Date,
  { ietf, legacy }: HeaderSettings,
): Record<string, string> {
  if (decision.degraded && decision.source === 'local') {
    return decision.allowed ? {} : { 'retry-after': retryAfter(decision) };
  }
  if (decision.degraded) {
    return decision.allowed ? {} : { 'retry-after': '1', 'x-rate-limit-fail-closed': 'true' };
  }
  return {
    ...(ietf && ietfHeaders(decision, now)),
    ...(legacy && legacyHeaders(decision)),
    ...(!decision.allowed && { 'retry-after': retryAfter(decision) }),
  };
}

/** Names are quoted strings (RFC 9651 section 3.3.3) of characters that need no escape. */
function ietfHeaders({ windows }: LimitDecision, now: Date): Record<string, string> {
  const item = (state: WindowState) => `"${state.name}";r=${state.remaining};t=${secondsUntil(state.resetsAt, now)}`;
  const policy = ({ name, limit, windowMs }: WindowState) => `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`;
  return { 'ratelimit-policy': windows.map(policy).join(', '), ratelimit: windows.map(item).join(', ') };
}

function legacyHeaders({ limit, remaining, resetsAt, windowMs, windows }: LimitDecision): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, remaining)),
    'x-ratelimit-reset': String(Math.ceil(resetsAt.getTime() / 1000)),
    ...(windows.length > 1 && { 'x-ratelimit-window': durationLabel(windowMs) }),
  };
}

/** Rounded up, so that a client that waits this long is not denied again. */
function retryAfter({ retryAfterMs = 0 }: LimitDecision): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}

function secondsUntil(instant: Date, now: Date): number {
  return Math.max(0, Math.ceil((instant.getTime() - now.getTime()) / 1000));
}
