import { parseTraceparent, stateOf } from '@sallyport/core/internal';
import type { JsonObject } from '../../protocol/types.js';
import type { McpAskingContext } from '../context.js';
import type { Call } from './call.js';
import type { HandlerRun } from './run.js';

/** The handler of a call, with the names for its span. */
export type StartedCall = Pick<Call, 'invoke' | 'method' | 'name'>;

/**
 * The handler inside the span of its call, with the names of the conventions for MCP
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/). A trace context in `_meta` is a link, because the client wrote it; for a request
 * without trace headers it is also the sender of the request, whose trace continues if the caller is trusted.
 *
 * @see https://modelcontextprotocol.io/seps/414-request-meta
 */
export function invokeInSpan(run: HandlerRun, call: StartedCall, context: McpAskingContext): unknown {
  const { scope } = run;
  const state = stateOf(scope.http.context);
  const { span } = state;
  if (!span) return call.invoke(context);
  const { method, name } = call;
  const { traceparent = '', tracestate = '', baggage = '' } = context.meta;
  state.carried ??= { traceparent, tracestate, baggage };
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
  const work = (child: TraceIds) => {
    run.trace = () => traceMeta(child);
    return call.invoke(context);
  };
  return span.within(spanName, work, attributes, links);
}

interface TraceIds {
  id(name: 'traceparent' | 'tracestate'): string;
}

/** The members of `_meta` with which the client continues the trace; `undefined` for a tracer without W3C Trace Context. */
function traceMeta(span: TraceIds): JsonObject | undefined {
  const traceparent = span.id('traceparent');
  const tracestate = span.id('tracestate');
  if (traceparent === '') return undefined;
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}
