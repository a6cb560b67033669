/** The log buffer and the metric line of an invocation in a real process under AWS's runtime client. */
import { randomUUID } from 'node:crypto';
import { buildAPIGatewayV2Request, buildLambdaFunctionURLRequest } from '@sallyport/testkit/events';
import type { Runtime } from '../src/index.js';
import { serve } from './support/functions.js';

interface Line {
  readonly level?: string;
  readonly message?: string;
  readonly request_id?: string;
  readonly marker?: string;
  readonly Started?: number;
  readonly RequestCount?: number;
}

/** The JSON lines of the process. The runtime client writes other lines. */
function linesOf(runtime: Runtime): readonly Line[] {
  return runtime.log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    });
}

const messagesOf = (runtime: Runtime, requestId: string) =>
  linesOf(runtime)
    .filter(({ request_id: of, message }) => of === requestId && message !== undefined)
    .map(({ level, message }) => `${level} ${message}`);
const metricsOf = (runtime: Runtime, requestId: string) =>
  linesOf(runtime)
    .filter((line) => line.request_id === requestId && '_aws' in line)
    .map(({ Started, RequestCount }) => [Started, RequestCount]);

/** Waits for the metric line of a request, which is its last line. The output of a process arrives after its answer. */
const written = (runtime: Runtime, requestId: string) => runtime.logged(new RegExp(`_aws.*RequestCount.*${requestId}`));

const get = (path: string, query: Record<string, string> = {}) => buildAPIGatewayV2Request('GET', path, { query });

describe('an invocation of a real process', () => {
  it('writes its lines only if it fails, and one metric line', async () => {
    const runtime = await serve('quiet.ts', 'handler');
    const [ok, fails] = [randomUUID(), randomUUID()];
    await runtime.invoke(get('/ok'), { requestId: ok });
    await runtime.invoke(get('/fails'), { requestId: fails });
    await Promise.all([ok, fails].map((requestId) => written(runtime, requestId)));
    expect(messagesOf(runtime, ok)).toEqual([]);
    expect(messagesOf(runtime, fails)).toEqual(['DEBUG started', 'ERROR framework: request failed']);
    expect([metricsOf(runtime, ok), metricsOf(runtime, fails)]).toEqual([[[1, 1]], [[1, 1]]]);
  });

  it('writes its lines and values before Lambda kills the process at the timeout', async () => {
    const runtime = await serve('quiet.ts', 'handler');
    const requestId = randomUUID();
    const { outcome } = await runtime.invoke(get('/hangs'), { requestId, timeoutMs: 1000 });
    expect(outcome).toBe('timeout');
    await runtime.exited;
    expect(messagesOf(runtime, requestId)).toEqual(['DEBUG started']);
    expect(metricsOf(runtime, requestId)).toEqual([[1, undefined]]);
  });

  it.each([
    ['an exception outside the handler', '/throws-later'],
    ['a rejection that nothing handles', '/rejects-later'],
    ['an exit of the process', '/exits'],
  ])('writes its lines and values at %s', async (_name, path) => {
    const runtime = await serve('quiet.ts', 'handler');
    const requestId = randomUUID();
    const { outcome } = await runtime.invoke(get(path), { requestId });
    expect(['error', 'exit']).toContain(outcome);
    await runtime.exited;
    expect(messagesOf(runtime, requestId)).toEqual(['DEBUG started']);
    expect(metricsOf(runtime, requestId)).toEqual([[1, undefined]]);
  });

  it('writes the lines of a stream that fails after its first byte, and none of a stream that ends', async () => {
    const runtime = await serve('quiet.ts', 'streams');
    const [ok, fails] = [randomUUID(), randomUUID()];
    await runtime.invoke(buildLambdaFunctionURLRequest('GET', '/stream'), { requestId: ok });
    await runtime.invoke(buildLambdaFunctionURLRequest('GET', '/stream', { query: { fails: 'yes' } }), {
      requestId: fails,
    });
    await Promise.all([ok, fails].map((requestId) => written(runtime, requestId)));
    expect(messagesOf(runtime, ok)).toEqual([]);
    expect(messagesOf(runtime, fails)).toEqual([
      'DEBUG started',
      'INFO between',
      'ERROR framework: response stream failed',
    ]);
    expect([metricsOf(runtime, ok), metricsOf(runtime, fails)]).toEqual([[[1, 1]], [[1, 1]]]);
  });
});

/** AWS's client supports concurrent invocations from its version 4 on, which is not available for Node 20. */
const describeManaged = Number(process.versions.node.split('.')[0]) >= 22 ? describe : describe.skip;

describeManaged('concurrent invocations of Lambda Managed Instances', () => {
  it('write only their own lines', async () => {
    const runtime = await serve('quiet.ts', 'handler', { concurrency: { workers: 2, invocations: 16 } });
    const sent = Array.from({ length: 60 }, (_, index) => ({
      requestId: randomUUID(),
      marker: String(index),
      fails: index % 7 === 0 ? 'yes' : 'no',
    }));
    await Promise.all(
      sent.map(({ requestId, marker, fails }) =>
        runtime.invoke(get(`/mixed/${fails}`, { marker }), { requestId, timeoutMs: 60_000 }),
      ),
    );
    await Promise.all(sent.map(({ requestId }) => written(runtime, requestId)));
    const lines = linesOf(runtime);
    for (const { requestId, marker, fails } of sent) {
      const own = lines.filter(({ request_id: of, message }) => of === requestId && message !== undefined);
      const expected = fails === 'yes' ? [marker, marker, undefined] : [];
      expect([marker, own.map((line) => line.marker)]).toEqual([marker, expected]);
      expect([marker, metricsOf(runtime, requestId)]).toEqual([marker, [[1, 1]]]);
    }
  });
});
