import type { Door, DoorTraits, RequestSource } from '@sallyport/core/pipeline';

export type { Door, DoorRequest } from '@sallyport/core/pipeline';

/** A door that answers with one JSON document of at most so many bytes, headers and escaping included. */
export function bufferedDoor(maxAnswerBytes: number, write: Door['write']): DoorTraits {
  return {
    maxAnswerBytes,
    streams: 'collect',
    measure: (response, body, event) => Buffer.byteLength(JSON.stringify(write(response, body, event))),
  };
}

/**
 * What Lambda takes of a buffered function, the serialised answer as the runtime posts it: the guide's quota of 6 MB, which
 * the service words "Exceeded maximum allowed payload size (6291556 bytes)".
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const LAMBDA_MAX_ANSWER_BYTES = 6_291_556;
/**
 * The response JSON that a load balancer takes, 1 MB.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
 */
export const LOAD_BALANCER_MAX_ANSWER_BYTES = 1024 * 1024;
/**
 * The payload of a WebSocket message, 128 KB; the envelope around it is not sent.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
 */
export const WEBSOCKET_MAX_MESSAGE_BYTES = 128 * 1024;

/** An object to read from, whatever the event holds there. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : NOTHING;
}

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as Record<string, unknown>);

/** The body fields that all front doors share. */
export function bodyOf(
  event: Readonly<Record<string, unknown>>,
): Pick<RequestSource, 'rawBody' | 'isBase64' | 'invalidBody'> {
  const { body } = event;
  if (body === undefined || body === null) return NO_BODY;
  if (typeof body !== 'string') return INVALID_BODY;
  return { rawBody: body, isBase64: event.isBase64Encoded === true, invalidBody: undefined };
}

const NO_BODY = { rawBody: '', isBase64: false, invalidBody: undefined };
const INVALID_BODY = { rawBody: '', isBase64: false, invalidBody: 'invalid body' };
