import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bundleProgram, type Program } from '@sallyport/dynamodb-local';
import type { S3VectorsService } from '@sallyport/testkit/services';
import type { VectorRecordInput } from '@sallyport/vectors';
import { startVectors, wireStore } from './support/wire.js';

let service: S3VectorsService;
let program: Program;

beforeAll(async () => {
  program = bundleProgram(new URL('./programs/put-many.ts', import.meta.url));
  service = await startVectors();
});

beforeEach(() => {
  service.clear();
  service.empty();
});

afterAll(async () => {
  program.remove();
  await service.stop();
});

function vectors(count: number, dimension: number): VectorRecordInput[] {
  return Array.from({ length: count }, (_, at) => ({
    key: `key-${String(at).padStart(5, '0')}`,
    data: Float32Array.from({ length: dimension }, (_none, place) => Math.sin(at * dimension + place)),
  }));
}

const sizesOf = () => service.requests.map(({ input }) => (input.vectors as readonly unknown[]).length);

interface Seen {
  readonly sizes: readonly number[];
  readonly mostAtOnce: number;
  readonly mostBytes: number;
  readonly stored: number;
}

async function putMany(dimension: number, count: number): Promise<Seen> {
  const args = [program.file, String(dimension), String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Seen;
}

it('5,000 vectors of 1,024 numbers are ten requests of 500, at most four at the same time, each far below 20 MiB', async () => {
  const seen = await putMany(1024, 5000);
  expect(seen).toMatchObject({ sizes: Array.from({ length: 10 }, () => 500), mostAtOnce: 4, stored: 5000 });
  expect(seen.mostBytes).toBeLessThan(10 * 1024 * 1024);
});

it('vectors of 4,096 numbers are cut by their bytes before a request has 500 of them', async () => {
  const seen = await putMany(4096, 600);
  expect(seen).toMatchObject({ sizes: [269, 269, 62], stored: 600 });
  expect(seen.mostBytes).toBeLessThan(20 * 1024 * 1024);
});

it('metadata counts to the bytes of a request', async () => {
  const store = wireStore(service, { dimension: 3, nonFilterableKeys: ['text'] });
  const metadata = { text: 'x'.repeat(40_000) };
  await store.put({ records: vectors(500, 3).map((record) => ({ ...record, metadata })) });
  expect(sizesOf().toSorted((left, right) => right - left)).toEqual([496, 4]);
});

it.each([1, 2, 16])('at most %i requests run at the same time', async (concurrency) => {
  const store = wireStore(service, { dimension: 3, concurrency });
  const release = service.hold();
  const put = store.put({ records: vectors(10_000, 3) });
  while (service.requests.length < concurrency) await new Promise((resolve) => setImmediate(resolve));
  release();
  await put;
  expect(service.mostAtOnce).toBe(concurrency);
  expect(sizesOf()).toHaveLength(20);
});

it('reading requests 100 keys at a time, removing 500, a query one page after the other', async () => {
  const store = wireStore(service, { dimension: 3 });
  const records = vectors(1001, 3);
  await store.put({ records });
  service.clear();
  await store.get({ keys: records.map(({ key }) => key) });
  expect(service.requests.map(({ operation }) => operation)).toEqual(Array.from({ length: 11 }, () => 'GetVectors'));
  service.clear();
  expect(await store.query({ vector: [1, 0, 0], topK: 250 })).toHaveLength(250);
  expect(service.requests.map(({ input }) => input.topK)).toEqual([250, 250, 250]);
  service.clear();
  await store.delete({ keys: records.map(({ key }) => key) });
  expect(service.requests.map(({ input }) => (input.keys as string[]).length).toSorted()).toEqual([1, 500, 500]);
});

it('a put writes nine digits a number, and every 32-bit float is returned unchanged', async () => {
  const store = wireStore(service, { dimension: 3 });
  await store.put({ records: [{ key: 'one', data: [0.1, 1 / 3, 16777217] }] });
  expect(service.requests[0]?.input.vectors).toEqual([
    { key: 'one', data: { float32: [0.100000001, 0.333333343, 16777216] } },
  ]);
  const { records } = await store.get({ keys: ['one'] });
  expect(records[0]?.data).toEqual(Float32Array.of(0.1, 1 / 3, 16777217));
});

it('a filter is sent with every operator written out', async () => {
  const store = wireStore(service, { dimension: 3 });
  await store.query({ vector: [1, 0, 0], filter: { genre: 'drama', year: { $gte: 1990, $lt: 2000 } } });
  expect(service.requests[0]?.input).toMatchObject({
    filter: { $and: [{ genre: { $eq: 'drama' } }, { year: { $gte: 1990 } }, { year: { $lt: 2000 } }] },
    returnDistance: true,
    returnMetadata: false,
  });
});

it('nothing is sent when the last of many records is wrong', async () => {
  const store = wireStore(service, { dimension: 3 });
  const records = [...vectors(1500, 3), { key: 'last', data: [Number.NaN, 0, 0] }];
  await expect(store.put({ records })).rejects.toMatchObject({ code: 'vectorstore.invalid_vector' });
  expect(service.requests).toEqual([]);
});
