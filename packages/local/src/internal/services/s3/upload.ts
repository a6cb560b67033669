import { createHash } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Call } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import { type Algorithm, createChecksum, isAlgorithm } from './checksums.js';
import { decodeChunked } from './chunked.js';

const UNSIGNED = 'UNSIGNED-PAYLOAD';
const UNSIGNED_CHUNKS = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const HEX = /^[0-9a-f]{64}$/;
/** 16 bytes in base64. */
const MD5 = /^[A-Za-z0-9+/]{22}==$/;

/** A received body, checked against the headers of its request. */
export interface Received {
  readonly size: number;
  /** MD5 in hex. */
  readonly md5: string;
  /** By header, `x-amz-checksum-crc32`. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** Checks the signature of an S3 request; the digest of its body is checked while it is read. */
export function verifySignature({ signed }: Call): void {
  const { payload } = signed;
  if (![UNSIGNED, UNSIGNED_CHUNKS, ''].includes(payload) && !HEX.test(payload)) {
    throw new AwsFault(501, 'NotImplemented', 'signed chunks are not supported here');
  }
  if (payload === '' && !signed.isPresigned)
    throw new AwsFault(400, 'InvalidRequest', 'Missing required header: x-amz-content-sha256');
  signed.verify(payload === '' ? UNSIGNED : payload);
}

/**
 * Writes a body to a file. If the body does not match the headers of the request, the file is deleted.
 *
 * @throws AwsFault `BadDigest`, `InvalidDigest`, `XAmzContentSHA256Mismatch`, `IncompleteBody`
 */
export async function receive(call: Call, path: string): Promise<Received> {
  try {
    return await receiveInto(call, path);
  } catch (error) {
    rmSync(path, { force: true });
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new AwsFault(500, 'InternalError', 'the disk is full');
    throw error;
  }
}

async function receiveInto(call: Call, path: string): Promise<Received> {
  const { headers } = call.request;
  const isChunked = call.signed.payload === UNSIGNED_CHUNKS;
  const { body, trailers } = isChunked ? decodeChunked(call.request.body) : { body: call.request.body, trailers: {} };
  const md5 = createHash('md5');
  const sha256 = createHash('sha256');
  const algorithms = announced(headers);
  const sums = new Map(algorithms.map((algorithm) => [algorithm, createChecksum(algorithm)]));
  let size = 0;
  await pipeline(
    body,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length;
        md5.update(chunk);
        sha256.update(chunk);
        for (const sum of sums.values()) sum.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
  const digest = md5.digest();
  const checksums = Object.fromEntries([...sums].map(([algorithm, sum]) => [headerOf(algorithm), sum.digest()]));
  assertSize(headers, size, isChunked);
  assertDigests({ ...headers, ...trailers }, checksums, digest);
  if (HEX.test(call.signed.payload) && call.signed.payload !== sha256.digest('hex')) {
    throw new AwsFault(
      400,
      'XAmzContentSHA256Mismatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  }
  return { size, md5: digest.toString('hex'), checksums };
}

export function headerOf(algorithm: Algorithm): string {
  return `x-amz-checksum-${algorithm}`;
}

/** Algorithms whose checksum the request has in a header or announces as a trailer. */
function announced(headers: Readonly<Record<string, string>>): readonly Algorithm[] {
  const names = [...Object.keys(headers), ...(headers['x-amz-trailer'] ?? '').split(',')];
  const found = names
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^x-amz-checksum-/, '|'),
    )
    .flatMap((name) => {
      const algorithm = name.startsWith('|') ? name.slice(1) : '';
      return isAlgorithm(algorithm) ? [algorithm] : [];
    });
  return [...new Set(found)];
}

function assertSize(headers: Readonly<Record<string, string>>, size: number, isChunked: boolean): void {
  const stated = isChunked ? headers['x-amz-decoded-content-length'] : headers['content-length'];
  if (stated !== undefined && Number(stated) !== size) {
    throw new AwsFault(400, 'IncompleteBody', 'The request body does not have the length that the request states.');
  }
}

function assertDigests(
  stated: Readonly<Record<string, string>>,
  checksums: Readonly<Record<string, string>>,
  md5: Buffer,
): void {
  for (const [name, value] of Object.entries(checksums)) {
    if (stated[name] === undefined) throw new AwsFault(400, 'InvalidRequest', `the trailer ${name} is missing`);
    if (stated[name] !== value) {
      const algorithm = name.slice('x-amz-checksum-'.length).toUpperCase();
      throw new AwsFault(400, 'BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
    }
  }
  const own = stated['content-md5'];
  if (own !== undefined && !MD5.test(own))
    throw new AwsFault(400, 'InvalidDigest', 'The Content-MD5 you specified is not valid.');
  if (own !== undefined && own !== md5.toString('base64')) {
    throw new AwsFault(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
}
