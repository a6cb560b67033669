import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { type Clock, type FullClock, isFrameworkError } from '@sallyport/core';
import { completeClock, LAMBDA_MAX_TIMEOUT_MS, lazily } from '@sallyport/core/internal';
import { defineOptions, integer, text, withMethods } from '@sallyport/core/options';
import { invalidStoreConfig, ObjectStoreError } from '../errors.js';
import { importS3 } from '../internal/sdk.js';
import type { ObjectRef } from '../refs/ref.js';
import { type Encryption, encryptionOption, toEncryptionInput } from './encryption.js';
import { ignoreLateErrors, readBody } from './internal/body.js';
import { callWithin, type FailedCall, toStoreError } from './internal/faults.js';
import { checkDelete, checkGet, checkPut } from './internal/input.js';
import type {
  DeleteObjectInput,
  GetObjectInput,
  ObjectCallOptions,
  ObjectStore,
  PutObjectInput,
  StoredObject,
} from './store.js';

/** Options of {@link createS3ObjectStore}. */
export interface S3ObjectStoreOptions {
  /** The S3 client. Default: a client of the framework, created at the first call. */
  readonly client?: Pick<S3Client, 'send'>;
  /** The region of the framework client. Default: the region that the SDK finds, `AWS_REGION` on Lambda. Not together with `client`. */
  readonly region?: string;
  /** The encryption of written objects. Default `{ mode: 'bucket-default' }`. */
  readonly encryption?: Encryption;
  /** Timeout in milliseconds for one call with all its attempts, from connecting to the last byte. Default 30,000. Loading the AWS SDK is not counted. */
  readonly timeoutMs?: number;
  /** Its timers limit the time of every call. Default: the system's clock. */
  readonly clock?: Clock;
}

export const S3_STORE_OPTIONS = defineOptions<S3ObjectStoreOptions>()(
  {
    client: withMethods<Pick<S3Client, 'send'>>('send'),
    region: text('the name of a region'),
    encryption: encryptionOption,
    timeoutMs: integer(1, LAMBDA_MAX_TIMEOUT_MS, 'milliseconds').default(30_000),
    clock: withMethods<Clock>('now'),
  },
  { fail: invalidStoreConfig },
);

type Sdk = typeof import('@aws-sdk/client-s3');

interface OpenClient {
  readonly sdk: Sdk;
  readonly client: Pick<S3Client, 'send'>;
}

/**
 * Creates a store with `put`, `get` and `delete` for objects in S3. Each call times out after 30 s by default, and `get` requires a size
 * limit. The AWS SDK is loaded at the first call.
 *
 * @throws ObjectStoreError `objectstore.invalid_store_config` for a wrong option, `objectstore.invalid_encryption_config`; its calls reject
 *   with FrameworkError `app.missing_package` without `@aws-sdk/client-s3`, an optional peer
 * @example
 * const store = createS3ObjectStore({ encryption: { mode: 'kms', kmsKeyId: 'alias/notes' } });
 * const { payload } = await store.get({ ref: parseObjectRef('s3://notes/a.txt'), maxBytes: 1_048_576 });
 */
export function createS3ObjectStore(options?: S3ObjectStoreOptions): ObjectStore {
  const settings = S3_STORE_OPTIONS.parse(options);
  if (settings.client && settings.region !== undefined) {
    throw invalidStoreConfig('option "region" must not be set together with "client"');
  }
  return new S3ObjectStore(settings);
}

class S3ObjectStore implements ObjectStore {
  readonly #settings: ReturnType<typeof S3_STORE_OPTIONS.parse>;
  readonly #clock: FullClock;
  readonly #open = lazily(() => this.#load());

  constructor(settings: ReturnType<typeof S3_STORE_OPTIONS.parse>) {
    this.#settings = settings;
    this.#clock = completeClock(settings.clock);
  }

  async put(input: PutObjectInput, options?: ObjectCallOptions): Promise<ObjectRef> {
    const { ref, payload, contentType, metadata, createOnly } = checkPut(input);
    return this.#call({ operation: 'put', isVersioned: false }, options, async ({ sdk, client }, abortSignal) => {
      const command = new sdk.PutObjectCommand({
        Bucket: ref.bucket,
        Key: ref.key,
        Body: payload,
        ContentLength: payload.byteLength,
        ContentType: contentType,
        Metadata: metadata,
        ...(createOnly && { IfNoneMatch: '*' }),
        ...toEncryptionInput(this.#settings.encryption),
      });
      const { VersionId: versionId } = await client.send(command, { abortSignal });
      return versionId === undefined ? ref : { ...ref, versionId };
    });
  }

  async get(input: GetObjectInput, options?: ObjectCallOptions): Promise<StoredObject> {
    const { ref, maxBytes } = checkGet(input);
    const isVersioned = ref.versionId !== undefined;
    const call: FailedCall = { operation: 'get', isVersioned };
    return this.#call(call, options, async (open, signal) => {
      for (let tries = 1; ; tries += 1) {
        const answer = await request(open, ref, signal);
        try {
          return await toObject(answer, ref, maxBytes);
        } catch (error) {
          answer.leave();
          // The client of the SDK retries requests, but not the reading of a body.
          if (tries === BODY_TRIES || signal.aborted || !mayPass(error, call)) throw error;
        }
      }
    });
  }

  async delete(input: DeleteObjectInput, options?: ObjectCallOptions): Promise<void> {
    const ref = checkDelete(input);
    const isVersioned = ref.versionId !== undefined;
    try {
      await this.#call({ operation: 'delete', isVersioned }, options, ({ sdk, client }, abortSignal) =>
        client.send(new sdk.DeleteObjectCommand(targetOf(ref)), { abortSignal }),
      );
    } catch (error) {
      // S3 rejects a version id in a wrong format; in that case there is nothing to delete.
      if (!isFrameworkError(error) || error.code !== 'objectstore.not_found') throw error;
    }
  }

  #call<T>(
    call: FailedCall,
    { signal }: ObjectCallOptions = {},
    run: (open: OpenClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return callWithin({ ms: this.#settings.timeoutMs, clock: this.#clock, signal }, call, this.#open, run);
  }

  async #load(): Promise<OpenClient> {
    const { client, region } = this.#settings;
    const sdk = await importS3();
    return { sdk, client: client ?? new sdk.S3Client(region === undefined ? {} : { region }) };
  }
}

/** Maximum number of reads of a body that is truncated or does not match its checksum. */
const BODY_TRIES = 3;

function mayPass(error: unknown, call: FailedCall): boolean {
  const failure = toStoreError(error, call);
  return failure instanceof ObjectStoreError && failure.retryable;
}

interface Answer extends GetObjectCommandOutput {
  /**
   * Closes the connection if the body is not read to its end. Destroying the body would leave the connection open, because the SDK
   * returns a separate stream that only reads from it.
   */
  leave(): void;
}

async function request({ sdk, client }: OpenClient, ref: ObjectRef, signal: AbortSignal): Promise<Answer> {
  const unread = new AbortController();
  const leave = () => unread.abort();
  try {
    const command = new sdk.GetObjectCommand(targetOf(ref));
    const answer = await client.send(command, { abortSignal: AbortSignal.any([signal, unread.signal]) });
    return { ...answer, leave };
  } catch (error) {
    leave();
    throw error;
  }
}

async function toObject(answer: Answer, ref: ObjectRef, maxBytes: number): Promise<StoredObject> {
  const { ContentType: contentType, Metadata: metadata, VersionId: versionId } = answer;
  ignoreLateErrors(answer.Body);
  const payload = await readBody(answer.Body, answer.ContentLength, maxBytes);
  return {
    ref: versionId === undefined ? ref : { ...ref, versionId },
    payload,
    ...(contentType !== undefined && { contentType }),
    metadata: { ...metadata },
  };
}

function targetOf({ bucket, key, versionId }: ObjectRef): { Bucket: string; Key: string; VersionId?: string } {
  return { Bucket: bucket, Key: key, ...(versionId !== undefined && { VersionId: versionId }) };
}
