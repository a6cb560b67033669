import { OptionKind } from '@sallyport/core/options';
import { ObjectStoreError } from '../errors.js';

/**
 * Encryption of objects at rest.
 *
 * - `bucket-default` (the default): the setting of the bucket; no header is sent.
 * - `s3-managed`: with keys of S3 (`AES256`).
 * - `kms`: with the KMS key of this id, ARN or alias. A missing key id is rejected, because S3 would silently use another key.
 */
export type Encryption =
  | { readonly mode: 'bucket-default' }
  | { readonly mode: 's3-managed' }
  | { readonly mode: 'kms'; readonly kmsKeyId: string };

const MODES: readonly unknown[] = ['bucket-default', 's3-managed', 'kms'] satisfies readonly Encryption['mode'][];
const BUCKET_DEFAULT: Encryption = { mode: 'bucket-default' };

/** The option `encryption`. Its error has a separate code. */
export const encryptionOption = new OptionKind<Encryption>(
  'an encryption: { mode: "bucket-default" }, { mode: "s3-managed" } or { mode: "kms", kmsKeyId }',
  (value) => parseEncryption(value),
).default(BUCKET_DEFAULT);

function parseEncryption(value: unknown): Encryption {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('must be an object');
  const { mode, kmsKeyId, ...rest } = value as Readonly<Record<string, unknown>>;
  if (!MODES.includes(mode)) throw invalid('mode must be "bucket-default", "s3-managed" or "kms"');
  if (Object.keys(rest).length > 0) throw invalid('has a member that is not mode or kmsKeyId');
  if (mode !== 'kms') {
    if ('kmsKeyId' in value) throw invalid(`of mode "${mode}" must not have kmsKeyId`);
    return { mode } as Encryption;
  }
  if (typeof kmsKeyId !== 'string' || kmsKeyId === '' || kmsKeyId !== kmsKeyId.trim()) {
    throw invalid('of mode "kms" needs a kmsKeyId without white space at its ends');
  }
  return { mode, kmsKeyId };
}

/** The members of a `PutObject` for encryption. */
export interface EncryptionInput {
  readonly ServerSideEncryption?: 'AES256' | 'aws:kms';
  readonly SSEKMSKeyId?: string;
}

export function toEncryptionInput(encryption: Encryption): EncryptionInput {
  switch (encryption.mode) {
    case 'bucket-default':
      return {};
    case 's3-managed':
      return { ServerSideEncryption: 'AES256' };
    case 'kms':
      return { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: encryption.kmsKeyId };
  }
}

/** The headers of the request for encryption, in lower case. */
export function toEncryptionHeaders(encryption: Encryption): Readonly<Record<string, string>> {
  const { ServerSideEncryption: algorithm, SSEKMSKeyId: keyId } = toEncryptionInput(encryption);
  return {
    ...(algorithm !== undefined && { 'x-amz-server-side-encryption': algorithm }),
    ...(keyId !== undefined && { 'x-amz-server-side-encryption-aws-kms-key-id': keyId }),
  };
}

function invalid(problem: string): ObjectStoreError {
  return new ObjectStoreError('objectstore.invalid_encryption_config', `framework: encryption ${problem}`);
}
