// What a resolver tells the gate apart from its principal.
import type { Context, SecurePrincipal } from '@sallyport/core';
import { type ContextState, stateOf } from '@sallyport/core/pipeline';

type AfterPass = (principal: Required<SecurePrincipal>) => Promise<undefined>;

const WAITING = new WeakMap<ContextState, AfterPass>();

/** Registers what to run when the gate lets this invocation pass; it is dropped when the gate does not. WebSocket events only. */
export function whenPassed(ctx: Context, run: AfterPass): void {
  WAITING.set(stateOf(ctx), run);
}

/** Runs what was registered. If it fails, the invocation rejects. */
export function runPassed(state: ContextState, principal: Required<SecurePrincipal>): Promise<undefined> | undefined {
  return state.triggerKind === 'websocket' ? WAITING.get(state)?.(principal) : undefined;
}

/** Registered by name, so that the mark is seen across two copies of this package. */
const READS_BEARER = Symbol.for('sallyport.readsBearer');

/** Marks a resolver that reads bearer tokens: a container that has it challenges callers without one to send one. */
export function markBearerReader<T extends object>(resolver: T): T {
  return Object.defineProperty(resolver, READS_BEARER, { value: true });
}

/** Whether a resolver contains the mark. */
export function readsBearer(resolver: unknown): boolean {
  return typeof resolver === 'function' && Object.hasOwn(resolver, READS_BEARER);
}
