/** Shared by name with `@sallyport/local`, which makes sample events of the schema. */
const PAYLOAD = Symbol.for('sallyport.streams.payload/1');

/** Marks a handler with the schema of its payload. */
export function markPayload<H extends object>(handler: H, schema: unknown): H {
  return Object.assign(handler, { [PAYLOAD]: schema });
}

/** The mark of a handler, for its registration; empty for a handler that has no mark. */
export function payloadMark(handler: object): object {
  return PAYLOAD in handler ? { [PAYLOAD]: handler[PAYLOAD] } : {};
}
