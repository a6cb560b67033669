import { decodeBase64 } from '@sallyport/core';
import type { Delivered } from '@sallyport/streams/delivery';
import { invalidEvent } from '../errors.js';

/** The bytes of base64 text. @throws FrameworkError `triggers.invalid_event` for anything else */
export function bytesOf(kind: string, place: string, value: unknown): Uint8Array {
  try {
    if (typeof value === 'string') return decodeBase64(value);
  } catch {
    // Rejected below, by the name of its place.
  }
  throw invalidEvent(kind, `${place} must be base64`);
}

/** A record whose content cannot be read fails alone, in its turn: `read` is called in place of its handler. */
export function readable(item: Omit<Delivered, 'record'>, read: () => object): Delivered {
  try {
    return { ...item, record: read() };
  } catch (error) {
    const fail = () => {
      throw error;
    };
    return { ...item, record: {}, handler: fail };
  }
}
