import { base64Size, FrameworkError } from '@sallyport/core';
import type { RequestSource } from '@sallyport/core/pipeline';
import type { Stage } from '../run.js';

/** Refuses a body over the limit before it is decoded. */
export function requestLimit(maxBytes: number): Stage {
  return ({ state }) => {
    if (bodySize(state.request.source) > maxBytes) throw new FrameworkError('app.too_large');
    return undefined;
  };
}

/** Bytes of a body as they will be after decoding. */
function bodySize({ rawBody, isBase64 }: RequestSource): number {
  if (typeof rawBody !== 'string') return rawBody.byteLength;
  return isBase64 ? base64Size(rawBody) : Buffer.byteLength(rawBody);
}
