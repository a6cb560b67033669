import type { OutgoingResponse } from '@sallyport/core/pipeline';
import { joinHeaders, Payload2Source, writePayload2 } from './gateway-v2.js';
import { bufferedDoor, firstText, type HttpDoor, LAMBDA_MAX_ANSWER_BYTES, objectOf, textOf } from './internal/event.js';

/** Lambda function URL: payload format 2.0, with a path that is still encoded and without a stage. */
export const functionUrlDoor: HttpDoor = {
  projection: 'URL response',
  traits: bufferedDoor(LAMBDA_MAX_ANSWER_BYTES, writePayload2),
  read(input) {
    const event = objectOf(input);
    const http = objectOf(objectOf(event.requestContext).http);
    const rawPath = firstText(event.rawPath, http.path);
    return { method: textOf(http.method), path: rawPath, rawPath, source: new Payload2Source(event, 'lambda-url') };
  },
  write: writePayload2,
};

/** What goes before the body of a streamed answer: repeated headers joined, cookies as a list. */
export function functionUrlMetadata({ status, headers, cookies }: OutgoingResponse): Record<string, unknown> {
  return {
    statusCode: status,
    headers: joinHeaders(headers),
    ...(cookies.length > 0 ? { cookies: [...cookies] } : {}),
  };
}
