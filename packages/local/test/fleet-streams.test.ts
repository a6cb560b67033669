import { loadConfig } from '../src/internal/config/load.js';
import { type RunningHost, startHost } from '../src/internal/host/create-host.js';
import { type Barrier, createBarrier } from './support/barrier.js';
import { createProject, type Project } from './support/run.js';

const STREAMS = `
export const handler = awslambda.streamifyResponse(async (event, stream) => {
  const head = { statusCode: 201, headers: { 'content-type': 'text/plain' } };
  const answer = awslambda.HttpResponseStream.from(stream, head);
  answer.write('one,');
  await fetch(process.env.BARRIER);
  answer.write('two');
  answer.end();
});`;
const WHOLE = "export const handler = async () => ({ statusCode: 200, body: 'whole' });";
const doors = (...routes: string[]) => ['function-url', 'rest-api'].map((kind) => ({ kind, routes }));
const MANIFEST = {
  version: 1,
  functions: [
    { path: 'App/Streams', entry: 'src/streams.mjs', doors: doors('GET /stream/{way}'), sources: [] },
    { path: 'App/Whole', entry: 'src/whole.mjs', doors: doors('GET /whole'), sources: [] },
  ],
};

let project: Project;
let host: RunningHost;
let barrier: Barrier;
beforeAll(async () => {
  project = createProject({
    'src/streams.mjs': STREAMS,
    'src/whole.mjs': WHOLE,
    'cdk.out/sallyport.json': JSON.stringify(MANIFEST),
  });
  barrier = await createBarrier();
  const flags = { all: true, port: 0, state: false, timeout: 55, restStream: true, env: { BARRIER: barrier.address } };
  host = await startHost(loadConfig(project.folder, flags), { watch: false });
});
afterAll(async () => {
  await host.stop();
  barrier.close();
  project.remove();
});

const get = (door: 'function-url' | 'gateway-v1', path: string) => fetch(`http://127.0.0.1:${host.ports[door]}${path}`);

test.each(['function-url', 'gateway-v1'] as const)(
  'one of several functions streams through the door %s, with its first request too',
  async (door) => {
    const answer = await get(door, '/stream/now');
    const chunks: string[] = [];
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      // The second chunk is written when the client has the first.
      if (chunks.push(Buffer.from(chunk).toString()) === 1) barrier.open();
    }
    expect([answer.status, chunks]).toEqual([201, ['one,', 'two']]);
    expect(host.journal.list().at(-1)).toMatchObject({ origin: { function: 'Streams' }, client: { streamed: true } });
  },
);

test('a function of the same run that does not stream is buffered', async () => {
  const answer = await get('gateway-v1', '/whole');
  expect([answer.status, await answer.text(), answer.headers.get('content-length')]).toEqual([200, 'whole', '5']);
});
