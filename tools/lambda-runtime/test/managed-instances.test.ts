import { randomUUID } from 'node:crypto';
import {
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildLambdaFunctionURLRequest,
  buildQueueEvent,
} from '@sallyport/testkit/events';
import type { InvocationResult } from '../src/index.js';
import { errorTrailers, KINDS, serve, splitStream } from './support/functions.js';

/** AWS's client supports concurrent invocations from its version 4 on, which is not available for Node 20. */
const describeManaged = Number(process.versions.node.split('.')[0]) >= 22 ? describe : describe.skip;
/** All kinds of request together, over both exports. */
const INVOCATIONS = Number(process.env.LAMBDA_RUNTIME_INVOCATIONS ?? 600);
const LONG_MS = 300_000;

interface Sent {
  readonly marker: string;
  readonly tenant: string;
  readonly invocation: string;
  /** Only events read it from the invocation; requests have a header. */
  readonly trace: string;
}

const own = ({ marker, tenant, invocation }: Sent) => ({
  marker,
  identity: `user-${marker}`,
  tenant,
  invocation,
});
const headersOf = ({ marker }: Sent) => ({ 'x-identity': `user-${marker}` });
const lines = (bytes: Buffer) =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

interface Kind {
  readonly event: (sent: Sent) => unknown;
  /** Reads the compared part of an answer. */
  readonly read: (result: InvocationResult) => unknown;
  readonly expected: (sent: Sent) => unknown;
}

const readJson = ({ body }: InvocationResult) => JSON.parse(body.toString('utf8'));
const readHttp = (result: InvocationResult) => {
  const { statusCode, body } = readJson(result);
  return [statusCode, JSON.parse(body)];
};

const JSON_KINDS: readonly Kind[] = [
  {
    event: (sent) => buildAPIGatewayV2Request('GET', `/marker/${sent.marker}`, { headers: headersOf(sent) }),
    read: readHttp,
    expected: (sent) => [200, own(sent)],
  },
  {
    event: (sent) => buildAPIGatewayV2Request('GET', `/fails/${sent.marker}`, { headers: headersOf(sent) }),
    read: (result) => [readHttp(result)[0], result.body.includes('secret')],
    expected: () => [500, false],
  },
  {
    event: (sent) =>
      buildAppSyncEvent({
        parentTypeName: 'Query',
        fieldName: 'marker',
        arguments: { marker: sent.marker },
        headers: headersOf(sent),
      }),
    read: readJson,
    expected: (sent) => own(sent),
  },
  {
    event: (sent) =>
      buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [
        { messageId: `good-${sent.marker}`, body: JSON.stringify(sent) },
        { messageId: `bad-${sent.marker}`, body: JSON.stringify({ ...sent, fails: 'yes' }) },
      ]),
    read: readJson,
    expected: ({ marker }) => ({ batchItemFailures: [{ itemIdentifier: `bad-${marker}` }] }),
  },
];

const STREAM_KINDS: readonly Kind[] = [
  {
    event: (sent) => buildLambdaFunctionURLRequest('GET', `/stream/${sent.marker}`, { headers: headersOf(sent) }),
    read: (result) => [lines(splitStream(result).payload), errorTrailers(result)],
    expected: (sent) => [[own(sent), own(sent), own(sent)], undefined],
  },
  {
    event: (sent) => buildLambdaFunctionURLRequest('GET', `/stream-fails/${sent.marker}`, { headers: headersOf(sent) }),
    read: (result) => {
      const report = errorTrailers(result)?.body ?? '';
      return [lines(splitStream(result).payload), report.includes('internal error'), report.includes('secret')];
    },
    expected: (sent) => [[own(sent)], true, false],
  },
];

describeManaged('8 workers with 64 invocations each', () => {
  test.each([
    ['buffered', JSON_KINDS],
    ['streaming', [...JSON_KINDS, ...STREAM_KINDS]],
  ] as const)('answer each of many mixed requests correctly, %s', async (handler, kinds) => {
    const concurrency = { workers: 8, invocations: 8 * 64 };
    const runtime = await serve('mixed.ts', handler, { concurrency });
    const differences: unknown[] = [];
    const outcomes = new Map<string, number>();
    await Promise.all(
      Array.from({ length: INVOCATIONS / 2 }, async (_, index) => {
        const kind = kinds[index % kinds.length] as Kind;
        const sent: Sent = {
          marker: String(index),
          tenant: `tenant-${index}`,
          invocation: randomUUID(),
          trace: `1-5759e988-${index.toString(16).padStart(24, 'a')}`,
        };
        const result = await runtime.invoke(kind.event(sent), {
          requestId: sent.invocation,
          tenantId: sent.tenant,
          traceId: `Root=${sent.trace};Sampled=0`,
          timeoutMs: LONG_MS,
        });
        outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1);
        const whole = result.outcome === 'response';
        const [actual, expected] = [JSON.stringify(whole && kind.read(result)), JSON.stringify(kind.expected(sent))];
        if (actual !== expected) differences.push({ index, outcome: result.outcome, actual, expected });
      }),
    );
    expect(differences.slice(0, 5)).toEqual([]);
    expect([...outcomes]).toEqual([['response', INVOCATIONS / 2]]);
    expect(runtime.running).toBe(true);
    await runtime.stop();
  });
});

describeManaged.each(KINDS)('%s in one worker', (_kind, file) => {
  test('finishes the other streams when one of them fails', async () => {
    const runtime = await serve(file, 'functionUrl', { concurrency: { workers: 1, invocations: 64 } });
    const paths = ['/large', '/hello', '/fails-after', '/large', '/hello', '/large'];
    const results = await Promise.all(paths.map((path) => runtime.invoke(buildLambdaFunctionURLRequest('GET', path))));
    const seen = results.map((result) => [
      result.outcome,
      result.body.byteLength > 20,
      errorTrailers(result) !== undefined,
    ]);
    const whole = ['response', true, false];
    expect(seen).toEqual([whole, whole, ['response', true, true], whole, whole, whole]);
    expect(runtime.running).toBe(true);
  });
});
