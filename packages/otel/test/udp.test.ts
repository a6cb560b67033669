import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AwsXrayUdpSpanExporter } from '@aws/aws-distro-opentelemetry-exporter-xray-udp';
import type { SpanData } from '../src/encoding/traces.js';
import { udpExporter } from '../src/index.js';
import { RESOURCE, SCOPE, SPAN } from './support/spans.js';
import { type DecodedSpan, decodeTraces, spansIn } from './support/theirs.js';

const HEADER = '{"format":"json","version":1}\nT1S';

let daemon: Socket;
let address: string;
const frames: Buffer[] = [];

beforeAll(async () => {
  daemon = createSocket({ type: 'udp4', recvBufferSize: 4_000_000 });
  daemon.on('message', (frame) => frames.push(frame));
  daemon.bind(0, '127.0.0.1');
  await once(daemon, 'listening');
  address = `127.0.0.1:${(daemon.address() as AddressInfo).port}`;
});
beforeEach(() => frames.splice(0));
afterAll(() => daemon.close());

async function received(count: number): Promise<readonly Buffer[]> {
  while (frames.length < count) await once(daemon, 'message');
  return frames;
}

function spansOf(frame: Buffer | undefined): readonly DecodedSpan[] {
  const text = String(frame);
  expect(text.slice(0, HEADER.length)).toBe(HEADER);
  return spansIn(decodeTraces(Buffer.from(text.slice(HEADER.length), 'base64')));
}

const batchOf = (spans: readonly SpanData[]) => ({ resource: RESOURCE, scope: SCOPE, spans });

it('sends the same frame as the exporter of AWS', async () => {
  const simple = {
    ...SPAN,
    traceState: undefined,
    parentSpanId: undefined,
    links: [],
    events: [],
    status: { code: 0 },
  };
  udpExporter({ address }).export(batchOf([simple]));
  const [ours] = await received(1);
  const theirs = new AwsXrayUdpSpanExporter(address);
  theirs.export(
    [
      {
        name: SPAN.name,
        kind: 1,
        spanContext: () => ({ traceId: SPAN.traceId, spanId: SPAN.spanId, traceFlags: 1 }),
        startTime: [1_795_878_000, 123_250_000],
        endTime: [1_795_878_000, 124_500_000],
        status: { code: 0 },
        attributes: SPAN.attributes,
        links: [],
        events: [],
        resource: { attributes: RESOURCE.attributes },
        instrumentationLibrary: SCOPE,
        droppedAttributesCount: 3,
        droppedEventsCount: 1,
        droppedLinksCount: 2,
      } as never,
    ],
    () => {},
  );
  const [, fromAws] = await received(2);
  await theirs.shutdown();
  expect(spansOf(ours)).toEqual(spansOf(fromAws));
});

it('splits spans that are larger than a datagram, with the root last, and sends every span once', async () => {
  const spans = Array.from({ length: 40 }, (_, index) => ({
    ...SPAN,
    name: index === 39 ? 'root' : `child ${index}`,
    attributes: { text: 'x'.repeat(4000) },
  }));
  const exporter = udpExporter({ address });
  exporter.export(batchOf(spans));
  const all = await received(4);
  expect(all.every(({ length }) => length <= 60_000)).toBe(true);
  expect(all.flatMap(spansOf).map(({ name }) => name)).toEqual(spans.map(({ name }) => name));
  await new Promise(setImmediate);
  expect(exporter.counts).toMatchObject({ sentSpans: 40, droppedSpans: 0, cutAttributes: 0 });
});

it('removes the longest attributes of one span that is larger than a datagram, and counts them', async () => {
  const attributes = { small: 'kept', large: 'x'.repeat(50_000), larger: 'y'.repeat(60_000) };
  const exporter = udpExporter({ address });
  exporter.export(batchOf([{ ...SPAN, attributes, droppedAttributesCount: 0 }]));
  const [span] = spansOf((await received(1))[0]);
  expect(span?.attributes?.map(({ key }) => key)).toEqual(['small']);
  expect(span?.droppedAttributesCount).toBe(2);
  expect(exporter.counts.cutAttributes).toBe(2);
});

it('counts a span that is too large without its attributes as dropped', async () => {
  const exporter = udpExporter({ address });
  exporter.export(batchOf([{ ...SPAN, name: 'n'.repeat(60_000) }]));
  expect(exporter.counts).toMatchObject({ sentSpans: 0, sentBytes: 0, droppedSpans: 1, cutAttributes: 2 });
});

it.each([
  ['a list of both sockets', (port: string) => `tcp:127.0.0.1:1 udp:127.0.0.1:${port}`],
  ['a host name', (port: string) => `localhost:${port}`],
])('accepts %s as address', async (_title, toAddress) => {
  udpExporter({ address: toAddress(address.split(':')[1] ?? '') }).export(batchOf([SPAN]));
  expect(spansOf((await received(1))[0])).toHaveLength(1);
});

it.each(['', 'daemon', '127.0.0.1', ':2000', '127.0.0.1:0', '127.0.0.1:99999', '127.0.0.1:x', 'http://127.0.0.1:2000'])(
  'rejects the address %p',
  (wrong) => {
    expect(() => udpExporter({ address: wrong })).toThrow(expect.failure('app.invalid_configuration', 'address'));
  },
);
