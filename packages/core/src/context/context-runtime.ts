import type { Logger, Observability } from '../observability/hooks.js';
import type { Form, FormLimits } from '../request/form.js';
import type { DoorGuard } from '../runtime/doors.js';
import type { Environment, FullClock, IdGenerator } from '../runtime/invocation.js';
import type { ContextState } from './context-state.js';
import type { SecurePrincipal } from './secure-principal.js';

/** Data that all invocations of one container share. */
export interface ContextRuntime {
  /** The time of the container. */
  readonly clock: FullClock;
  /** The generator for `ctx.newId` and request ids. */
  readonly ids: IdGenerator;
  /** The container's own logger; contexts bind it. */
  readonly log: Logger;
  /** The environment variables of the container. */
  readonly environment: Environment;
  /** The front doors of the container; without it, events of front doors are accepted from any invocation. */
  readonly doors?: DoorGuard | undefined;
  /** The target of `ctx.metric`; without it nothing is written. */
  readonly observability?: Observability | undefined;
  /** Stage names with which the trace of every context of this container begins. */
  readonly traceHead: readonly string[];
  /** For containers with principals: creates the deep copy that handlers receive. */
  readonly copyPrincipal?: (principal: SecurePrincipal) => SecurePrincipal;
  /**
   * Reads the body of a form. A member, so that bundles without request bodies do not contain the parser. It is `undefined`
   * if no request has a body.
   */
  readonly parseForm?: (contentType: string, body: Uint8Array, limits?: FormLimits) => Promise<Form>;
  /** Returns the tenant of an invocation; called once, at the first read. */
  readonly tenantOf: (state: ContextState) => string;
}
