import { FrameworkError } from '../errors/errors.js';
import { Deliveries } from '../observability/deliveries.js';
import type { Logger, Observability } from '../observability/hooks.js';
import type { IncomingRequest } from '../request/request.js';
import type { FullClock } from '../runtime/clock.js';
import type { Environment } from '../runtime/environment.js';
import type { IdGenerator } from '../runtime/ids.js';
import type { LambdaContext, TriggerKind } from '../runtime/surface.js';
import type { Route } from './context.js';
import type { SecurePrincipal } from './principal.js';
import type { ContextTransport } from './transport.js';

const NO_NAMES: readonly string[] = [];

/** What all invocations of one container share. */
export interface ContextRuntime {
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  readonly log: Logger;
  readonly environment: Environment;
  /** What `ctx.metric` writes to; without it nothing is written. */
  readonly observability?: Observability | undefined;
  /** Stage names that every context of this container starts its trace with. */
  readonly traceHead: readonly string[];
  /** Of containers whose callers have principals: the deep copy that handlers get. */
  readonly copyPrincipal?: (principal: SecurePrincipal) => SecurePrincipal;
  /** The tenant of an invocation; asked once, when first read. */
  readonly tenantOf: (state: ContextState) => string;
}

/** Stages that not every invocation passes, in their order; the bits of `passed`. */
export const STAGE = { cors: 1, auth: 2, handler: 4 } as const;
/** Their names in the trace, by bit. */
export const OPTIONAL_STAGES: readonly string[] = ['cors', 'auth', 'handler'];

/** What the pipeline writes and the context shows. One an invocation, shared by its derived contexts. */
export class ContextState {
  readonly runtime: ContextRuntime;
  readonly request: IncomingRequest;
  readonly triggerKind: TriggerKind | 'direct';
  readonly event: unknown;
  readonly lambdaContext: LambdaContext | undefined;
  requestId = '';
  authIdentity = '';
  principal: SecurePrincipal | null = null;
  route: Route | null = null;
  paramNames: readonly string[] = NO_NAMES;
  paramValues: readonly string[] = NO_NAMES;
  transport: ContextTransport | undefined = undefined;
  canStream = false;
  /** Optional stages passed so far, as bits of {@link STAGE}. */
  passed = 0;
  /** How many middlewares have been entered; a second `next()` shows here. */
  depth = 0;
  bag: Map<string, unknown> | undefined = undefined;
  #tenant: string | undefined = undefined;
  #abort: AbortController | undefined = undefined;
  #aborted: { reason: unknown } | undefined = undefined;
  #stopTimer: (() => void) | undefined = undefined;
  #deliveries: Deliveries | undefined = undefined;

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
  }

  get tenantId(): string {
    this.#tenant ??= this.runtime.tenantOf(this);
    return this.#tenant;
  }

  set tenantId(tenant: string) {
    this.#tenant = tenant;
  }

  get remainingMs(): number {
    return remainingMs(this.lambdaContext);
  }

  /** Made on first use; aborts at the deadline from then on. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const controller = new AbortController();
      this.#abort = controller;
      if (this.#aborted) controller.abort(this.#aborted.reason);
      else this.#watchDeadline(controller);
    }
    return this.#abort.signal;
  }

  #watchDeadline(controller: AbortController): void {
    const remaining = this.remainingMs;
    if (remaining <= 0) return;
    this.#stopTimer = this.runtime.clock.after(remaining, () => controller.abort(new FrameworkError('app.timeout')));
  }

  /** Aborts the invocation's signal; a signal that is asked for later is aborted from the start. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#stopTimer?.();
    this.#abort?.abort(reason);
  }

  /** Work that the answer waits for, made on first use. */
  get deliveries(): Deliveries {
    this.#deliveries ??= new Deliveries(this.runtime.clock);
    return this.#deliveries;
  }

  /** What to await before the answer leaves: kept deliveries, within their timeouts and the deadline; else `undefined`. */
  settleDeliveries(): Promise<void> | undefined {
    const known = typeof this.lambdaContext?.getRemainingTimeInMillis === 'function';
    return this.#deliveries?.settle(known ? this.remainingMs : undefined);
  }

  /** Clears what the invocation left running. */
  end(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}

/** Milliseconds that a Lambda context says are left; 0 when it does not say, or says nonsense. */
export function remainingMs(lambdaContext: LambdaContext | undefined): number {
  if (typeof lambdaContext?.getRemainingTimeInMillis !== 'function') return 0;
  const left = lambdaContext.getRemainingTimeInMillis();
  return left > 0 ? left : 0;
}
