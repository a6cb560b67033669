import { FrameworkError } from '../errors/errors.js';
import type { ActiveSpan } from '../observability/active-span.js';
import type { Deliveries, DeliveryHolder } from '../observability/bound-log.js';
import type { InvocationEnd } from '../observability/ending.js';
import type { Logger, Observability } from '../observability/hooks.js';
import type { Form, FormLimits } from '../request/form.js';
import { invocationTraceId } from '../request/provenance.js';
import type { IncomingRequest } from '../request/request.js';
import type { DoorGuard } from '../runtime/doors.js';
import {
  type Environment,
  type FullClock,
  type IdGenerator,
  type LambdaContext,
  remainingMs,
  type TriggerKind,
} from '../runtime/invocation.js';
import type { ContextKey, ContextTransport } from './context.js';
import type { Route } from './route.js';
import type { SecurePrincipal } from './secure-principal.js';

const NO_NAMES: readonly string[] = [];

/** Data that all invocations of one container share. */
export interface ContextRuntime {
  /** The time of the container. */
  readonly clock: FullClock;
  /** The generator for `ctx.newId` and request ids. */
  readonly ids: IdGenerator;
  /** The container's own logger; each context adds its own fields. */
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

/** Stages that not every invocation passes, in their order, as bits of `passed`. */
export const STAGE = { cors: 1, auth: 2, handler: 4 } as const;
/** The state that the pipeline writes and the context shows. One for each invocation, shared by its derived contexts. */
export class ContextState implements DeliveryHolder {
  /** Data that the container's invocations share. */
  declare readonly runtime: ContextRuntime;
  /** The request. */
  declare readonly request: IncomingRequest;
  /** The detected kind; `direct` for `serve`. */
  declare readonly triggerKind: TriggerKind | 'direct';
  /** The raw event; `undefined` for `serve`. */
  declare readonly event: unknown;
  /** The Lambda context that was passed with the event. */
  declare readonly lambdaContext: LambdaContext | undefined;
  /** `''` at tier P0. */
  declare requestId: string;
  /** The identity that the auth hook returned; `''` if absent. */
  declare authIdentity: string;
  /** The principal that the gate accepted. */
  declare principal: SecurePrincipal | null;
  /** The access rule of the matched operation; `undefined` before the gate, and for a rule that needs no caller. */
  declare posture: { readonly kind: string; readonly scopes: readonly string[] } | undefined;
  /** Fields of `request.completed` for a request whose operation is not its route, such as the called tool. */
  declare recorded: object | undefined;
  /** Returns the challenge of a 403 for missing scopes; set by a resolver whose clients can request more scopes. */
  declare scopeChallenge: ((needed: readonly string[]) => string) | undefined;
  /** The matched registration; `null` before the match. */
  declare route: Route | null;
  /** Names of the path parameters, in the order of `paramValues`. */
  declare paramNames: readonly string[];
  /** Values of the path parameters, not decoded. */
  declare paramValues: readonly string[];
  /** Data of this invocation's surface. */
  declare transport: ContextTransport | undefined;
  /** True if the front door can send bytes before the handler ends. */
  declare canStream: boolean;
  /** Optional stages passed so far, as bits of {@link STAGE}. */
  declare passed: number;
  /** Number of entered middlewares; used to detect a second `next()`. */
  declare depth: number;
  /** The values of `ctx.set`; `undefined` until the first call. */
  declare bag: Map<string | ContextKey<unknown>, unknown> | undefined;
  /** Work that the answer waits for. */
  declare kept: Deliveries | undefined;
  /** The trace context of the message in a request, for a request without trace headers; `undefined` if absent. */
  declare carried: Readonly<Record<string, string>> | undefined;
  /** The span of the request; `undefined` without a tracer. */
  declare span: ActiveSpan | undefined;
  /** Lines and metric values that wait for the end of the invocation. */
  declare ending: InvocationEnd | undefined;
  declare private tenant: string | undefined;
  declare private trace: string | undefined;
  declare private controller: AbortController | undefined;
  declare private aborted: { reason: unknown } | undefined;
  declare private stopTimer: (() => void) | undefined;

  constructor(
    runtime: ContextRuntime,
    request: IncomingRequest,
    triggerKind: TriggerKind | 'direct',
    event: unknown,
    lambdaContext: LambdaContext | undefined,
  ) {
    this.runtime = runtime;
    this.request = request;
    this.triggerKind = triggerKind;
    this.event = event;
    this.lambdaContext = lambdaContext;
    this.requestId = '';
    this.authIdentity = '';
    this.principal = null;
    this.posture = undefined;
    this.recorded = undefined;
    this.scopeChallenge = undefined;
    this.route = null;
    this.paramNames = NO_NAMES;
    this.paramValues = NO_NAMES;
    this.transport = undefined;
    this.canStream = false;
    this.passed = 0;
    this.depth = 0;
    this.bag = undefined;
    this.tenant = undefined;
    this.trace = undefined;
    this.controller = undefined;
    this.aborted = undefined;
    this.stopTimer = undefined;
    this.kept = undefined;
    this.span = undefined;
    this.carried = undefined;
    this.ending = undefined;
  }

  /** The tenant, determined at the first read; `''` if absent. */
  get tenantId(): string {
    this.tenant ??= this.runtime.tenantOf(this);
    return this.tenant;
  }

  set tenantId(tenant: string) {
    this.tenant = tenant;
  }

  /** From the request's headers, else from the invocation; `''` when neither has a valid one. */
  get traceId(): string {
    this.trace ??= this.request.traceId || invocationTraceId(this.lambdaContext, this.runtime.environment);
    return this.trace;
  }

  /** Milliseconds left now; 0 when unknown. */
  get remainingMs(): number {
    return remainingMs(this.lambdaContext);
  }

  /** Created at first use; aborts at the deadline. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      const controller = new AbortController();
      this.controller = controller;
      if (this.aborted) controller.abort(this.aborted.reason);
      else this.watchDeadline(controller);
    }
    return this.controller.signal;
  }

  private watchDeadline(controller: AbortController): void {
    const remaining = this.remainingMs;
    if (remaining <= 0) return;
    this.stopTimer = this.runtime.clock.after(remaining, () => controller.abort(new FrameworkError('app.timeout')));
  }

  /** Aborts the invocation's signal; a signal that is read later is already aborted. */
  abort(reason: unknown): void {
    this.aborted ??= { reason };
    this.stopTimer?.();
    this.controller?.abort(reason);
  }

  /** The time of the container. */
  get clock(): FullClock {
    return this.runtime.clock;
  }

  /** Settles when pending deliveries are done, within their timeouts and the deadline; `undefined` if there are no deliveries. */
  settleDeliveries(): Promise<void> | undefined {
    const known = typeof this.lambdaContext?.getRemainingTimeInMillis === 'function';
    return this.kept?.settle(known ? this.remainingMs : undefined);
  }

  /**
   * Clears the timers of the invocation.
   *
   * @param failed true if it failed; `undefined` if the steps of its end are called later
   */
  end(failed?: boolean): void {
    this.stopTimer?.();
    this.stopTimer = undefined;
    if (failed !== undefined) this.ending?.end(failed);
  }
}
