import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, invoke, type Project, start } from './support/run.js';
import { shows } from './support/shows.js';

const HERE = dirname(fileURLToPath(import.meta.url));

describe('a function that sends to its event source', () => {
  let project: Project;
  let host: RunningHost;

  beforeAll(async () => {
    const settings = { queues: { orders: { maxReceiveCount: 2 } } };
    project = createProject({ 'sallyport.json': JSON.stringify(settings) });
    cpSync(join(HERE, 'functions/sender.ts'), join(project.folder, 'src/lambda.ts'));
    symlinkSync(join(HERE, '../node_modules'), join(project.folder, 'node_modules'));
    host = await start(project, { entry: 'src/lambda.ts' });
  });
  afterAll(async () => {
    await host.stop();
    project.remove();
  });

  /** The invocation of the queue that another invocation caused. */
  async function causedBy(id: number): Promise<number> {
    const find = () => host.journal.list().find((record) => record.causedBy === id)?.id;
    return new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found !== undefined) resolve(found);
        return found !== undefined;
      };
      if (look()) return;
      const end = host.journal.subscribe(() => {
        if (look()) end();
      });
    });
  }

  test('links the call, the message and the batch', async () => {
    const outcome = await invoke(host, { send: 'good' });
    expect(outcome).toMatchObject({ ok: true, answer: expect.any(String) });
    const record = await shows(host, outcome.id, ({ awsCalls }) => awsCalls.length === 2);
    expect(record.awsCalls).toMatchObject([
      { service: 'sqs', operation: 'GetQueueUrl', resource: 'orders', status: 200, error: null },
      { service: 'sqs', operation: 'SendMessage', resource: 'orders', status: 200, error: null },
    ]);
    const batch = await shows(host, await causedBy(outcome.id), ({ changes }) => changes.length > 0);
    expect(batch).toMatchObject({
      origin: { kind: 'queue', target: 'orders' },
      status: 'ok',
      changes: [{ source: 'queue orders', state: 'done', deliveries: 1 }],
    });
  });

  test('shows the wait of a failed message, and the dead-letter queue', async () => {
    const { id } = await invoke(host, { send: 'bad' });
    const first = await shows(host, await causedBy(id), ({ changes }) => changes.length > 0);
    expect(first.changes).toMatchObject([{ state: 'delayed', deliveries: 1, until: expect.any(Number) }]);
    for (let wait = 0; wait < 2; wait += 1) {
      host.sources.act('queue', 'orders', 'now');
      await new Promise((resolve) => {
        const look = () => {
          const { records, deadLetters } = host.sources.list().find(({ name }) => name === 'orders') ?? {
            records: [],
            deadLetters: [],
          };
          if (records[0]?.state === 'delayed' || deadLetters.length > 0) resolve(undefined);
          else setTimeout(look, 10);
        };
        look();
      });
    }
    expect(host.sources.list().find(({ name }) => name === 'orders')).toMatchObject({
      records: [],
      deadLetterName: 'orders-dlq',
      deadLetters: [{ preview: 'bad' }],
    });
  });
});
