// Signature Version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeEscapes, sha256 } from '@sallyport/core/internal';
import type { RunKeys } from '../host/keys.js';
import { AwsFault, type WireRequest } from './wire.js';

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** Maximum difference between the time of a request and now. */
const SKEW_MS = 900_000;
/** Maximum lifetime of a presigned URL: a week. */
const MAX_EXPIRES_S = 604_800;

/** The verified parts of a signed request. */
export interface Signed {
  /** The service of the scope: `sqs`. */
  readonly service: string;
  readonly region: string;
  /** True if the signature is in the query. */
  readonly isPresigned: boolean;
  /** `X-Amz-Content-Sha256`: a digest in hex, `UNSIGNED-PAYLOAD`, or one of `STREAMING-…`; `''` if absent. */
  readonly payload: string;
  /** Checks the signature with the digest of the body. @throws AwsFault `SignatureDoesNotMatch` */
  verify(payloadHash: string): void;
}

/** The parts that signed headers and presigned URLs have in common. */
interface SignatureMembers {
  readonly isPresigned: boolean;
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `20261122T100000Z`. */
  readonly date: string;
  /** Lifetime of a presigned URL in seconds. */
  readonly expires: number;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/**
 * Reads and checks the signature of a request. The caller checks the digest of the body.
 *
 * @param now milliseconds since the epoch
 * @throws AwsFault 403 for a request without a signature, with other keys, out of time, or with unsigned headers
 */
export function readSignature(request: Omit<WireRequest, 'body'>, keys: RunKeys, now: number): Signed {
  const pairs = queryPairs(request.query);
  const parts = partsOf(request, new Map(pairs));
  const [accessKeyId = '', day = '', region = '', service = '', end] = parts.credential.split('/');
  if (end !== 'aws4_request' || !parts.date.startsWith(day) || day === '') throw malformed();
  if (accessKeyId !== keys.accessKeyId) {
    throw new AwsFault(403, service === 's3' ? 'InvalidAccessKeyId' : 'UnrecognizedClientException', UNKNOWN_KEY);
  }
  assertTime(parts, now);
  assertSigned(parts, request, service);
  const payload = request.headers['x-amz-content-sha256'] ?? new Map(pairs).get('X-Amz-Content-Sha256') ?? '';
  const scope = [day, region, service, 'aws4_request'].join('/');
  const key = signingKey(keys.secretAccessKey, day, region, service);
  return {
    service,
    region,
    isPresigned: parts.isPresigned,
    payload,
    verify(payloadHash) {
      const canonical = canonicalRequest(request, pairs, parts, service, payloadHash);
      const toSign = [ALGORITHM, parts.date, scope, sha256(canonical)].join('\n');
      const expected = Buffer.from(hmac(key, toSign).toString('hex'));
      const given = Buffer.from(parts.signature);
      if (expected.length !== given.length || !timingSafeEqual(expected, given)) throw mismatch(service);
    },
  };
}

/**
 * The headers of a request, signed with these keys. Forwarded calls are signed with the developer's keys.
 *
 * @param headers the headers to sign, including `host`, with names in lower case
 */
export function signHeaders(
  request: Pick<WireRequest, 'method' | 'path' | 'query'> & { readonly headers: Readonly<Record<string, string>> },
  keys: RunKeys & { readonly sessionToken?: string },
  scope: { readonly region: string; readonly service: string; readonly payloadHash: string; readonly now: Date },
): Record<string, string> {
  const date = scope.now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = date.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-date': date,
    'x-amz-content-sha256': scope.payloadHash,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  const signedHeaders = Object.keys(headers).sort();
  const credential = [day, scope.region, scope.service, 'aws4_request'].join('/');
  const parts = { isPresigned: false, credential, signedHeaders, signature: '', date, expires: 0 };
  const pairs = queryPairs(request.query);
  const canonical = canonicalRequest({ ...request, headers }, pairs, parts, scope.service, scope.payloadHash);
  const key = signingKey(keys.secretAccessKey, day, scope.region, scope.service);
  const signature = hmac(key, [ALGORITHM, date, credential, sha256(canonical)].join('\n')).toString('hex');
  const names = signedHeaders.join(';');
  const authorization = `${ALGORITHM} Credential=${keys.accessKeyId}/${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

function partsOf({ headers }: Pick<WireRequest, 'headers'>, query: ReadonlyMap<string, string>): SignatureMembers {
  const { authorization } = headers;
  if (authorization === undefined && query.has('X-Amz-Signature')) return presignedParts(query);
  if (authorization === undefined) throw new AwsFault(403, 'MissingAuthenticationToken', UNSIGNED);
  const match = /^AWS4-HMAC-SHA256 +Credential=([^, ]+), *SignedHeaders=([^, ]+), *Signature=([0-9a-f]{64})$/.exec(
    authorization,
  );
  if (!match) throw malformed();
  const [, credential = '', signedHeaders = '', signature = ''] = match;
  const date = headers['x-amz-date'] ?? '';
  return { isPresigned: false, credential, signedHeaders: signedHeaders.split(';'), signature, date, expires: 0 };
}

function presignedParts(query: ReadonlyMap<string, string>): SignatureMembers {
  const given = (name: string) => query.get(`X-Amz-${name}`) ?? '';
  const expires = Number(given('Expires'));
  if (given('Algorithm') !== ALGORITHM || !Number.isInteger(expires) || expires < 1 || expires > MAX_EXPIRES_S) {
    throw new AwsFault(400, 'AuthorizationQueryParametersError', 'the parameters of the presigned URL are not valid');
  }
  return {
    isPresigned: true,
    credential: given('Credential'),
    signedHeaders: given('SignedHeaders').split(';'),
    signature: given('Signature'),
    date: given('Date'),
    expires,
  };
}

function assertTime({ date, expires, isPresigned }: SignatureMembers, now: number): void {
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(at)) throw malformed();
  if (isPresigned && now > at + expires * 1000) throw new AwsFault(403, 'AccessDenied', 'Request has expired');
  if (isPresigned ? at > now + SKEW_MS : Math.abs(now - at) > SKEW_MS) {
    throw new AwsFault(403, 'RequestTimeTooSkewed', 'the time of the request differs by more than 15 minutes');
  }
}

/** The host must be signed, which the SDK calls `:authority` with HTTP/2; S3 also requires signatures of all its own headers. */
function assertSigned(
  { signedHeaders }: SignatureMembers,
  { headers }: Pick<WireRequest, 'headers'>,
  service: string,
): void {
  const own = service === 's3' ? Object.keys(headers).filter((name) => name.startsWith('x-amz-')) : [];
  const host = signedHeaders.includes(':authority') ? [] : ['host'];
  const missing = [...own, ...host].filter((name) => !signedHeaders.includes(name));
  if (missing.length === 0) return;
  const text = 'There were headers present in the request which were not signed';
  throw new AwsFault(403, 'AccessDenied', text, { HeadersNotSigned: missing.join(', ') });
}

function canonicalRequest(
  { method, path, headers }: Pick<WireRequest, 'method' | 'path' | 'headers'>,
  pairs: Pairs,
  { signedHeaders }: SignatureMembers,
  service: string,
  payloadHash: string,
): string {
  // Paths are encoded twice, except for S3.
  const uri = service === 's3' ? path : path.split('/').map(encode).join('/');
  const query = pairs
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const lines = signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`);
  return [method, uri, query, lines.join(''), signedHeaders.join(';'), payloadHash].join('\n');
}

/** Names and values of a query, decoded. */
export function queryPairs(query: string): Pairs {
  if (query === '') return [];
  return query.split('&').map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    return equals < 0
      ? [decodeEscapes(pair), '']
      : [decodeEscapes(pair.slice(0, equals)), decodeEscapes(pair.slice(equals + 1))];
  });
}

/** Percent-encodes all characters except the unreserved characters (RFC 3986 section 2.3). */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function signingKey(secret: string, day: string, region: string, service: string): Buffer {
  return [day, region, service, 'aws4_request'].reduce(
    (key: string | Buffer, part) => hmac(key, part),
    `AWS4${secret}`,
  ) as Buffer;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

const UNSIGNED = 'the request is not signed; `sallyport env` prints the variables of a client';
const UNKNOWN_KEY = 'the access key is not the key of this run; `sallyport env` prints the variables of a client';

function malformed(): AwsFault {
  return new AwsFault(403, 'IncompleteSignatureException', 'the signature is not complete');
}

function mismatch(service: string): AwsFault {
  const text = 'The request signature we calculated does not match the signature you provided.';
  return new AwsFault(403, service === 's3' ? 'SignatureDoesNotMatch' : 'InvalidSignatureException', text);
}
