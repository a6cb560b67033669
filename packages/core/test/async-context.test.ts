import {
  asyncContext,
  asyncEventContext,
  contextLogger,
  currentContext,
  runWithContext,
} from '../src/context/async-context.js';
import { RequestContext } from '../src/internal.js';
import { createLogger } from '../src/observability.js';
import { toResponse } from '../src/response/response.js';
import { requestState } from './support.js';

function setup() {
  const lines: Record<string, unknown>[] = [];
  const base = createLogger({
    service: 's',
    environment: {},
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const invocation = (n: number) => {
    const trace = `1-5759e988-${String(n).padStart(24, 'a')}`;
    const state = requestState({ log: base, headers: { 'x-amzn-trace-id': `Root=${trace}` } });
    state.requestId = `r-${n}`;
    return { ctx: new RequestContext(state), trace };
  };
  return { lines, invocation, log: contextLogger(base) };
}

describe('contextLogger', () => {
  it('carries request id and trace id of 50 interleaved invocations, without threading them', async () => {
    const { lines, invocation, log } = setup();
    const deep = async (n: number) => {
      for (let step = 0; step < 3; step += 1) {
        await new Promise(setImmediate);
        log.with({ n }).info('deep');
      }
      return toResponse({});
    };
    const middleware = asyncContext();
    await Promise.all(Array.from({ length: 50 }, (_, n) => middleware(invocation(n).ctx, () => deep(n))));
    expect(lines).toHaveLength(150);
    for (const line of lines) {
      expect(line.request_id).toBe(`r-${line.n}`);
      expect(line.trace_id).toBe(`1-5759e988-${String(line.n).padStart(24, 'a')}`);
    }
  });

  it('uses the fallback outside an invocation, for every level and isEnabled', () => {
    const { lines, log, invocation } = setup();
    expect(currentContext()).toBeUndefined();
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('m', { a: 1 });
    expect(lines.map(({ level, a, request_id }) => [level, a, request_id])).toEqual([
      ['INFO', 1, undefined],
      ['WARN', 1, undefined],
      ['ERROR', 1, undefined],
    ]);
    const { ctx } = invocation(1);
    runWithContext(ctx, () => {
      expect(currentContext()).toBe(ctx);
      expect([log.isEnabled('debug'), log.isEnabled('info')]).toEqual([false, true]);
    });
  });

  it('applies to a streamed body, which is read after the middleware has returned', async () => {
    const { lines, invocation, log } = setup();
    let closed = false;
    async function* chunks() {
      try {
        log.info('chunk');
        yield Uint8Array.of(1);
        await new Promise(setImmediate);
        log.info('chunk');
        yield Uint8Array.of(2);
      } finally {
        closed = true;
        log.info('closed');
      }
    }
    const response = toResponse(
      await asyncContext()(invocation(7).ctx, async () => toResponse({ bodyStream: chunks() })),
    );
    for await (const _ of response.bodyStream ?? []) if (lines.length === 2) break;
    expect(closed).toBe(true);
    expect(lines.map(({ request_id }) => request_id)).toEqual(['r-7', 'r-7', 'r-7']);
  });

  it('adds no stream to a response without a stream', async () => {
    const response = toResponse(
      await asyncContext()(setup().invocation(1).ctx, async () => toResponse({ body: 'text' })),
    );
    expect([response.body, response.bodyStream]).toEqual([Buffer.from('text'), null]);
  });

  it('reads a stream that is not asynchronous', async () => {
    const response = toResponse(
      await asyncContext()(setup().invocation(1).ctx, async () =>
        toResponse({ bodyStream: [Uint8Array.of(1), Uint8Array.of(2)] }),
      ),
    );
    const read: number[] = [];
    for await (const chunk of response.bodyStream ?? []) read.push(...chunk);
    expect(read).toEqual([1, 2]);
  });
});

it('an event middleware binds the record it wraps', async () => {
  const { lines, log } = setup();
  const bare = createLogger({
    service: 's',
    environment: {},
    write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const ctx = { requestId: 'r', traceId: 't', log: bare.with({ record: 'm-1' }) };
  const result = await asyncEventContext()(ctx, {}, async () => {
    await new Promise(setImmediate);
    log.info('x');
    return 5;
  });
  expect([result, lines[0]?.record]).toEqual([5, 'm-1']);
});
