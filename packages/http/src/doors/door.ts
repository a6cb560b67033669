import type { DoorTraits, RequestSource } from '@sallyport/core/pipeline';

export type { Door, DoorRequest } from '@sallyport/core/pipeline';

const MEBIBYTE = 1024 * 1024;

/** A door that answers with one JSON document of at most so many bytes of body. */
export function bufferedDoor(maxEncodedBytes: number): DoorTraits {
  return { maxEncodedBytes, streams: 'collect', encodes: true };
}

export const GATEWAY_MAX_BYTES = 6 * MEBIBYTE;
export const LOAD_BALANCER_MAX_BYTES = MEBIBYTE;
export const WEBSOCKET_MAX_BYTES = 128 * 1024;

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
