import type { FullClock } from '@sallyport/core';
import { withDeadline } from '@sallyport/core/internal';
import { MicrovmError } from '../../errors.js';
import { type MicrovmState, toMicrovmState } from '../../lifecycle/states.js';
import { type ProviderCall, toProviderError } from '../../provider/internal/errors.js';
import type { MicrovmDescription, MicrovmProvider } from '../../provider/provider.js';
import type { CallerFacts } from '../caller.js';
import { LIMITS } from '../options.js';

/** Milliseconds for all attempts of one call of the service. */
const CALL_MS = 5000;
/** Milliseconds of the invocation that are reserved for the response. */
export const MARGIN_MS = 500;

/** Calls the service with a deadline, and converts its errors. */
export class ProviderCalls {
  readonly #provider: MicrovmProvider;
  readonly #clock: FullClock;

  constructor(provider: MicrovmProvider, clock: FullClock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  /** @throws MicrovmError without the service's message */
  async send<T>(
    call: ProviderCall,
    { remainingMs }: Pick<CallerFacts, 'remainingMs'>,
    run: (provider: MicrovmProvider, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.within(call, { remainingMs }, (signal) => run(this.#provider, signal));
  }

  /** Waits for a call of the service that other callers may share, at most for the remaining time of this caller. @throws MicrovmError */
  async within<T>(
    call: ProviderCall,
    { remainingMs }: Pick<CallerFacts, 'remainingMs'>,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const ms = Math.min(CALL_MS, remainingMs() - MARGIN_MS);
    if (ms <= 0) throw new MicrovmError('microvm.provider_unavailable', 'no time left');
    try {
      return await withDeadline({ ms, clock: this.#clock, signal: undefined }, work);
    } catch (error) {
      throw toProviderError(error, call);
    }
  }
}

/** A validated machine description. */
export interface Machine {
  readonly microvmId: string;
  readonly state: MicrovmState;
  readonly providerState: string;
  readonly endpointHost: string;
  readonly imageVersion: string | undefined;
  readonly maximumDurationSeconds: number;
  readonly startedAt: number;
  readonly terminatedAt: number | undefined;
}

const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** @throws MicrovmError `microvm.provider_failed` for an unknown state or shape, `microvm.endpoint_refused` */
export function toMachine(description: MicrovmDescription, suffixes: readonly string[]): Machine {
  const { microvmId, state: providerState, endpoint, imageVersion, maximumDurationSeconds } = description;
  const state = typeof providerState === 'string' ? toMicrovmState(providerState) : undefined;
  const startedAt = timeOf(description.startedAt);
  const duration: unknown = maximumDurationSeconds;
  if (!isMicrovmId(microvmId) || state === undefined || startedAt === undefined || !Number.isSafeInteger(duration)) {
    throw new MicrovmError('microvm.provider_failed', 'service failed', {
      cause: new Error('an unknown state or shape'),
    });
  }
  return {
    microvmId,
    state,
    providerState,
    endpointHost: endpointHostOf(endpoint, suffixes),
    imageVersion: typeof imageVersion === 'string' && imageVersion !== '' ? imageVersion : undefined,
    maximumDurationSeconds,
    startedAt,
    terminatedAt: timeOf(description.terminatedAt),
  };
}

/** True if a value is a valid machine id. */
export function isMicrovmId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= LIMITS.microvmIdLength;
}

function timeOf(value: unknown): number | undefined {
  const ms =
    value instanceof Date || Object.prototype.toString.call(value) === '[object Date]' ? Number(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * The host of an endpoint: a host name, or an `https` URL with only a host and port 443.
 *
 * @throws MicrovmError `microvm.endpoint_refused`
 */
export function endpointHostOf(endpoint: unknown, suffixes: readonly string[]): string {
  const text = typeof endpoint === 'string' ? endpoint.trim().toLowerCase() : '';
  const host = /^https:\/\/([^/?#@:]+)(?::443)?\/?$/.exec(text)?.[1] ?? text;
  if (HOST.test(host) && suffixes.some((suffix) => host.endsWith(suffix))) return host;
  throw new MicrovmError('microvm.endpoint_refused', 'endpoint rejected');
}
