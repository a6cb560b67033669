import { invalidConfig } from '../errors.js';
import { assertOptions } from '../internal/options.js';
import type { LimitDecision, WindowState } from '../limiter/limiter.js';
import { durationLabel } from '../strategies/internal/duration.js';

export interface RateLimitHeaderOptions {
  /** `ratelimit-policy` and `ratelimit` (draft-ietf-httpapi-ratelimit-headers); true. */
  readonly ietf?: boolean;
  /** `x-ratelimit-*`; true. */
  readonly legacy?: boolean;
}

/**
 * Headers that tell a caller about a decision, by lower-case name. A denial has `retry-after`. A decision without the
 * store knows no counts: allowed it has no headers, denied it says that the limiter failed closed.
 *
 * @param now the instant from which seconds are counted
 */
export function rateLimitHeaders(
  decision: LimitDecision,
  now: Date,
  { ietf = true, legacy = true }: RateLimitHeaderOptions = {},
): Record<string, string> {
  if (decision.degraded) {
    return decision.allowed ? {} : { 'retry-after': '1', 'x-rate-limit-fail-closed': 'true' };
  }
  return {
    ...(ietf && ietfHeaders(decision, now)),
    ...(legacy && legacyHeaders(decision)),
    ...(!decision.allowed && { 'retry-after': retryAfter(decision) }),
  };
}

/** @throws RateLimitError `ratelimit.invalid_config` */
export function parseHeaderOptions(options: unknown): RateLimitHeaderOptions {
  const parsed = (options ?? {}) as RateLimitHeaderOptions;
  assertOptions(parsed, ['ietf', 'legacy']);
  for (const name of ['ietf', 'legacy'] as const) {
    if (parsed[name] !== undefined && typeof parsed[name] !== 'boolean') {
      throw invalidConfig(`option "${name}" must be true or false`);
    }
  }
  return parsed;
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

/** Rounded up: a client that comes back on time is not denied again. */
function retryAfter({ retryAfterMs = 0 }: LimitDecision): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}

function secondsUntil(instant: Date, now: Date): number {
  return Math.max(0, Math.ceil((instant.getTime() - now.getTime()) / 1000));
}
