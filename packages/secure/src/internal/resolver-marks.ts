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
