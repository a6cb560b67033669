import type { Environment } from '@sallyport/core';
import { abortAfter, lazily, missingPackage } from '@sallyport/core/internal';
import { defineOptions, integer, kind, string, text, withMethods } from '@sallyport/core/options';
import { MCP_SPILL_BUCKET_ENV } from '../schema.js';
import { type McpSpill, type StoreCallOptions, storeFailure } from './store.js';

/** The used part of an S3 client: `new S3Client({})`. */
export interface S3Sender {
  /** Sends one command. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Options of {@link s3McpSpill}; an unknown key is rejected. */
export interface S3McpSpillOptions {
  /** The bucket. Default: the variable `FRAMEWORK_MCP_SPILL_BUCKET`. */
  readonly bucket?: string;
  /** Prefix of all keys. Default none. Add a lifecycle rule that deletes objects a day after the last row that refers to them expires. */
  readonly prefix?: string;
  /** The S3 client. Default: a client of this region, created at the first call. */
  readonly client?: S3Sender;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
  /** Milliseconds for one call with all its attempts, 1 to 60,000. Default 5,000. */
  readonly timeoutMs?: number;
}

const OPTIONS = defineOptions<S3McpSpillOptions>()({
  bucket: text('the name of a bucket').orVariable(MCP_SPILL_BUCKET_ENV),
  prefix: string.default(''),
  client: withMethods<S3Sender>('send'),
  environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
  timeoutMs: integer(1, 60_000, 'milliseconds').default(5000),
});

/** The AWS client: an optional peer, loaded when a large value is stored or read. */
const loadSdk = lazily(async () => {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (cause) {
    throw missingPackage('@aws-sdk/client-s3', cause);
  }
});

/**
 * Stores values in S3 that are too large for a row of the store. An object is deleted when a change replaces it. The last object of a row
 * remains when the row expires: add a lifecycle rule to the bucket that deletes objects later than any row expires. The function's role
 * needs `s3:PutObject`, `s3:GetObject` and `s3:DeleteObject`.
 *
 * @throws FrameworkError `app.invalid_configuration` if both the option and the variable are missing; a failed call rejects with
 *   `mcp.store` (503)
 *
 * @example createMcpServer({ name: 'reports', version: '1.0.0', store: dynamoMcpStore(), spill: s3McpSpill() });
 */
export function s3McpSpill(options: S3McpSpillOptions = {}): McpSpill {
  const { bucket: Bucket, prefix, client, timeoutMs } = OPTIONS.parse(options);
  let made: S3Sender | undefined = client;
  const send = async (
    { signal }: StoreCallOptions,
    toCommand: (sdk: Awaited<ReturnType<typeof loadSdk>>) => object,
  ): Promise<unknown> => {
    const sdk = await loadSdk();
    made ??= new sdk.S3Client({}) as S3Sender;
    return made.send(toCommand(sdk) as never, { abortSignal: abortAfter(timeoutMs, signal) });
  };
  return {
    async put(key, data, options = {}) {
      const object = { Bucket, Key: prefix + key, Body: data, ContentType: 'application/octet-stream' };
      await send(options, ({ PutObjectCommand }) => new PutObjectCommand(object)).catch(fail);
    },
    async get(key, options = {}) {
      const object = { Bucket, Key: prefix + key };
      const found = await send(options, ({ GetObjectCommand }) => new GetObjectCommand(object)).catch(absentOrFail);
      return (found as S3Object | undefined)?.Body?.transformToByteArray().catch(fail);
    },
    async delete(key, options = {}) {
      await send(options, ({ DeleteObjectCommand }) => new DeleteObjectCommand({ Bucket, Key: prefix + key })).catch(
        fail,
      );
    },
  };
}

interface S3Object {
  readonly Body?: { transformToByteArray(): Promise<Uint8Array> };
}

function fail(cause: unknown): never {
  throw storeFailure(cause);
}

/** An object that a lifecycle rule has deleted counts as absent. */
function absentOrFail(error: unknown): undefined {
  if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
  return fail(error);
}
