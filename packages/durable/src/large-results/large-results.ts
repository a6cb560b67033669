import { sha256 } from '@sallyport/core/internal';
import { defineOptions, integer, string, withMethods } from '@sallyport/core/options';
import { DurableError } from '../errors.js';
import type { LaneScope } from '../internal/lane-scope.js';
import type { OutsideOperations } from '../internal/outside.js';
import { MAX_RESULT_BYTES } from '../internal/values.js';
import type { DurablePart } from '../types.js';

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The used methods of the `ObjectStore` of `@sallyport/objectstore`. */
export interface ResultStore {
  /** Writes an object. */
  put(
    input: {
      readonly ref: { readonly bucket: string; readonly key: string };
      readonly payload: Uint8Array;
      readonly contentType: string;
    },
    options?: CallOptions,
  ): Promise<unknown>;
  /** Reads an object of at most `maxBytes`. */
  get(
    input: { readonly ref: { readonly bucket: string; readonly key: string }; readonly maxBytes: number },
    options?: CallOptions,
  ): Promise<{ readonly payload: Uint8Array }>;
}

/** Options of {@link largeResults}. */
export interface LargeResultsOptions {
  /** The bucket. Its objects must live longer than the executions: use a lifecycle rule of the retention and more. */
  readonly bucket: string;
  /** The beginning of the keys. Default `durable-results/`. */
  readonly prefix?: string;
  /** The largest result in bytes. Default 16 MiB. */
  readonly maxBytes?: number;
}

/** Validators and defaults for {@link LargeResultsOptions}. */
export const LARGE_RESULTS_OPTIONS = /* @__PURE__ */ defineOptions<LargeResultsOptions>()({
  bucket: /* @__PURE__ */ string.required(),
  prefix: /* @__PURE__ */ string.default('durable-results/'),
  maxBytes: /* @__PURE__ */ integer(MAX_RESULT_BYTES, 268_435_456, 'bytes').default(16_777_216),
});

const STORE = /* @__PURE__ */ defineOptions<{ readonly store: ResultStore }>()({
  store: /* @__PURE__ */ withMethods<ResultStore>('put', 'get').required(),
});

const PREFIX = '{"$object":"';
const DIGITS = 64;

/**
 * Keeps results of steps above 256 KiB in an object store; the history has their digest. At a replay the object is read and compared with
 * the digest: a difference or a missing object rejects with `durable.result_lost`. The key of an object is the digest of its content, so a
 * repeated write is the same write. Results of `map` and of records keep the limit of 256 KiB.
 *
 * @param store `createS3ObjectStore()` of `@sallyport/objectstore`
 * @throws FrameworkError `app.invalid_configuration` for a wrong argument
 * @example durable(report, { use: [largeResults(createS3ObjectStore(), { bucket: 'reports' })] });
 */
export function largeResults(store: ResultStore, options: LargeResultsOptions): DurablePart {
  STORE.parse({ store });
  const { bucket, prefix, maxBytes } = LARGE_RESULTS_OPTIONS.parse(options);
  const refOf = (digest: string) => ({ bucket, key: `${prefix}${digest}` });
  return {
    attach(flow: LaneScope | OutsideOperations) {
      if (!('run' in flow)) {
        flow.maxBytes = maxBytes;
        return;
      }
      Object.assign(flow.hooks, {
        maxBytes,
        async keep({ host }, text) {
          // A small result with the form of a reference is stored too: it must not be read as a reference.
          if (Buffer.byteLength(text) <= MAX_RESULT_BYTES - DIGITS * 2 && !text.startsWith(PREFIX)) return text;
          const digest = sha256(text);
          const payload = Buffer.from(text, 'utf8');
          await store.put({ ref: refOf(digest), payload, contentType: 'application/json' }, { signal: host.signal });
          return `${PREFIX}${digest}"}`;
        },
        async read({ host }, name, text) {
          if (!text.startsWith(PREFIX)) return text;
          const digest = text.slice(PREFIX.length, PREFIX.length + DIGITS);
          const lost = (reason: string, cause?: unknown) =>
            new DurableError('durable.result_lost', `step "${name}": its result ${reason}`, cause);
          if (!/^[0-9a-f]{64}$/.test(digest)) throw lost('has no digest');
          const { payload } = await store
            .get({ ref: refOf(digest), maxBytes }, { signal: host.signal })
            .catch((error: unknown) =>
              Promise.reject(isMissing(error) ? lost('is not in the object store', error) : error),
            );
          const stored = Buffer.from(payload).toString('utf8');
          if (sha256(stored) !== digest) throw lost('differs from its recorded digest');
          return stored;
        },
      } satisfies LaneScope['hooks']);
    },
  };
}

function isMissing(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === 'objectstore.not_found';
}
