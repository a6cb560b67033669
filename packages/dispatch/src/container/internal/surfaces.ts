import type { Surface, SurfaceGate, SurfaceHost } from '@sallyport/core';
import { invalidOption, kind } from '@sallyport/core/options';
import type { HttpSurface, Kernel } from '@sallyport/http/internal';
import type { EventMiddleware, EventRouterOptions } from '@sallyport/streams';
import { observerForSurfaces } from '#events';
import { createHandler, type Dispatcher } from '../../dispatcher.js';
import { dispatchError } from '../../errors.js';
import { assertSurfaces, createPlan, type DirectInvocations, refusalOf } from '../../internal/plan.js';

/** The option `surfaces` of a container. */
export const SURFACES_KIND = /* @__PURE__ */ kind<readonly Surface[]>('a list of surfaces', Array.isArray);

/** The parts of a container that its surfaces may use. */
interface HostInit {
  readonly kernel: Kernel;
  readonly events: EventRouterOptions;
  readonly middlewares: readonly EventMiddleware[];
  readonly failureText: string;
  readonly directInvocations?: DirectInvocations | undefined;
  readonly gate?: SurfaceGate;
}

/**
 * A copy of the option `surfaces`.
 *
 * @throws FrameworkError `app.invalid_configuration` for anything but a list, and the errors of `assertSurfaces`
 */
export function parseSurfaces(surfaces: unknown): readonly Surface[] {
  if (surfaces === undefined) return [];
  if (!Array.isArray(surfaces)) throw invalidOption('surfaces', 'a list of surfaces');
  return assertSurfaces([...(surfaces as readonly Surface[])]);
}

const ATTACHED: unique symbol = Symbol.for('sallyport.dispatch.attached/1') as never;

/**
 * Surfaces that are attached to a container, of any copy of this package. They store parts of it, so a second container rejects
 * them.
 */
function attachedSurfaces(): WeakSet<Surface> {
  const shared = globalThis as { [ATTACHED]?: WeakSet<Surface> };
  shared[ATTACHED] ??= new WeakSet();
  return shared[ATTACHED];
}

/**
 * Attaches each surface that has `attach` to its container.
 *
 * @param own the container's own surfaces
 * @throws FrameworkError `dispatch.invalid_surface` for a surface that is attached to another container
 */
export function attachSurfaces(
  surfaces: readonly Surface[],
  own: readonly Surface[],
  init: HostInit,
  http: HttpSurface,
): void {
  const attachable = surfaces.filter(({ attach }) => attach !== undefined);
  const attached = attachedSurfaces();
  for (const surface of attachable) {
    if (!attached.has(surface)) continue;
    const text = `framework: the surface of ${surface.serves.join(', ')} belongs to another container`;
    throw dispatchError('dispatch.invalid_surface', text);
  }
  for (const surface of attachable) {
    attached.add(surface);
    const others = surfaces.filter((other) => other !== surface);
    surface.attach?.(createHost(init, http, [...own, ...others]));
  }
}

function createHost(init: HostInit, http: HttpSurface, others: readonly Surface[]): SurfaceHost {
  const { kernel, events, gate, directInvocations } = init;
  const { clock, ids, environment, log, observability = {}, doors } = kernel.runtime;
  let serve: Dispatcher['handleLambda'] | undefined;
  return {
    clock,
    ids,
    environment,
    log,
    observability,
    doors,
    deadlineMarginMs: events.deadlineMarginMs ?? 500,
    maskErrors: events.maskErrors ?? false,
    failureText: init.failureText,
    eventMiddlewares: init.middlewares,
    observeEvents: observerForSurfaces(),
    ...(gate ? { gate } : {}),
    serveHttp: async (door, event, { lambdaContext }) => {
      doors?.assert(door.kind, event, lambdaContext, true);
      return http.serveThrough(door, door.kind, event, lambdaContext);
    },
    explainHttp: (door, event) => http.explainRequest(door.read(event), `${door.kind} response`),
    dispatch(event, { lambdaContext }) {
      serve ??= createHandler(createPlan(others, { log, refuseDirect: refusalOf(directInvocations), doors }));
      return serve(event, lambdaContext);
    },
  };
}
