import type { OutgoingResponse } from '@sallyport/core/pipeline';
import { joinHeaders } from '../../doors/gateway-v2.js';

/** What goes before the body of a streamed answer. */
export type Metadata = Record<string, unknown>;

/** Function URL: repeated headers joined, cookies as a list. */
export function functionUrlMetadata({ status, headers, cookies }: OutgoingResponse): Metadata {
  return {
    statusCode: status,
    headers: joinHeaders(headers),
    ...(cookies.length > 0 ? { cookies: [...cookies] } : {}),
  };
}

/** API Gateway REST: repeats and cookies in the multi-value map. */
export function gatewayRestMetadata({ status, headers, cookies }: OutgoingResponse): Metadata {
  const single = Object.create(null) as Record<string, string>;
  const multi = Object.create(null) as Record<string, string[]>;
  for (const name of Object.keys(headers)) {
    const values = headers[name] ?? [];
    if (values.length === 1) single[name] = values[0] as string;
    else if (values.length > 1) multi[name] = [...values];
  }
  if (cookies.length > 0) multi['set-cookie'] = [...cookies];
  return {
    statusCode: status,
    headers: single,
    ...(Object.keys(multi).length > 0 ? { multiValueHeaders: multi } : {}),
  };
}
