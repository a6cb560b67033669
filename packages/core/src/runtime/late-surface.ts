import { type LeftOutCondition, leftOut } from '../options/left-out.js';
import { noAdapter, type TriggerKind } from './invocation.js';
import type { Surface, TriggerRecord } from './surface.js';

/** A surface of a container that is created when it is first needed. */
export interface LateSurface<S extends Surface> {
  /** The surface for the dispatcher; its first event creates the real one. */
  readonly surface: Surface & { triggers(): readonly TriggerRecord[] };
  /** The surface for a registration, created by the first call. @throws FrameworkError `app.left_out` without the code of the surface */
  readonly register: () => S;
  /** True after the first registration. */
  readonly isRegistered: () => boolean;
}

/**
 * Delays the creation of a surface until its first registration or event.
 *
 * @param serves the kinds of the surface
 * @param create creates it; it must not throw, so check options before
 */
export function createLateSurface<S extends Surface>(serves: readonly TriggerKind[], create: () => S): LateSurface<S> {
  let made: S | undefined;
  let isRegistered = false;
  const surfaceOf = (): S => (made ??= create());
  return {
    surface: {
      serves,
      serve: (kind, event, invocation) => surfaceOf().serve(kind, event, invocation),
      explainTarget: (kind, event) => surfaceOf().explainTarget?.(kind, event) as never,
      triggers: () => made?.triggers?.() ?? [],
    },
    register: () => {
      isRegistered = true;
      return surfaceOf();
    },
    isRegistered: () => isRegistered,
  };
}

/**
 * The surface of a part that is not in the bundle: it serves no kind, and a registration throws.
 *
 * @param what the registrations for the error: `app.webSocket()`
 */
export function leftOutSurface<S extends Surface>(what: string, condition: LeftOutCondition): LateSurface<S> {
  return {
    surface: {
      serves: [],
      serve: async (kind) => {
        throw noAdapter(kind);
      },
      triggers: () => [],
    },
    register: () => {
      throw leftOut(what, condition);
    },
    isRegistered: () => false,
  };
}
