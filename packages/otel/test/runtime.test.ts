import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFunction, type Runtime, type RuntimeOptions, startRuntime } from '@sallyport/lambda-runtime';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit/events';
import { type DecodedSpan, decodeTraces, spansIn } from './support/theirs.js';

const FUNCTION = join(dirname(fileURLToPath(import.meta.url)), 'functions', 'traced.ts');
const FRAME = '{"format":"json","version":1}\nT1S';
const LONG_MS = 300_000;
/** `npm run test:runtime` has more of them. */
const INVOCATIONS = Number(process.env.LAMBDA_RUNTIME_INVOCATIONS ?? 400);

let daemon: Socket;
let spans: DecodedSpan[];
const arrived = new EventEmitter();
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  spans = [];
  daemon = createSocket({ type: 'udp4', recvBufferSize: 8_000_000 });
  daemon.on('message', (frame) => {
    spans.push(...spansIn(decodeTraces(Buffer.from(String(frame).slice(FRAME.length), 'base64'))));
    arrived.emit('spans');
  });
  daemon.bind(0, '127.0.0.1');
  await once(daemon, 'listening');
});
afterEach(async () => {
  daemon.close();
  await Promise.all(cleanUps.splice(0).map((cleanUp) => cleanUp()));
});

async function serve(options: Partial<RuntimeOptions> = {}): Promise<Runtime> {
  const { file, remove } = await bundleFunction(FUNCTION);
  cleanUps.push(remove);
  const { port } = daemon.address() as AddressInfo;
  const env = { AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${port}` };
  const runtime = await startRuntime({ bundle: file, handler: 'handler', env, ...options });
  cleanUps.push(() => runtime.stop());
  return runtime;
}

async function received(count: number): Promise<void> {
  while (spans.length < count) await once(arrived, 'spans');
}

/** The trace id of the platform in both forms. */
function traceOf(index: number) {
  const random = (index + 1).toString(16).padStart(24, '0');
  return { header: `Root=1-5759e988-${random};Parent=53995c3f42cd8ad8;Sampled=1`, id: `5759e988${random}` };
}

const idOf = ({ traceId }: DecodedSpan) => Buffer.from(traceId, 'base64').toString('hex');
const markerOf = ({ attributes }: DecodedSpan) =>
  (attributes?.find(({ key }) => key === 'marker')?.value as { stringValue?: string } | undefined)?.stringValue;

it('has the first trace, with the cold start, even if the process ends right after its answer', async () => {
  const runtime = await serve();
  const { header, id } = traceOf(1);
  const answer = await runtime.invoke(buildAPIGatewayV2Request('GET', '/marker/1'), { traceId: header });
  await runtime.stop();
  expect(answer.outcome).toBe('response');
  await received(3);
  expect(spans.map(({ name }) => name)).toEqual(['inner', 'outer', 'GET /marker/{marker}']);
  expect(spans.map(idOf)).toEqual([id, id, id]);
  expect(spans[2]?.attributes).toContainEqual({ key: 'faas.coldstart', value: { boolValue: true } });
});

const itManaged = Number(process.versions.node.split('.')[0]) >= 22 ? it : it.skip;

itManaged('keeps the spans of concurrent invocations in their own traces, on Managed Instances', async () => {
  const runtime = await serve({ concurrency: { workers: 4, invocations: 4 * 16 } });
  const queue = 'arn:aws:sqs:us-east-1:123456789012:orders';
  await Promise.all(
    Array.from({ length: INVOCATIONS }, async (_, index) => {
      const { header } = traceOf(index);
      const isQueue = index % 2 === 1;
      const event = isQueue
        ? buildQueueEvent(queue, [{ body: String(index) }])
        : buildAPIGatewayV2Request('GET', `/marker/${index}`);
      const { outcome } = await runtime.invoke(event, { traceId: header, timeoutMs: LONG_MS });
      expect(outcome).toBe('response');
    }),
  );
  await received(INVOCATIONS * 3);
  const wrong = spans.filter((span) => {
    const marker = markerOf(span);
    return marker !== undefined && idOf(span) !== traceOf(Number(marker)).id;
  });
  expect(wrong).toEqual([]);
  expect(new Set(spans.map(idOf)).size).toBe(INVOCATIONS);
  // Each trace has one root, whose parent is the segment of Lambda.
  const segment = Buffer.from('53995c3f42cd8ad8', 'hex').toString('base64');
  expect(spans.filter(({ parentSpanId }) => parentSpanId === segment)).toHaveLength(INVOCATIONS);
});
