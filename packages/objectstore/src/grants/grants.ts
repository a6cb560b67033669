import type { S3Client } from '@aws-sdk/client-s3';
import type { Clock, FullClock } from '@sallyport/core';
import { completeClock, LAMBDA_MAX_TIMEOUT_MS, lazily, throwMissing } from '@sallyport/core/internal';
import { defineOptions, integer, text, withMethods } from '@sallyport/core/options';
import { invalidStoreConfig, ObjectStoreError } from '../errors.js';
import { importS3 } from '../internal/sdk.js';
import { type Encryption, encryptionOption, toEncryptionHeaders, toEncryptionInput } from '../store/encryption.js';
import { callWithin } from '../store/internal/faults.js';
import type { ObjectCallOptions } from '../store/store.js';
import type { PresignPutInput, UploadGrant, UploadGrants } from './grant.js';
import { type CheckedGrant, checkPresignPut } from './internal/input.js';
import { assertLink } from './internal/link.js';

/** Options of {@link createUploadGrants}. */
export interface UploadGrantsOptions {
  /**
   * The S3 client whose region, endpoint and credentials are used. Default: a client of the framework, created at the first
   * grant.
   */
  readonly client?: S3Client;
  /** The region of the framework client. Default: the region that the SDK finds, `AWS_REGION` on Lambda. Not together with `client`. */
  readonly region?: string;
  /** The encryption of uploaded objects; the uploader must send the headers. Default `{ mode: 'bucket-default' }`. */
  readonly encryption?: Encryption;
  /** Milliseconds for finding the credentials. Default 10,000. Loading the AWS SDK is not counted. */
  readonly timeoutMs?: number;
  /** The clock for the time of the signature. Default: the system's clock. */
  readonly clock?: Clock;
}

export const UPLOAD_GRANTS_OPTIONS = defineOptions<UploadGrantsOptions>()(
  {
    client: withMethods<S3Client>('send'),
    region: text('the name of a region'),
    encryption: encryptionOption,
    timeoutMs: integer(1, LAMBDA_MAX_TIMEOUT_MS, 'milliseconds').default(10_000),
    clock: withMethods<Clock>('now'),
  },
  { fail: invalidStoreConfig },
);

const SECOND_MS = 1000;
const SIGNED_HEADERS = ['content-length', 'content-type', 'x-amz-checksum-sha256'] as const;

interface Signer {
  readonly client: S3Client;
  sign(checked: CheckedGrant, headers: readonly string[], signingDate: Date): Promise<string>;
}

/**
 * Creates signed links with which a client uploads one object directly to S3: of exactly this size, type and SHA-256, for at most
 * 900 seconds. The AWS SDK is loaded at the first grant.
 *
 * @throws ObjectStoreError `objectstore.invalid_store_config` for a wrong option, `objectstore.invalid_encryption_config`
 * @example
 * const grants = createUploadGrants();
 * const { url, headers } = await grants.presignPut({
 *   ref: { bucket: 'uploads', key: 'photo.png' },
 *   contentLength: 12_345,
 *   maxBytes: 1_048_576,
 *   contentType: 'image/png',
 *   checksumSha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
 *   expiresIn: 300,
 * });
 * await fetch(url, { method: 'PUT', headers, body: file }); // in the browser
 */
export function createUploadGrants(options?: UploadGrantsOptions): UploadGrants {
  const settings = UPLOAD_GRANTS_OPTIONS.parse(options);
  if (settings.client && settings.region !== undefined) {
    throw invalidStoreConfig('option "region" must not be set together with "client"');
  }
  return new S3UploadGrants(settings);
}

class S3UploadGrants implements UploadGrants {
  readonly #settings: ReturnType<typeof UPLOAD_GRANTS_OPTIONS.parse>;
  readonly #clock: FullClock;
  readonly #open = lazily(() => this.#load());

  constructor(settings: ReturnType<typeof UPLOAD_GRANTS_OPTIONS.parse>) {
    this.#settings = settings;
    this.#clock = completeClock(settings.clock);
  }

  async presignPut(input: PresignPutInput, { signal }: ObjectCallOptions = {}): Promise<UploadGrant> {
    const checked = checkPresignPut(input);
    const deadline = { ms: this.#settings.timeoutMs, clock: this.#clock, signal };
    return callWithin(deadline, { operation: 'get', isVersioned: false }, this.#open, (signer) =>
      this.#grant(checked, signer),
    );
  }

  async #grant(checked: CheckedGrant, signer: Signer): Promise<UploadGrant> {
    const encryptionHeaders = toEncryptionHeaders(this.#settings.encryption);
    const conditions = checked.createOnly ? { 'if-none-match': '*' } : {};
    const signed = [...SIGNED_HEADERS, ...Object.keys({ ...encryptionHeaders, ...conditions })];
    const credentialsBefore = await endOfCredentials(signer.client);
    // S3 counts from the whole second in the link.
    const signedAtMs = Math.floor(this.#clock.now().getTime() / SECOND_MS) * SECOND_MS;
    const url = await signer.sign(checked, signed, new Date(signedAtMs));
    await assertLink(url, { ...checked, signedHeaders: signed, client: signer.client });
    const endsMs = Math.min(
      signedAtMs + checked.expiresIn * SECOND_MS,
      credentialsBefore,
      await endOfCredentials(signer.client),
    );
    if (endsMs <= this.#clock.now().getTime()) throw expiredCredentials();
    return {
      method: 'PUT',
      url,
      headers: {
        'content-length': String(checked.contentLength),
        'content-type': checked.contentType,
        'x-amz-checksum-sha256': checked.checksumSha256,
        ...encryptionHeaders,
        ...conditions,
      },
      expiresAt: new Date(endsMs),
      ref: checked.ref,
    };
  }

  async #load(): Promise<Signer> {
    const { region, encryption } = this.#settings;
    const [{ S3Client: Client, PutObjectCommand }, { getSignedUrl }] = await Promise.all([
      importS3(),
      import('@aws-sdk/s3-request-presigner').catch(throwMissing('@aws-sdk/s3-request-presigner')),
    ]);
    // With the default setting, a client may add the CRC of the empty body, and then every upload would fail.
    const own = () =>
      new Client({ requestChecksumCalculation: 'WHEN_REQUIRED', ...(region !== undefined && { region }) });
    const client = this.#settings.client ?? own();
    return {
      client,
      sign: ({ ref, contentLength, contentType, checksumSha256, expiresIn, createOnly }, headers, signingDate) => {
        const command = new PutObjectCommand({
          Bucket: ref.bucket,
          Key: ref.key,
          ContentLength: contentLength,
          ContentType: contentType,
          ChecksumSHA256: checksumSha256,
          ...(createOnly && { IfNoneMatch: '*' }),
          ...toEncryptionInput(encryption),
        });
        return getSignedUrl(client, command, {
          expiresIn,
          signingDate,
          signableHeaders: new Set(['host', ...headers]),
          unhoistableHeaders: new Set(headers),
        });
      },
    };
  }
}

/** Unix milliseconds at which the client's credentials expire; infinity if they do not expire. */
async function endOfCredentials(client: S3Client): Promise<number> {
  const { expiration } = await client.config.credentials();
  return expiration?.getTime() ?? Number.POSITIVE_INFINITY;
}

function expiredCredentials(): ObjectStoreError {
  return new ObjectStoreError(
    'objectstore.denied',
    'framework: the credentials that would sign the upload have expired',
  );
}
