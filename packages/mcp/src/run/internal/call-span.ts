import { parseTraceparent, stateOf } from '@sallyport/core/internal';
import type { McpAskingContext } from '../context.js';
import type { Call } from './call.js';
import type { RunScope } from './run.js';

/** The handler of a call, with the names for its span. */
export type StartedCall = Pick<Call, 'invoke' | 'method' | 'name'>;

/**
 * The handler inside the span of its call, with the names of the conventions for MCP
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/). A trace context in `_meta` is a link, because the client wrote it.
 */
export function invokeInSpan(scope: RunScope, call: StartedCall, context: McpAskingContext): unknown {
  const { span } = stateOf(scope.http.context);
  if (!span) return call.invoke(context);
  const { method, name } = call;
  const { meta } = context;
  const traceparent = meta.traceparent ?? '';
  const traceId = parseTraceparent(traceparent);
  const links = traceId === '' ? [] : [{ traceId, spanId: traceparent.trim().slice(36, 52) }];
  const attributes = {
    'mcp.method.name': method,
    'mcp.protocol.version': scope.protocolVersion,
    'jsonrpc.request.id': String(scope.requestId),
    ...(method === 'tools/call' && { 'gen_ai.tool.name': name }),
    ...(method === 'prompts/get' && { 'gen_ai.prompt.name': name }),
  };
  // The URI of a resource can contain values of the client.
  const spanName = method.startsWith('resources/') ? method : `${method} ${name}`;
  return span.within(spanName, () => call.invoke(context), attributes, links);
}
