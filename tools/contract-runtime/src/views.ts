import type { Context } from '@sallyport/core';
import type { EventContext } from '@sallyport/streams';
import { renameKeys, toSnake } from './casing.js';

/** Views of a request's context for the handler `show`. */
const REQUEST_VIEWS: Readonly<Record<string, (ctx: Context) => unknown>> = {
  method: (ctx) => ctx.request.method,
  path: (ctx) => ctx.request.path,
  raw_path: (ctx) => ctx.request.rawPath,
  params: (ctx) => ctx.params,
  raw_params: (ctx) => Object.fromEntries(Object.keys(ctx.params).map((name) => [name, ctx.rawParam(name)])),
  query: (ctx) => ctx.request.query,
  headers: (ctx) => ctx.request.headers,
  cookies: (ctx) => ctx.request.cookies,
  cookie_list: (ctx) => ctx.request.cookieList,
  body_text: (ctx) => ctx.bodyText(),
  body_base64: (ctx) => Buffer.from(ctx.request.body).toString('base64'),
  body_length: (ctx) => ctx.request.body.length,
  is_base64: (ctx) => ctx.request.isBase64,
  principal: (ctx) => renameTop(ctx.securePrincipal()),
  auth_identity: (ctx) => ctx.authIdentity,
  provenance: (ctx) => renameKeys(ctx.sourceProvenance(), toSnake),
  source_ip: (ctx) => ctx.sourceIP(),
  graphql: (ctx) => renameTop(ctx.asAppSync()),
  websocket: (ctx) => websocketView(ctx),
  request_id: (ctx) => ctx.requestId,
  trace_id: (ctx) => ctx.traceId,
  tenant_id: (ctx) => ctx.tenantId,
  trigger_kind: (ctx) => ctx.triggerKind,
  invocation_provenance: (ctx) => ctx.invocationProvenance,
  route: (ctx) => ctx.route,
  remaining_ms: (ctx) => ctx.remainingMs,
  aborted: (ctx) => ctx.signal.aborted,
  can_stream: (ctx) => ctx.canStream,
  middleware_trace: (ctx) => ctx.middlewareTrace,
  now: (ctx) => ctx.now().toISOString(),
  new_id: (ctx) => ctx.newId(),
};

const EVENT_VIEWS: Readonly<Record<string, (ctx: EventContext) => unknown>> = {
  trigger_kind: (ctx) => ctx.triggerKind,
  invocation_provenance: (ctx) => ctx.invocationProvenance,
  source: (ctx) => ctx.source,
  request_id: (ctx) => ctx.requestId,
  record_id: (ctx) => ctx.recordId,
  attempt: (ctx) => ctx.attempt,
  batch: (ctx) => ctx.batch,
  trace_id: (ctx) => ctx.traceId,
  tenant_id: (ctx) => ctx.tenantId,
  remaining_ms: (ctx) => ctx.remainingMs,
  deadline_ms: (ctx) => ctx.deadline?.getTime() ?? null,
  aborted: (ctx) => ctx.signal.aborted,
  now: (ctx) => ctx.now().toISOString(),
  new_id: (ctx) => ctx.newId(),
};

export function showRequest(ctx: Context, pick: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(pick.map((name) => [name, view(REQUEST_VIEWS, ctx, name)]));
}

export function showEvent(ctx: EventContext, pick: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(pick.map((name) => [name, view(EVENT_VIEWS, ctx, name)]));
}

function view<C extends { get(key: string): unknown }>(
  views: Readonly<Record<string, (ctx: C) => unknown>>,
  ctx: C,
  name: string,
): unknown {
  if (name.startsWith('bag.')) return ctx.get(name.slice('bag.'.length)) ?? null;
  const read = views[name];
  if (!read) throw new Error(`no view ${name}`);
  return read(ctx) ?? null;
}

/** Names of the framework in snake_case; nested values belong to the application. */
function renameTop(value: object | null): unknown {
  if (value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [toSnake(key), member]));
}

function websocketView(ctx: Context): unknown {
  const socket = ctx.asWebSocket();
  if (!socket) return null;
  return {
    connection_id: socket.connectionId,
    route_key: socket.routeKey,
    event_type: socket.eventType,
    domain_name: socket.domainName,
    stage: socket.stage,
    api_id: socket.apiId,
    connected_at: socket.connectedAt,
    disconnect_reason: socket.disconnectReason,
    disconnect_status_code: socket.disconnectStatusCode,
    management_endpoint: socket.managementEndpoint,
    body_text: Buffer.from(socket.body).toString(),
  };
}
