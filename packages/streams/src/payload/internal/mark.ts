/** Shared by name with `@sallyport/local`, which makes sample events of the schema. */
const PAYLOAD = Symbol.for('framework.payload');

/** Marks a handler with the schema of its payload. */
export function markPayload<H extends object>(handler: H, schema: unknown): H {
  return Object.assign(handler, { [PAYLOAD]: schema });
}

/** The mark of a handler, for its registration; empty for a handler without one. */
export function payloadMark(handler: object): object {
  return PAYLOAD in handler ? { [PAYLOAD]: handler[PAYLOAD] } : {};
}
