import type { S3Client } from '@aws-sdk/client-s3';
import { invalidStoreConfig } from '../../errors.js';
import type { ObjectRef } from '../../refs/ref.js';

/** The required contents of a link. */
export interface ExpectedLink {
  readonly ref: ObjectRef;
  readonly expiresIn: number;
  /** Names in lower case, without `host`. */
  readonly signedHeaders: readonly string[];
  readonly client: S3Client;
}

/** Headers that must be signed as headers: S3 does not enforce them in the query. */
const NO_QUERY =
  /^(?:x-amz-checksum-.*|x-amz-sdk-checksum-algorithm|content-type|if-none-match|x-amz-server-side-encryption.*)$/i;

/**
 * Verifies a signed link, because the headers that the SDK signs depend on its version and on the client.
 *
 * @throws ObjectStoreError `objectstore.invalid_store_config`, without the link
 */
export async function assertLink(link: string, expected: ExpectedLink): Promise<void> {
  // The error for an invalid URL contains the URL.
  if (!URL.canParse(link)) throw refused('is not a valid URL');
  const url = new URL(link);
  const query = url.searchParams;
  if (query.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') throw refused('is not signed with AWS4-HMAC-SHA256');
  if (query.get('X-Amz-Expires') !== String(expected.expiresIn)) throw refused('has another expiry');
  const signed = (query.get('X-Amz-SignedHeaders') ?? '').split(';').sort();
  const wanted = ['host', ...expected.signedHeaders].sort();
  if (signed.join(';') !== wanted.join(';')) throw refused('does not sign the headers that bind the upload');
  if ([...query.keys()].some((name) => NO_QUERY.test(name))) throw refused('has a constraint in its query');
  await assertTarget(url, expected);
}

/** Checks that host and path belong to the bucket and the key. The bucket is in the host or in the path. */
async function assertTarget(url: URL, { ref: { bucket, key }, client }: ExpectedLink): Promise<void> {
  const own = await client.config.endpoint?.();
  if (own === undefined && url.protocol !== 'https:') throw refused('is not an https URL');
  const basePath = (own?.path ?? '/').replace(/\/$/, '');
  const inHost = url.host.startsWith(`${bucket}.`) && url.pathname === `${basePath}/${encodeKey(key)}`;
  const inPath = url.pathname === `${basePath}/${encodeURIComponent(bucket)}/${encodeKey(key)}`;
  const host = inHost ? url.host.slice(bucket.length + 1) : url.host;
  if (!inHost && !inPath) throw refused('is for another object');
  if (own === undefined ? !/^s3[.-][\w.-]+$/.test(host) : host !== hostOf(own)) throw refused('is for another host');
}

function hostOf({ hostname, port }: { hostname: string; port?: number }): string {
  return port === undefined ? hostname : `${hostname}:${port}`;
}

/** Percent-encodes a key once, except slashes (RFC 3986, as required for signatures). */
function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replace(/%2F/g, '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function refused(problem: string) {
  return invalidStoreConfig(`the link that the S3 client signed ${problem}`);
}
