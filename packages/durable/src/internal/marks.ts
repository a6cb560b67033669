import type { DurableOptions } from '../types.js';
import { Lane } from './lane.js';

/** Shared by name with the inventory of a container and with the constructs. */
const DURABLE = Symbol.for('sallyport.durable/1');

/** Marks a wrapped handler, which keeps its name. */
export function markDurable<H extends object>(wrapped: H, handler: { readonly name: string }, options: DurableOptions): H {
  Object.defineProperty(wrapped, 'name', { value: handler.name, configurable: true });
  return Object.defineProperty(wrapped, DURABLE, { value: Object.freeze({ delivery: options.delivery }) });
}

/** True if a scope belongs to this copy of the package. */
export function isLane(scope: unknown): scope is Lane {
  return scope instanceof Lane;
}
