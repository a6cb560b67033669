import type { Context } from '@sallyport/core';
import { type ContextState, stateOf } from '@sallyport/core/pipeline';
import type { NormalPrincipal } from '../principal.js';

type AfterPass = (principal: NormalPrincipal) => Promise<undefined>;

const WAITING = new WeakMap<ContextState, AfterPass>();

/** Leaves something to do for when the gate lets this invocation pass; dropped when it does not. WebSocket events only. */
export function whenPassed(ctx: Context, run: AfterPass): void {
  WAITING.set(stateOf(ctx), run);
}

/** Does what was left to do. Its failure refuses the invocation. */
export function runPassed(state: ContextState, principal: NormalPrincipal): Promise<undefined> | undefined {
  return state.triggerKind === 'websocket' ? WAITING.get(state)?.(principal) : undefined;
}
