import type { Clock, FullClock } from '@sallyport/core';
import {
  completeClock,
  isTransient,
  LAMBDA_MAX_TIMEOUT_MS,
  pause,
  randomFraction,
  throwMissing,
  withDeadline,
} from '@sallyport/core/internal';
import {
  boolean,
  defineOptions,
  func,
  integer,
  kind,
  type ParsedOptions,
  text,
  withMethods,
} from '@sallyport/core/options';
import { ERROR_CODE_EMBEDDING_FAILED, invalidConfig, VectorStoreError } from '../errors.js';
import { failureOf, runBounded, type Width } from '../internal/bounded.js';
import { lazyClient, type Opened, type SdkClient, type SdkConfig } from '../internal/sdk.js';
import { DEFAULT_EMBEDDING_DIMENSIONS, DEFAULT_TITAN_EMBED_TEXT_MODEL_ID } from '../schema.js';
import type { CallOptions, VectorData } from '../store/store.js';
import { cloneVector } from '../store/validators.js';
import type { Embedder } from './embedder.js';
import { type BedrockSdk, invokeModel } from './internal/model.js';
import { toText, toTexts } from './internal/texts.js';

/** Options of {@link createTitanEmbedder}. */
export interface TitanEmbedderOptions {
  /** The model. Default `amazon.titan-embed-text-v2:0`. */
  readonly modelId?: string;
  /** Number of dimensions of an embedding. Default 1,024. */
  readonly dimensions?: 256 | 512 | 1024;
  /** True if embeddings have length 1. Default `true`. */
  readonly normalize?: boolean;
  /**
   * The client of `@aws-sdk/client-bedrock-runtime`. Set its `maxAttempts` to 1, because the embedder retries. Default: such a client,
   * created at the first call.
   */
  readonly client?: SdkClient;
  /** Configuration of the framework's client: region, credentials, endpoint. */
  readonly config?: SdkConfig;
  /** Loads the AWS package. Default: imports the installed package at the first call. */
  readonly loadSdk?: () => Promise<BedrockSdk>;
  /** Concurrent requests of one batch, 1 to 64. Default 16. A throttled request halves it for the rest of its batch. */
  readonly concurrency?: number;
  /** Attempts for one text, 1 to 10. Default 5. */
  readonly maxAttempts?: number;
  /** Maximum characters of one text, 1 to 50,000. Default 50,000. The model checks its limit of 8,192 tokens. */
  readonly maxInputChars?: number;
  /** Milliseconds for one attempt, 1 to 60,000. Default 10,000. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds for all attempts for one text and the waits between them, 1 to 900,000. Default 30,000. */
  readonly timeoutMs?: number;
  /** The clock for attempts and waits. Default: the system's clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link TitanEmbedderOptions}. */
export const TITAN_OPTIONS = /* @__PURE__ */ defineOptions<TitanEmbedderOptions>()(
  {
    modelId: text('the id of a model').default(DEFAULT_TITAN_EMBED_TEXT_MODEL_ID),
    dimensions: kind<256 | 512 | 1024>('256, 512 or 1024', (value) =>
      [256, 512, 1024].includes(value as number),
    ).default(DEFAULT_EMBEDDING_DIMENSIONS),
    normalize: boolean.default(true),
    client: withMethods<SdkClient>('send'),
    config: kind<SdkConfig>('an object', (value) => typeof value === 'object' && value !== null),
    loadSdk: func<() => Promise<BedrockSdk>>(),
    concurrency: integer(1, 64).default(16),
    maxAttempts: integer(1, 10).default(5),
    maxInputChars: integer(1, 50_000).default(50_000),
    requestTimeoutMs: integer(1, 60_000, 'milliseconds').default(10_000),
    timeoutMs: integer(1, LAMBDA_MAX_TIMEOUT_MS, 'milliseconds').default(30_000),
    clock: withMethods<Clock>('now'),
  },
  { fail: invalidConfig },
);

type Settings = ParsedOptions<typeof TITAN_OPTIONS.kinds>;

const PACKAGE = '@aws-sdk/client-bedrock-runtime';

/** The wait before a retry is a random part of the first value, which doubles each time, up to the second value. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;

/** Transient failures of the model that are recognized only by their names. */
const BUSY_MODEL = new Set(['ModelTimeoutException', 'ModelNotReadyException', 'ServiceUnavailableException']);

/**
 * An embedder with a Titan text model of Amazon Bedrock: one request for each text. The AWS package is an optional peer
 * dependency that is imported at the first call.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong option; its calls reject with FrameworkError `app.missing_package`
 *   without the AWS package
 * @example
 * const embedder = createTitanEmbedder({ dimensions: 512 });
 * const [first, second] = await embedder.embedBatch(['milk', 'bread']);
 */
export function createTitanEmbedder(options: TitanEmbedderOptions = {}): Embedder {
  return new TitanEmbedder(TITAN_OPTIONS.parse(options));
}

class TitanEmbedder implements Embedder {
  readonly #settings: Settings;
  readonly #clock: FullClock;
  readonly #open: () => Promise<Opened<BedrockSdk>>;

  constructor(settings: Settings) {
    const { client, config, loadSdk = importSdk } = settings;
    this.#settings = settings;
    this.#clock = completeClock(settings.clock);
    this.#open = lazyClient(
      PACKAGE,
      loadSdk,
      (module) => client ?? (new module.BedrockRuntimeClient({ maxAttempts: 1, ...config } as never) as SdkClient),
    );
  }

  get dimensions(): number {
    return this.#settings.dimensions;
  }

  async embed(input: string, { signal }: CallOptions = {}): Promise<VectorData> {
    return this.#embed(toText(input, this.#settings.maxInputChars), { limit: 1 }, signal);
  }

  async embedBatch(texts: readonly string[], { signal }: CallOptions = {}): Promise<VectorData[]> {
    const inputs = toTexts(texts, this.#settings.maxInputChars);
    signal?.throwIfAborted();
    const stop = new AbortController();
    const inner = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const width: Width = { limit: this.#settings.concurrency };
    const found = new Map<string, VectorData>();
    const outcomes = await runBounded([...new Set(inputs)], width, async (input) => {
      try {
        found.set(input, await this.#embed(input, width, inner));
      } catch (error) {
        // The caller gets the first failure, so the other requests are aborted.
        stop.abort(error);
        throw error;
      }
    });
    signal?.throwIfAborted();
    if (failureOf(outcomes)) throw stop.signal.reason;
    return inputs.map((input) => cloneVector(found.get(input) as VectorData));
  }

  /** Runs all attempts for one text. */
  async #embed(input: string, width: Width, signal: AbortSignal | undefined): Promise<VectorData> {
    const { maxAttempts, requestTimeoutMs, timeoutMs } = this.#settings;
    signal?.throwIfAborted();
    await this.#open();
    const endMs = this.#clock.monotonicMs() + timeoutMs;
    const leftMs = () => endMs - this.#clock.monotonicMs();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const ms = Math.min(requestTimeoutMs, leftMs());
        return await withDeadline({ ms, clock: this.#clock, signal }, (inner) =>
          invokeModel(this.#open, this.#settings, input, inner),
        );
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof VectorStoreError) throw error;
        if (isThrottle(error)) width.limit = Math.max(1, Math.floor(width.limit / 2));
        const waitMs = randomFraction() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
        if (!isPassing(error) || attempt === maxAttempts || waitMs >= leftMs()) throw embeddingFailed(error);
        await pause(this.#clock, waitMs, signal);
      }
    }
  }
}

function importSdk(): Promise<BedrockSdk> {
  return import('@aws-sdk/client-bedrock-runtime').catch(
    throwMissing(PACKAGE),
  ) as Promise<unknown> as Promise<BedrockSdk>;
}

function isPassing(error: unknown): boolean {
  return isTransient(error) || BUSY_MODEL.has(String((error as { name?: unknown } | null)?.name));
}

function isThrottle(error: unknown): boolean {
  const { name, $metadata } = (error ?? {}) as { name?: unknown; $metadata?: { httpStatusCode?: unknown } };
  return name === 'ThrottlingException' || $metadata?.httpStatusCode === 429;
}

function embeddingFailed(cause: unknown): VectorStoreError {
  return new VectorStoreError(ERROR_CODE_EMBEDDING_FAILED, 'bedrock embedding request failed', {
    retryable: isPassing(cause),
    cause,
  });
}
