import type { Observability } from '@sallyport/core';
import type { Gate } from './kernel.js';
import type { Decorate, Observe, Stage } from './run.js';

/** What a pipeline can do beside routing. A feature brings its own code: a bundle holds what its router was given, no more. */
export interface Feature {
  /** Before the body is looked at and the route is known. */
  readonly entry?: Stage;
  /** Once the route is known, before the gate. */
  readonly routed?: Stage;
  /** Instead of the gate that lets nobody through to routes with `authRequired`. */
  readonly gate?: Gate;
  readonly decorate?: Decorate;
  /** Bytes; 0 is none. */
  readonly maxResponseBytes?: number;
  /** What `ctx.metric` writes to. */
  readonly observability?: Observability;
  /** Whether durations are wanted. */
  readonly timed?: boolean;
  /** Called once a request, when the last byte is out. */
  readonly observe?: Observe | undefined;
}

/** What some features say of one member, in their order; only what they say themselves. */
export function membersOf<K extends keyof Feature>(features: readonly Feature[], name: K): NonNullable<Feature[K]>[] {
  return features.flatMap((feature) => (Object.hasOwn(feature, name) ? (feature[name] ?? []) : [])) as NonNullable<
    Feature[K]
  >[];
}
