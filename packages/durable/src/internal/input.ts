import { canonicalJson, sha256 } from '@sallyport/core/internal';
import { DurableError } from '../errors.js';
import type { StepOptions } from '../types.js';
import type { Text } from './values.js';

const DIGITS = 64;
/** The digest of the option `input` of a step; `undefined` without it. */
export function inputDigest({ input }: StepOptions): string | undefined {
  return input === undefined ? undefined : sha256(canonicalJson(input));
}

/** The recorded text of a step with the digest of its input. */
export function withInput(digest: string | undefined, text: Text): Text {
  if (digest === undefined) return text;
  return `${PREFIX}${digest}"${text === undefined ? '' : `,"value":${text}`}}`;
}

const PREFIX = '{"$input":"';

/**
 * The text of the value.
 *
 * @throws DurableError `durable.diverged` if the recorded digest is another
 */
export function withoutInput(digest: string | undefined, text: Text, place: string): Text {
  // A step that got the option later is recorded without a digest.
  if (digest === undefined || text === undefined || !text.startsWith(PREFIX)) return text;
  const recorded = text.slice(PREFIX.length, PREFIX.length + DIGITS);
  if (recorded !== digest) {
    const digests = `recorded ${recorded.slice(0, 16)}, now ${digest.slice(0, 16)}`;
    throw new DurableError('durable.diverged', `${place}: its input differs from the recorded input (${digests})`);
  }
  const start = PREFIX.length + DIGITS + '","value":'.length;
  return text.length < start ? undefined : text.slice(start, -1);
}
