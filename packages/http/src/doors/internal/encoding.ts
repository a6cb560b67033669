import type { DoorTraits, EncodedBody, OutgoingResponse } from '@sallyport/core/internal';
import { asBuffer } from '@sallyport/core/internal';

const EMPTY: EncodedBody = { body: '', isBase64Encoded: false };

/** Encodes a body for all doors. It is sent as base64 if the response sets `isBase64`, or if its bytes are not UTF-8. */
export function encodeBody({ content, isBase64 }: OutgoingResponse): EncodedBody {
  if (content.length === 0) return EMPTY;
  if (typeof content === 'string') {
    if (!isBase64) return { body: content.isWellFormed() ? content : content.toWellFormed(), isBase64Encoded: false };
    return { body: Buffer.from(content, 'utf8').toString('base64'), isBase64Encoded: true };
  }
  const bytes = asBuffer(content);
  // Not imported: the import would slow every cold start, and most functions never send bytes.
  if (!isBase64 && process.getBuiltinModule('node:buffer').isUtf8(bytes)) {
    return { body: bytes.toString('utf8'), isBase64Encoded: false };
  }
  return { body: bytes.toString('base64'), isBase64Encoded: true };
}

/** The maximum number of bytes of one UTF-16 unit in JSON: `\u001f`, and `\ud800` of a lone surrogate. */
const MAX_ESCAPE = 6;
/** An upper bound for the field names, quotes and punctuation of any door's answer. */
const MAX_ENVELOPE = 512;
/**
 * An upper bound for all headers that a front door would send: a load balancer accepts 32 KB, and each byte could be escaped.
 * Headers are not measured if the body is smaller than the limit by this number of bytes.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 */
const HEADER_ROOM = 256 * 1024;
/** Characters that JSON writes as `\u00xx`; it escapes no others with more than one byte. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is about control characters
const LONG_ESCAPES = /[\u0000-\u0007\u000b\u000e-\u001f]/;

/**
 * The size of an answer that the service would reject as too large, in bytes; 0 when it accepts the answer. Estimates are sufficient for
 * nearly all answers. Only near the limit, the document is written and measured.
 */
export function bytesOverCap(
  { maxAnswerBytes, measure }: DoorTraits,
  response: OutgoingResponse,
  encoded: EncodedBody,
  event: unknown,
): number {
  if (!measure) return 0;
  const { body, isBase64Encoded } = encoded;
  const bodyBound = body.length * (isBase64Encoded ? 1 : MAX_ESCAPE);
  if (bodyBound + HEADER_ROOM <= maxAnswerBytes) return 0;
  const rest = MAX_ENVELOPE + headerBound(response);
  if (rest + bodyBound <= maxAnswerBytes) return 0;
  if (!isBase64Encoded && !LONG_ESCAPES.test(body) && rest + 2 * Buffer.byteLength(body) <= maxAnswerBytes) return 0;
  const bytes = measure(response, encoded, event);
  return bytes > maxAnswerBytes ? bytes : 0;
}

/** An upper bound for the bytes of headers and cookies, for any door. */
function headerBound({ headers, cookies }: OutgoingResponse): number {
  let units = 0;
  for (const name in headers) {
    units += name.length + 8;
    for (const value of headers[name] as string[]) units += value.length + 3;
  }
  for (const cookie of cookies) units += cookie.length + 'set-cookie'.length + 8;
  return units * MAX_ESCAPE;
}
