import { providerProvenance, unknownProvenance } from '@sallyport/core/internal';
import {
  bySourceIp,
  createMemoryRateLimiter,
  fingerprintCredential,
  fixedWindow,
  type LimitDecision,
  multiWindow,
  type RateLimiter,
  type RateLimitKey,
  rateLimitHeaders,
  type Strategy,
  slidingWindow,
  tokenBucket,
  type WindowState,
} from '@sallyport/ratelimit';
import { rateLimitItemKey } from '@sallyport/ratelimit/testing';

type Args = Readonly<Record<string, unknown>>;

interface WireWindow {
  readonly name: string;
  readonly window_ms: number;
  readonly limit: number;
  readonly current_count: number;
  readonly remaining: number;
  readonly resets_at: string;
}

interface WireStep {
  readonly call?: 'consume' | 'peek' | 'reset' | 'refund';
  /** Milliseconds after `start`. */
  readonly at_ms: number;
  readonly cost?: number;
  /** Index of the decision to refund, from 0. */
  readonly of?: number;
  /** Number of units to refund. Default: all. */
  readonly units?: number;
}

/** `{ "kind": "api_key", "credential": "…", "key": "…" }` */
export function fingerprint({ kind, credential, key }: Args): string {
  return fingerprintCredential(kind as 'api_key', credential as string, key as string | undefined);
}

/** `{ "decision": { … }, "now": "…", "ietf": true, "legacy": true }` */
export function headers({ decision, now, ietf = true, legacy = true }: Args): Record<string, string> {
  const options = { ietf: ietf === true, legacy: legacy === true };
  return rateLimitHeaders(fromWire(decision as Args), new Date(now as string), options);
}

/** `{ "strategy": { … }, "key": { … }, "at": "…", "shard": 0 }` */
export function itemKey({ strategy, key, at, shard = 0 }: Args): { pk: string; sk: string } {
  const of = key as unknown as RateLimitKey;
  return rateLimitItemKey(toStrategy(strategy as Args), of, new Date(at as string), shard as number);
}

/** `{ "strategy": { … } }`: its name and shape. */
export function policy({ strategy }: Args): string {
  return toStrategy(strategy as Args).policy;
}

/** `{ "address": "2001:db8::1", "ipv6_prefix": 64 }`; no address is an unknown source. */
export function sourceIdentifier({ address, ipv6_prefix }: Args): string {
  const provenance = address === undefined ? unknownProvenance() : providerProvenance('apigw-v2', address);
  const identify = bySourceIp(ipv6_prefix === undefined ? {} : { ipv6Prefix: ipv6_prefix as number });
  return identify({ sourceProvenance: () => provenance } as Parameters<typeof identify>[0]);
}

/** `{ "strategy": { … }, "limits": [ … ], "start": "…", "steps": [{ "at_ms": 0, "cost": 1 }] }` on a memory limiter. */
export async function decisions({ strategy, limits, start, steps }: Args): Promise<unknown[]> {
  let now = new Date(start as string);
  const limiter = createMemoryRateLimiter({
    strategy: toStrategy(strategy as Args),
    clock: { now: () => now },
    ...(limits !== undefined && { limitFor: () => limits as number[] }),
  });
  const key = { identifier: 'caller', resource: '/notes', operation: 'GET' };
  const answers: unknown[] = [];
  const made: LimitDecision[] = [];
  for (const { call = 'consume', at_ms, cost, of = 0, units } of steps as WireStep[]) {
    now = new Date(Date.parse(start as string) + at_ms);
    if (call === 'reset') await limiter.reset(key);
    else if (call === 'refund') answers.push(await refund(limiter, made[of], units));
    else {
      const decision = await limiter[call](key, cost === undefined ? {} : { cost });
      made.push(decision);
      answers.push(toWire(decision));
    }
  }
  return answers;
}

/** The outcome of a refund: the code of its rejection, or success. */
async function refund(limiter: RateLimiter, decision: unknown, units: number | undefined): Promise<object> {
  try {
    await limiter.refund(decision as LimitDecision, units === undefined ? {} : { units });
    return { refunded: true };
  } catch (error) {
    return { refunded: false, code: (error as { code?: unknown }).code };
  }
}

function toStrategy({ kind, windows = [], ...rest }: Args): Strategy {
  if (kind === 'bucket') {
    const { refill_per_second, ...bucket } = rest;
    return tokenBucket({ ...bucket, refillPerSecond: refill_per_second } as Parameters<typeof tokenBucket>[0]);
  }
  if (kind === 'multi') return multiWindow((windows as Args[]).map(toWindow));
  return kind === 'sliding' ? slidingWindow(toWindow(rest)) : fixedWindow(toWindow(rest));
}

function toWindow({ window_ms, ...rest }: Args): Parameters<typeof fixedWindow>[0] {
  return { ...rest, windowMs: window_ms } as Parameters<typeof fixedWindow>[0];
}

function toWireWindow({ name, windowMs, limit, currentCount, remaining, resetsAt }: WindowState): WireWindow {
  const resets_at = resetsAt.toISOString();
  return { name, window_ms: windowMs, limit, current_count: currentCount, remaining, resets_at };
}

function toWire({ allowed, retryAfterMs, degraded, source, windows, ...binding }: LimitDecision): object {
  return {
    allowed,
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
    degraded,
    source,
    ...toWireWindow(binding),
    windows: windows.map(toWireWindow),
  };
}

function fromWireWindow({ name, window_ms, limit, current_count, remaining, resets_at }: WireWindow): WindowState {
  const resetsAt = new Date(resets_at);
  return { name, windowMs: window_ms, limit, currentCount: current_count, remaining, resetsAt };
}

function fromWire(decision: Args): LimitDecision {
  const { allowed, retry_after_ms, degraded = false, source = 'store', windows } = decision;
  return {
    ...fromWireWindow(decision as unknown as WireWindow),
    allowed: allowed === true,
    ...(retry_after_ms !== undefined && { retryAfterMs: Number(retry_after_ms) }),
    degraded: degraded === true,
    source: source as LimitDecision['source'],
    windows: (windows as WireWindow[]).map(fromWireWindow),
  };
}
