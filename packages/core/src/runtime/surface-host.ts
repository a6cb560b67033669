import type { Context } from '../context/context.js';
import type { Logger, Observability } from '../observability/hooks.js';
import type { MaybePromise } from '../response/response.js';
import type { FullClock } from './clock.js';
import type { Door } from './door.js';
import type { Environment } from './environment.js';
import type { IdGenerator } from './ids.js';
import type { Invocation } from './surface.js';

/** What a container lends to a surface of its option `surfaces`. */
export interface SurfaceHost {
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  readonly environment: Environment;
  /** The container's own logger, not bound to an invocation. */
  readonly log: Logger;
  readonly observability: Observability;
  /** Milliseconds before the end of the invocation from which no further work starts. */
  readonly deadlineMarginMs: number;
  /** Whether a handler's error is replaced before the service sees it. */
  readonly maskErrors: boolean;
  /** Text of the error that replaces it. */
  readonly failureText: string;
  /** Asks who calls; only of containers whose operations have postures. */
  readonly gate?: SurfaceGate;
  /** Runs an event through the container's own HTTP routes, behind a front door of the surface's. */
  serveHttp(door: SurfaceDoor, event: unknown, invocation: Invocation): Promise<unknown>;
  /**
   * Hands an event to the container without the asking surface. The rule for invocations is applied again, so an agent's
   * event reaches nothing by this way.
   */
  dispatch(event: unknown, invocation: Invocation): Promise<unknown>;
}

/** A front door that a surface brings along, and the kind under which its requests run. */
export interface SurfaceDoor extends Door {
  readonly kind: string;
}

/** The gate of a container whose operations have postures. */
export interface SurfaceGate {
  /**
   * Refuses everything but a posture.
   *
   * @param place the registration as error texts name it: `PUBLISH /news`
   * @throws FrameworkError `framework: invalid auth posture: <place>`
   */
  assertPosture(posture: unknown, place: string): void;
  /**
   * Lets the caller of an invocation through, or throws; on success the context has the principal.
   *
   * @throws FrameworkError `app.unauthorized`, `app.forbidden`, or what the container's principal resolver throws
   */
  authorize(posture: unknown, ctx: Context): MaybePromise<undefined>;
}
