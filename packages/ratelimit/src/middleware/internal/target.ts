import type { Context } from '@sallyport/core';

const UNMATCHED = '(unmatched)';
/** Methods that are counted apart where no route bounds them: an invented one must not be a fresh bucket. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);

/** The matched route's pattern; the raw path would give every id a bucket of its own. */
export function resourceOf({ route }: Context): string {
  return route === null || route.pattern.trim() === '' ? UNMATCHED : route.pattern;
}

/** The method, `CONNECT` or `MESSAGE` on WebSocket; `undefined` for a disconnect, which nobody can refuse. */
export function operationOf(ctx: Context): string | undefined {
  if (ctx.route?.surface === 'websocket' || ctx.triggerKind === 'websocket') return socketOperation(ctx);
  const { method } = ctx.request;
  return ctx.route !== null || METHODS.has(method) ? method : 'OTHER';
}

function socketOperation(ctx: Context): string | undefined {
  const eventType = ctx.asWebSocket()?.eventType ?? '';
  const routeKey = ctx.route?.pattern ?? ctx.asWebSocket()?.routeKey;
  if (eventType === 'DISCONNECT' || routeKey === '$disconnect') return undefined;
  return eventType === 'CONNECT' || routeKey === '$connect' ? 'CONNECT' : 'MESSAGE';
}
