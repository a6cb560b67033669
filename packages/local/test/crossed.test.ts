import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Flags } from '../src/internal/config/load.js';
import { buildEvent } from '../src/internal/send/build-event.js';
import type { SendRequest } from '../src/internal/send/send.js';
import { createProject, invoke, start } from './support/run.js';

const HERE = dirname(fileURLToPath(import.meta.url));

/** The request of the n-th event of a kind, and the answer that belongs to it. */
type Kind = (n: number) => readonly [request: SendRequest, answer: unknown];

const http =
  (door: string): Kind =>
  (n) => [{ kind: 'http', target: `GET /notes/${n}`, doors: [door] }, told(n)];
const told = (n: number) => ({ statusCode: 200, body: expect.stringContaining(`"n":${n}}`) });
const failed = (id: string) => ({ batchItemFailures: [{ itemIdentifier: id }] });

/** An event of no kind fails, and every other event has its response. */
const NO_ADAPTER = Symbol('no adapter');

const KINDS: readonly Kind[] = [
  http('gateway-v2'),
  http('gateway-v1'),
  http('load-balancer'),
  http('function-url'),
  (n) => [
    { kind: 'websocket', target: '$default', options: { body: { n } } },
    { statusCode: 200, body: `{"n":${n}}` },
  ],
  (n) => [{ kind: 'appsync', target: 'Query.note', options: { arguments: { n } } }, { n }],
  (n) => [{ kind: 'queue', target: 'orders', options: { messageId: `m-${n}`, body: String(n) } }, failed(`m-${n}`)],
  (n) => [{ kind: 'stream', target: 'clicks', options: { sequenceNumber: String(n), json: {} } }, failed(String(n))],
  (n) => [
    { kind: 'table-stream', target: 'notes', options: { sequenceNumber: String(n), keys: { id: 'a' } } },
    failed(String(n)),
  ],
  (n) => [{ kind: 'topic', target: 'news', options: { message: String(n) } }, [{ n }]],
  (n) => [{ kind: 'event-bus', target: 'default', options: { source: 'shop', detailType: 'x', detail: { n } } }, { n }],
  (n) => [{ kind: 'schedule', target: 'nightly', options: { detail: { n } } }, { n }],
  (n) => [{ kind: 'event', options: { unknown: n } }, NO_ADAPTER],
];

const CASES = Array.from({ length: 400 }, (_, n) => (KINDS[n % KINDS.length] as Kind)(n + 1));

test.each<[string, number, Flags]>([
  ['in four environments, one event at a time in each', 4, { concurrency: 4, timeout: 55 }],
  [
    'on a managed instance of 8 workers, 64 at once',
    1,
    { managedInstances: 8, concurrency: 64, memory: 1024, timeout: 55 },
  ],
])('400 events of all kinds %s: each answer is for its event', async (_name, environments, flags) => {
  const project = createProject({});
  cpSync(join(HERE, 'functions/kinds.ts'), join(project.folder, 'src/lambda.ts'));
  symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
  const host = await start(project, { entry: 'src/lambda.ts', conditions: ['@sallyport/source'], ...flags });
  try {
    const outcomes = await Promise.all(
      CASES.map(([request]) => invoke(host, buildEvent(request), { whenBusy: 'wait' })),
    );
    // With the reason and the error of an event that failed.
    expect(outcomes).toMatchObject(
      CASES.map(([, answer]) => (answer === NO_ADAPTER ? { ok: false, reason: 'handler' } : { ok: true, answer })),
    );
    expect(host.invoker.environments()).toHaveLength(environments);
  } finally {
    await host.stop();
    project.remove();
  }
});
