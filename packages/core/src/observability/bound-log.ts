import type { Deliveries } from './deliveries.js';
import type { Logger } from './hooks.js';

/**
 * Marks fields as the framework's own: a logger writes them under their names, while a caller's field of the same name
 * becomes `field_<name>`. The value takes work that the invocation's answer should wait for.
 */
export const BOUND: unique symbol = Symbol.for('sallyport.bound-context') as never;

/** What every line of an invocation carries; empty ones are left out. */
export interface BoundFields {
  readonly request_id: string;
  readonly trace_id: string;
  readonly tenant_id: string;
  readonly trigger: string;
  /** The matched pattern; `''` for events. */
  readonly route?: string;
  /** The registered source of events. */
  readonly source?: string;
  readonly function_name: string;
  readonly function_version: string;
}

/** Fields as {@link bindLogger} hands them to a logger. */
export interface BoundContext extends BoundFields {
  readonly [BOUND]: () => Deliveries | undefined;
}

/** Whether fields are the framework's own. Never throws: a caller without types may pass anything. */
export function isBoundContext(fields: object): fields is BoundContext {
  try {
    return BOUND in fields;
  } catch {
    return false;
  }
}

/**
 * A logger whose lines carry the invocation's fields. Getters among them are read at each line by our logger, so that what
 * becomes known later (tenant, route) shows from then on.
 */
export function bindLogger(log: Logger, fields: BoundFields, deliveries: () => Deliveries | undefined): Logger {
  Object.defineProperty(fields, BOUND, { value: deliveries });
  return log.with(fields as unknown as Readonly<Record<string, unknown>>);
}
