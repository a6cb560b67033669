import type { LambdaContext } from '@sallyport/core';
import { lazily, missingPackage } from '@sallyport/core/internal';
import { defineOptions, integer, withMethods } from '@sallyport/core/options';
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
export const SENDER_OPTIONS = /* @__PURE__ */ defineOptions<SenderOptions>()({
  client: /* @__PURE__ */ withMethods<AwsSender>('send'),
  timeoutMs: /* @__PURE__ */ integer(1, 30_000, 'milliseconds').default(4_000),
});

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

/** Reports the results of one trigger to its service, with the client of the options or a client of the region. */
export class Reporter<Sdk> {
  readonly #service: string;
  readonly #load: () => Promise<Sdk>;
  readonly #create: (sdk: Sdk) => AwsSender;
  readonly #timeoutMs: number;
  #client: AwsSender | undefined;

  /** @throws FrameworkError `app.invalid_configuration` for a wrong or unknown option */
  constructor(options: SenderOptions, service: string, load: () => Promise<Sdk>, create: (sdk: Sdk) => AwsSender) {
    const { client, timeoutMs } = SENDER_OPTIONS.parse(options);
    this.#service = service;
    this.#load = load;
    this.#create = create;
    this.#timeoutMs = timeoutMs;
    this.#client = client;
  }

  /**
   * Sends one command, and ends before the function times out.
   *
   * @throws FrameworkError `triggers.response_failed`; the cause is the error of the client
   */
  async send(commandOf: (sdk: Sdk) => unknown, lambdaContext: LambdaContext | undefined): Promise<void> {
    const sdk = await this.#load();
    this.#client ??= this.#create(sdk);
    const left = lambdaContext?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
    const abortSignal = AbortSignal.timeout(Math.max(1, Math.min(this.#timeoutMs, left - RESERVE_MS)));
    try {
      await this.#client.send(commandOf(sdk) as never, { abortSignal });
    } catch (cause) {
      throw triggersError('triggers.response_failed', `${this.#service} did not receive the result`, { cause });
    }
  }
}

/** Milliseconds that the runtime needs for the error of a call. */
const RESERVE_MS = 200;
