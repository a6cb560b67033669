import { isDurableHandler } from '@sallyport/core/internal';

/** Shared by name with `@sallyport/local`, which makes sample events of the schema. */
const PAYLOAD = Symbol.for('sallyport.streams.payload/1');
/** Shared by name with the tools that write contracts: the member that determines the order of messages. */
const ORDERED_BY = Symbol.for('sallyport.streams.ordered-by/1');

/** Marks a handler with the schema of its payload, and with the member that determines the order. */
export function markPayload<H extends object>(handler: H, schema: unknown, orderedBy?: string): H {
  return Object.assign(handler, { [PAYLOAD]: schema, ...(orderedBy !== undefined && { [ORDERED_BY]: orderedBy }) });
}

/** The marks of a handler, for its registration; empty for a handler that has no mark. */
export function payloadMark(handler: object): object {
  return {
    ...(PAYLOAD in handler && { [PAYLOAD]: handler[PAYLOAD] }),
    ...(ORDERED_BY in handler && { [ORDERED_BY]: handler[ORDERED_BY] }),
    ...(isDurableHandler(handler) && { durable: true }),
  };
}
