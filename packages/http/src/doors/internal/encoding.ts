import { isUtf8 } from 'node:buffer';
import { asBuffer } from '@sallyport/core';
import type { OutgoingResponse } from '@sallyport/core/pipeline';
import type { EncodedBody } from '../../pipeline/exchange.js';

const EMPTY: EncodedBody = { body: '', isBase64Encoded: false };

/** The one place that decides about base64: asked for, or bytes that are no UTF-8. */
export function encodeBody(response: OutgoingResponse): EncodedBody {
  const { content, isBase64 } = response;
  if (content.length === 0) return EMPTY;
  if (typeof content === 'string') {
    if (!isBase64) return { body: content.isWellFormed() ? content : content.toWellFormed(), isBase64Encoded: false };
    return { body: Buffer.from(content, 'utf8').toString('base64'), isBase64Encoded: true };
  }
  const bytes = asBuffer(content);
  if (!isBase64 && isUtf8(bytes)) return { body: bytes.toString('utf8'), isBase64Encoded: false };
  return { body: bytes.toString('base64'), isBase64Encoded: true };
}
