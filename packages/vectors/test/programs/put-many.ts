// `put-many.ts <dimension> <count>`: puts so many vectors over the wire and prints the requests that the service received, as JSON. It is
// a separate program, because numbers by the million take minutes in the context that Jest creates for tests.
import { indexName, startVectors, wireStore } from '../support/wire.js';

const [dimension, count] = process.argv.slice(2).map(Number) as [number, number];
const service = await startVectors();
// A starved machine needs minutes.
const store = wireStore(service, { dimension, requestTimeoutMs: 900_000 });
/** Each vector is another part of one wave. */
const wave = Float32Array.from({ length: dimension + count }, (_, at) => Math.sin(at));
const records = Array.from({ length: count }, (_, at) => ({
  key: `key-${at}`,
  data: wave.subarray(at, at + dimension),
}));
await store.put({ records });
const sizes = service.requests.map(({ input }) => (input.vectors as readonly unknown[]).length);
const seen = {
  sizes: sizes.toSorted((left, right) => right - left),
  mostAtOnce: service.mostAtOnce,
  mostBytes: Math.max(...service.requests.map(({ bytes }) => bytes)),
  stored: service.keysOf(indexName(dimension)).length,
};
console.log(JSON.stringify(seen));
await service.stop();
