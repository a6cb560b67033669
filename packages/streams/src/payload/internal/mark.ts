/** Shared by name with `@sallyport/local`, which makes sample events of the schema. */
const PAYLOAD = /* @__PURE__ */ Symbol.for('sallyport.streams.payload/1');
/** Shared by name with the tools that write contracts: the member that determines the order of messages. */
const ORDERED_BY = /* @__PURE__ */ Symbol.for('sallyport.streams.ordered-by/1');

/** A handler with members of its registration; wrappers, of this package or another such as `durable`, add them. */
interface Marked {
  readonly 'sallyport.registration'?: object;
}

/** Marks a handler with the schema of its payload, and with the member that determines the order; other marks are kept. */
export function markPayload<H extends object>(handler: H, schema: unknown, orderedBy?: string): H {
  return Object.assign(handler, {
    'sallyport.registration': {
      ...payloadMark(handler),
      [PAYLOAD]: schema,
      ...(orderedBy !== undefined && { [ORDERED_BY]: orderedBy }),
    },
  });
}

/** The marks of a handler, for its registration; `undefined` for a handler that has no mark. */
export function payloadMark(handler: object): object | undefined {
  return (handler as Marked)['sallyport.registration'];
}
