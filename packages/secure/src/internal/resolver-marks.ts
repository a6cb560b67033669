// Data that a resolver passes to the gate in addition to its principal.
import type { Context, SecurePrincipal } from '@sallyport/core';
import { type ContextState, stateOf } from '@sallyport/core/internal';

type AfterPass = (principal: Required<SecurePrincipal>) => Promise<undefined>;

/** On the state of the invocation: the resolver and the gate can belong to two copies of this package. */
const WAITING: unique symbol = Symbol.for('sallyport.secure.after-pass/1') as never;

interface Waiting {
  [WAITING]?: AfterPass;
}

/** Registers a function that runs if the gate accepts this invocation, and is dropped otherwise. WebSocket events only. */
export function whenPassed(ctx: Context, run: AfterPass): void {
  (stateOf(ctx) as Waiting)[WAITING] = run;
}

/** Runs the registered function. If it fails, the invocation is rejected. */
export function runPassed(state: ContextState, principal: Required<SecurePrincipal>): Promise<undefined> | undefined {
  return state.triggerKind === 'websocket' ? (state as Waiting)[WAITING]?.(principal) : undefined;
}
