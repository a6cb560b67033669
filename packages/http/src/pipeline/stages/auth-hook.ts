import { type AuthHook, FrameworkError } from '@sallyport/core';
import { STAGE } from '@sallyport/core/pipeline';
import type { Exchange } from '../exchange.js';
import type { Gate } from '../kernel.js';
import { isPromise } from '../../routing/middleware.js';

/** The open container's gate: routes with `authRequired` need a caller whom the hook names. */
export function authHookGate(hook: AuthHook | undefined): Gate {
  return (exchange) => {
    if (!exchange.registration?.authRequired) return undefined;
    exchange.state.passed |= STAGE.auth;
    if (!hook) throw new FrameworkError('app.unauthorized');
    const identity = hook(exchange.ctx);
    if (isPromise(identity)) return identity.then((name) => admit(exchange, name));
    return admit(exchange, identity);
  };
}

function admit(exchange: Exchange, identity: unknown): undefined {
  const name = typeof identity === 'string' ? identity.trim() : '';
  if (name === '') throw new FrameworkError('app.unauthorized');
  exchange.state.authIdentity = name;
  return undefined;
}
