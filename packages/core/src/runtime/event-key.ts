import { FrameworkError } from '../errors/errors.js';

/** Contains a version, because the handler and the trigger may come from different copies of this package. */
const NEEDS_KEY = Symbol.for('sallyport.needs-event-key/1');

/** Marks a handler that identifies its events by their natural key, so that a trigger without one can reject it. */
export function markNeedsEventKey(handler: object): void {
  Object.defineProperty(handler, NEEDS_KEY, { value: true });
}

/**
 * Rejects a handler that needs the natural key of its events, for a kind without a natural key. Triggers call it when a handler is registered.
 *
 * @throws FrameworkError `app.invalid_configuration`
 */
export function rejectWithoutEventKey(kind: string, handler: unknown): void {
  if (typeof handler !== 'function' || (handler as { [NEEDS_KEY]?: unknown })[NEEDS_KEY] !== true) return;
  throw new FrameworkError(
    'app.invalid_configuration',
    `framework: events of kind "${kind}" have no natural key: pass the option "key" to idempotentHandler`,
  );
}
