// What a resolver tells the gate except its principal.
import type { Context, SecurePrincipal } from '@sallyport/core';
import { type ContextState, stateOf } from '@sallyport/core/pipeline';

type AfterPass = (principal: Required<SecurePrincipal>) => Promise<undefined>;

/** On the state of the invocation: the resolver and the gate may be of two copies of this package. */
const WAITING: unique symbol = Symbol.for('sallyport.secure.after-pass/1') as never;

interface Waiting {
  [WAITING]?: AfterPass;
}

/** Registers what to run when the gate lets this invocation pass; it is dropped when the gate does not. WebSocket events only. */
export function whenPassed(ctx: Context, run: AfterPass): void {
  (stateOf(ctx) as Waiting)[WAITING] = run;
}

/** Runs what was registered. If it fails, the invocation rejects. */
export function runPassed(state: ContextState, principal: Required<SecurePrincipal>): Promise<undefined> | undefined {
  return state.triggerKind === 'websocket' ? (state as Waiting)[WAITING]?.(principal) : undefined;
}
