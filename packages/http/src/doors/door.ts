import type { OutgoingResponse, RequestSource } from '@sallyport/core/pipeline';
import type { DoorTraits, EncodedBody } from '../exchange.js';

/** A front door's reading of its event: method and path now, the rest when somebody asks. */
export interface DoorRequest {
  readonly method: string;
  /** Undecoded, stage cut, not yet canonical. */
  readonly path: string;
  readonly rawPath: string;
  readonly source: RequestSource;
}

/** A front door: two pure functions and what it can carry. */
export interface Door {
  readonly traits: DoorTraits;
  read(event: unknown): DoorRequest;
  /** The document that the service behind this door expects. */
  write(response: OutgoingResponse, body: EncodedBody, event: unknown): Record<string, unknown>;
}

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
