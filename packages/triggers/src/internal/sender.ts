import type { LambdaContext } from '@sallyport/core';
import { lazily, missingPackage } from '@sallyport/core/internal';
import { integer, withMethods } from '@sallyport/core/options';
import { triggersError } from '../errors.js';

/** The used part of an AWS client, for example `new SFNClient({})`. */
export interface AwsSender {
  /** Sends one command. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Options of a trigger that reports its result to the service. */
export interface SenderOptions {
  /** The client of the service. Default: a client of this region, created at the first call. */
  readonly client?: AwsSender;
  /** Milliseconds for one call with all its attempts, 1 to 30,000. Default 4,000. */
  readonly timeoutMs?: number;
}

/** Validators and defaults for {@link SenderOptions}. */
export const SENDER_OPTIONS = {
  client: /* @__PURE__ */ withMethods<AwsSender>('send'),
  timeoutMs: /* @__PURE__ */ integer(1, 30_000, 'milliseconds').default(4_000),
};

/** Milliseconds before the end of the invocation that a call may need. */
export const SENDER_MARGIN_MS = 5_000;

/** Loads an AWS client, which is an optional peer, at the first call. */
export function loadClient<T>(name: string, load: () => Promise<T>): () => Promise<T> {
  return lazily(async () => {
    try {
      return await load();
    } catch (cause) {
      throw missingPackage(name, cause);
    }
  });
}

/**
 * Sends one command, and ends before the function times out.
 *
 * @throws FrameworkError `triggers.response_failed`; the cause is the error of the client
 */
export async function sendResult(
  service: string,
  client: AwsSender,
  command: unknown,
  timeoutMs: number,
  lambdaContext: LambdaContext | undefined,
): Promise<unknown> {
  const left = lambdaContext?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
  const abortSignal = AbortSignal.timeout(Math.max(1, Math.min(timeoutMs, left - RESERVE_MS)));
  try {
    return await client.send(command as never, { abortSignal });
  } catch (cause) {
    throw triggersError('triggers.response_failed', `${service} did not receive the result`, { cause });
  }
}

/** Milliseconds that the runtime needs for the error of a call. */
const RESERVE_MS = 200;
