import { sha256, stringOf } from '@sallyport/core/internal';

/** The members of a context that identify its event, if it has a natural key. */
interface Keyed {
  readonly triggerKind?: unknown;
  readonly eventKey?: unknown;
  readonly source?: { readonly arn?: unknown; readonly name?: unknown };
}

/**
 * The identity of the event of a context, equal for every delivery by its service; `undefined` for an event without a natural key, such as an
 * HTTP request.
 */
export function eventIdentity(context: object): string | undefined {
  const { triggerKind, eventKey, source } = context as Keyed;
  if (typeof eventKey !== 'string' || eventKey === '') return undefined;
  return sha256(JSON.stringify([stringOf(triggerKind), stringOf(source?.arn) || stringOf(source?.name), eventKey]));
}

/** A digest of an identity and the place in its code. */
export function placeDigest(identity: string, ...place: readonly (string | number)[]): string {
  return sha256(JSON.stringify([identity, ...place]));
}

/** A UUID of version 8 (RFC 9562, section 5.8) from a digest of 64 hexadecimal digits. */
export function toUuid(digest: string): string {
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  const hex = `${digest.slice(0, 12)}8${digest.slice(13, 16)}${variant}${digest.slice(17, 32)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
