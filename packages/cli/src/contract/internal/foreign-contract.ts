import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { isFrameworkError } from '@sallyport/core';
import { membersOf } from '@sallyport/core/internal';
import { invalidUsage } from '../../internal/errors.js';
import { readIfThere } from './files.js';

/** Limits of a contract from a URL. */
export interface FetchLimits {
  /** Milliseconds until the last byte. */
  readonly timeoutMs: number;
  readonly bytes: number;
}

const LIMITS: FetchLimits = { timeoutMs: 30_000, bytes: 64 << 20 };

/**
 * The text of `contract.json` of another service: a file, a URL, or an installed package that has the file.
 *
 * @throws FrameworkError `cli.usage` for a place without the file
 */
export function readForeign(from: string, cwd: string, signal: AbortSignal): Promise<string> | string {
  return /^https?:\/\//i.test(from) ? fetchText(from, signal) : fromDisk(from, cwd);
}

function fromDisk(from: string, cwd: string): string {
  const text = readIfThere(resolve(cwd, from));
  if (text !== undefined) return text;
  // Not by resolution of a module: most packages do not export the file.
  for (const folder of createRequire(join(cwd, 'package.json')).resolve.paths(from) ?? []) {
    const found = readIfThere(join(folder, from, 'contract.json'));
    if (found !== undefined) return found;
  }
  throw invalidUsage(`${from} is not a file, and not an installed package with contract.json`);
}

/**
 * Reads a URL without credentials, within limits.
 *
 * @throws FrameworkError `cli.usage` for a URL with a user name, no answer in time, another status than 200, and too many bytes
 */
export async function fetchText(url: string, signal: AbortSignal, limits: FetchLimits = LIMITS): Promise<string> {
  const { username, password, host } = parsed(url);
  // The URL of the error is without them: output of a build is often public.
  if (username !== '' || password !== '')
    throw invalidUsage(`the URL of ${host} has a user name: nothing is sent to it`);
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([signal, timeout]), credentials: 'omit' });
    if (answer.status !== 200) throw invalidUsage(`${url} answered ${answer.status}`);
    return await readLimited(answer, url, limits.bytes);
  } catch (error) {
    if (isFrameworkError(error) || signal.aborted) throw error;
    throw invalidUsage(
      timeout.aborted
        ? `${url} did not answer within ${limits.timeoutMs / 1000} s`
        : `${url} did not answer: ${reasonOf(error)}`,
    );
  }
}

function parsed(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw invalidUsage(`${url} is not a valid URL`);
  }
}

/** Stops reading when there are too many bytes. */
async function readLimited({ body }: Response, url: string, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) throw invalidUsage(`${url} has more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The code of the connection, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const { code } = membersOf(membersOf(error).cause);
  return typeof code === 'string' ? code : 'the connection failed';
}
