import { createMcpServer, memoryMcpStore, mountMcp } from '@sallyport/mcp';
import { Public, SecureApp } from '@sallyport/secure';
import { buildAPIGatewayV2Request } from '@sallyport/testkit';
import { tracing } from '../src/index.js';
import { collectSpans } from '../src/testing.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const PREFIX = 'io.modelcontextprotocol';

interface Message {
  readonly method?: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, string>> };
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly requestState?: string;
    readonly inputRequests?: Readonly<Record<string, Message>>;
  };
}

function createService({ trusted = false, traced = true } = {}) {
  const spans = collectSpans();
  const lines: Readonly<Record<string, unknown>>[] = [];
  const span = tracing({ exporter: spans, ratio: 1, trustParent: () => trusted });
  const observability = { ...(traced && { span }), log: (line: (typeof lines)[number]) => lines.push(line) };
  const app = new SecureApp({ log: false, observability });
  const secret = { current: 'a secret of thirty-two bytes, at least' };
  const server = createMcpServer({ name: 'orders', version: '1', secret, store: memoryMcpStore() });
  server.tool('book', { asks: ['elicitation', 'roots'] }, async ({ asks }, ctx) => {
    ctx.progress(1, 2, 'begins');
    if (asks === 'roots') return String((await ctx.roots()).length);
    if (!asks) return 'booked';
    const { action } = await ctx.elicit({ message: 'Book it?' });
    return action;
  });
  mountMcp(app, server, { posture: Public(), allowedOrigins: [] });
  const call = async (args: object, meta: object = {}, more: object = {}): Promise<readonly Message[]> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'book',
    };
    const _meta = {
      [`${PREFIX}/protocolVersion`]: '2026-07-28',
      [`${PREFIX}/clientInfo`]: { name: 'test', version: '1' },
      [`${PREFIX}/clientCapabilities`]: { elicitation: {}, roots: {} },
      progressToken: 'p-1',
      ...meta,
    };
    const params = { name: 'book', arguments: args, _meta, ...more };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const answer = await app.handleLambda(buildAPIGatewayV2Request('POST', '/mcp', { headers, body }), {});
    const text = (answer as { readonly body: string }).body;
    if (text.startsWith('{')) return [JSON.parse(text) as Message];
    return text.split('\n').flatMap((line) => (/^data: ?\{/.test(line) ? [JSON.parse(line.slice(5)) as Message] : []));
  };
  return { call, spans, lines };
}

/** The span of the tool in the trace, as a header names it. */
const toolOf = ({ spans }: ReturnType<typeof createService>, at = 0) => {
  const tool = spans.spans.filter(({ name }) => name === 'tools/call book')[at];
  return `00-${tool?.traceId}-${tool?.spanId}-01`;
};

it('continues the trace of a trusted client into the tool, from _meta alone', async () => {
  const service = createService({ trusted: true });
  await service.call({}, { traceparent: TRACEPARENT, tracestate: 'a=1' });
  const [tool, root] = service.spans.spans;
  expect([root?.traceId, root?.parentSpanId, root?.traceState]).toEqual([TRACE, PARENT, 'a=1']);
  expect([tool?.traceId, tool?.parentSpanId, tool?.links]).toEqual([TRACE, root?.spanId, []]);
});

it('links to a client that is not trusted, and has its trace in the log lines', async () => {
  const service = createService();
  await service.call({}, { traceparent: TRACEPARENT });
  const [tool, root] = service.spans.spans;
  expect(root?.traceId).not.toBe(TRACE);
  expect([tool, root].map((span) => span?.links.map(({ traceId, spanId }) => [traceId, spanId]))).toEqual([
    [],
    [[TRACE, PARENT]],
  ]);
  expect(service.lines.at(-1)).toMatchObject({ event: 'request.completed', remote_trace_id: TRACE });
});

it.each([
  ['a value that is no string', { traceparent: 5 }],
  ['a malformed value', { traceparent: `ff-${TRACE}-${PARENT}-01` }],
  ['a trace of zeros', { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` }],
  ['nothing', {}],
])('starts a trace for %s', async (_title, meta) => {
  const service = createService({ trusted: true });
  await service.call({}, meta);
  expect(service.spans.spans.map(({ parentSpanId, links }) => [parentSpanId, links])).toEqual([
    [service.spans.spans[1]?.spanId, []],
    [undefined, []],
  ]);
});

it('sends the span of the tool with notifications and questions', async () => {
  const service = createService();
  const [progress, asked] = await service.call({ asks: true });
  expect(progress).toMatchObject({
    method: 'notifications/progress',
    params: { _meta: { traceparent: toolOf(service) } },
  });
  expect(Object.values(asked?.result?.inputRequests ?? {})).toMatchObject([
    { method: 'elicitation/create', params: { message: 'Book it?', _meta: { traceparent: toolOf(service) } } },
  ]);
  const [, roots] = await service.call({ asks: 'roots' });
  expect(Object.values(roots?.result?.inputRequests ?? {})).toMatchObject([
    { method: 'roots/list', params: { _meta: { traceparent: toolOf(service, 1) } } },
  ]);
});

it('recognizes the question of an earlier run although the span is another', async () => {
  const service = createService();
  const [, asked] = await service.call({ asks: true });
  const [key = ''] = Object.keys(asked?.result?.inputRequests ?? {});
  const inputResponses = { [key]: { action: 'accept', content: {} } };
  const messages = await service.call(
    { asks: true },
    {},
    { requestState: asked?.result?.requestState, inputResponses },
  );
  expect(messages.at(-1)?.result?.content).toEqual([{ type: 'text', text: 'accept' }]);
});

it('one trace id covers a tool with a question, and the request with its answer', async () => {
  const service = createService({ trusted: true });
  const meta = { traceparent: TRACEPARENT };
  const [, asked] = await service.call({ asks: true }, meta);
  const [key = ''] = Object.keys(asked?.result?.inputRequests ?? {});
  const question = asked?.result?.inputRequests?.[key]?.params?._meta;
  // A client continues the trace of the question that it answers.
  await service.call({ asks: true }, question, {
    requestState: asked?.result?.requestState,
    inputResponses: { [key]: { action: 'accept', content: {} } },
  });
  const [tool, root, toolAgain, rootAgain] = service.spans.spans;
  expect([root, tool, rootAgain, toolAgain].map((span) => [span?.traceId, span?.parentSpanId])).toEqual([
    [TRACE, PARENT],
    [TRACE, root?.spanId],
    [TRACE, tool?.spanId],
    [TRACE, rootAgain?.spanId],
  ]);
});

it('sends no _meta without a tracer', async () => {
  const [progress, asked] = await createService({ traced: false }).call({ asks: true });
  expect(progress?.params?._meta).toBeUndefined();
  expect(JSON.stringify(asked)).not.toContain('traceparent');
});
