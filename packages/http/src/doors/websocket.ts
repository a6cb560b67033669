import { unknownProvenance } from '@sallyport/core/pipeline';
import { ProxySource, type ProxyTraits, writeProxy } from './gateway-v1.js';
import { asIs, firstText, type HttpDoor, objectOf, textOf, WEBSOCKET_MAX_MESSAGE_BYTES } from './internal/event.js';

const TRAITS: ProxyTraits = { decodeQuery: asIs, provenance: unknownProvenance };

/** API Gateway WebSocket API. The answer to `$connect` decides whether the connection is opened. */
export const webSocketDoor: HttpDoor = {
  projection: 'v1-style response',
  traits: {
    maxAnswerBytes: WEBSOCKET_MAX_MESSAGE_BYTES,
    streams: 'refuse',
    measure: (_response, { body }) => Buffer.byteLength(body),
  },
  read(input) {
    const event = objectOf(input);
    const rawPath = firstText(event.path, '/');
    return { method: textOf(event.httpMethod), path: rawPath, rawPath, source: new ProxySource(event, TRAITS) };
  },
  write: writeProxy,
};
