import { type AuthHook, FrameworkError, type PolicyDecision, type PolicyHook } from '@sallyport/core';
import { base64Size, internalError, isPromise, type RequestSource, type Scoped, STAGE } from '@sallyport/core/internal';
import type { RouteTable } from '../routing/internal/router.js';
import type { Decorate, Exchange, RenderError, Stage } from './run.js';

/** Accepts a caller, or throws. Runs before every middleware. */
export type Gate = (exchange: Exchange) => undefined | Promise<undefined>;

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** True if the request id of a client is accepted: 1 to 128 visible ASCII characters. */
export function isRequestId(value: string | undefined): value is string {
  return value !== undefined && VISIBLE_ASCII.test(value);
}

/** The id of the request: the client's `x-request-id` if valid, else the id of the invocation, else a new id. */
export const requestId: Stage = ({ state }) => {
  const sent = state.request.headerValues('x-request-id')[0];
  if (sent !== undefined && isRequestId(sent)) state.requestId = sent;
  else state.requestId = state.lambdaContext?.awsRequestId?.trim() || state.runtime.ids.newId();
  return undefined;
};

/** Answers 413 to a body over the limit, before it is decoded. */
export function requestLimit(maxBytes: number): Stage {
  return ({ state }) => {
    if (bodySize(state.request.source) > maxBytes) throw new FrameworkError('app.too_large');
    return undefined;
  };
}

/** Bytes of a body after decoding. */
function bodySize({ rawBody, isBase64 }: RequestSource): number {
  if (typeof rawBody !== 'string') return rawBody.byteLength;
  return isBase64 ? base64Size(rawBody) : Buffer.byteLength(rawBody);
}

/** Answers 400 to invalid base64 and to a body that is not text or bytes. Text is not changed. */
export const validBody: Stage = ({ state: { request } }) => {
  const { source } = request;
  if (source.invalidBody !== undefined) throw new FrameworkError('app.bad_request', source.invalidBody);
  if (source.isBase64) void request.body;
  return undefined;
};

const NOT_FOUND = new FrameworkError('app.not_found');

/**
 * Finds the operation of a path, or answers 404 or 405 without creating a stack trace.
 *
 * @param asks true if the application has a hook that answers errors
 */
export function matchRoute(table: RouteTable, renderError: RenderError, asks: boolean): Stage {
  return (exchange) => {
    const { state } = exchange;
    const { method, path } = state.request;
    const match = table.match(method, path);
    if (match === undefined) {
      const allow = table.allowedMethods(path).join(', ');
      exchange.error =
        allow === '' ? NOT_FOUND : new FrameworkError('app.method_not_allowed', undefined, { headers: { allow } });
      if (asks) throw exchange.error;
      return renderError(exchange, exchange.error);
    }
    const registration = match.value;
    exchange.registration = registration;
    state.route = registration.route;
    state.paramNames = registration.paramNames;
    state.paramValues = match.params;
    return undefined;
  };
}

/** Calls the policy hook; a decision with a code becomes the answer. */
export function askPolicy(hook: PolicyHook): Stage {
  return ({ ctx }) => {
    const decision = hook(ctx);
    return isPromise(decision) ? decision.then(enforce) : enforce(decision);
  };
}

function enforce(decision: PolicyDecision | null | undefined): undefined {
  const code = decision?.code;
  if (!decision || typeof code !== 'string' || code.trim() === '') return undefined;
  throw new FrameworkError(code.trim(), decision.message || undefined, { headers: decision.headers });
}

/**
 * The gate of the open container: routes with `authRequired` need a caller identity from the hook; without a hook every caller
 * is rejected.
 */
export function authHookGate(hook: AuthHook | undefined): Gate {
  return (exchange) => {
    if (!exchange.registration?.authRequired) return undefined;
    exchange.state.passed |= STAGE.auth;
    if (!hook) {
      exchange.ctx.log.warn('the route has authRequired, but the option authHook is missing: every call is rejected');
      throw new FrameworkError('app.unauthorized');
    }
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

/** Runs middlewares and handler, inside the span of the request, if present. Tier P0 has no trace. */
export const invoke: Stage = ({ registration, ctx, state }) => {
  if (!registration) throw internalError('no operation is registered for this event');
  if (state.runtime.traceHead.length > 0) state.passed |= STAGE.handler;
  const { span } = state;
  const scope = (state.lambdaContext as Scoped | undefined)?.['sallyport.execution'];
  const run = scope?.serve(registration.run) ?? registration.run;
  return span ? span.run(() => run(ctx)) : run(ctx);
};

/** Adds `x-request-id`. */
export const addRequestId: Decorate = ({ state }, { headers }) => {
  headers['x-request-id'] = [state.requestId];
};
