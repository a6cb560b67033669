import { createLocalClient, createTable, dynamodbEndpoint } from '@sallyport/dynamodb-local';
import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';
import type { WorkerReport } from './support/worker.js';
import { type Worker, Workers } from './support/workers.js';

const INSTANCES = 8;
const LEASE_MS = 1000;
let tableName: string;
let workers: Workers;

beforeAll(async () => {
  const client = await createLocalClient();
  tableName = await createTable(client, JOBS_TABLE_SCHEMA);
  client.destroy();
  workers = new Workers(await dynamodbEndpoint());
}, 90_000);

afterAll(() => workers.stop());

/** The protected resource: takes a write only with the largest token that it has seen. */
class FencedResource {
  readonly holders = new Map<number, number>();
  readonly violations: string[] = [];
  largest = 0;
  accepted = 0;
  refused = 0;

  held(token: number, pid: number): void {
    const other = this.holders.get(token);
    if (other !== undefined && other !== pid) this.violations.push(`token ${token} was given to ${other} and ${pid}`);
    this.holders.set(token, pid);
  }

  write(token: number, pid: number): void {
    this.held(token, pid);
    if (token < this.largest) {
      this.refused += 1;
      return;
    }
    this.largest = token;
    this.accepted += 1;
  }
}

it('eight processes contend for a lease while holders are killed: one valid token at a time, and work goes on', async () => {
  const resource = new FencedResource();
  const order = { kind: 'lease', tableName, durationMs: LEASE_MS, keys: [] } as const;
  let kills = 0;
  let takenOver = 0;
  await new Promise<void>((resolve) => {
    let isOrphaned = false;
    const onReport = (report: WorkerReport, worker: Worker) => {
      if (report.kind === 'held') {
        if (isOrphaned) takenOver += 1;
        isOrphaned = false;
        resource.held(report.token, worker.pid);
      }
      if (report.kind !== 'wrote') return;
      resource.write(report.token, worker.pid);
      if (isOrphaned || report.token < resource.largest || Math.random() > 0.2) return;
      if (kills === 6) return resolve();
      kills += 1;
      isOrphaned = true;
      worker.kill();
      workers.start(order, onReport);
    };
    for (let count = 0; count < INSTANCES; count += 1) workers.start(order, onReport);
  });
  expect(resource.violations).toEqual([]);
  expect(kills).toBe(6);
  expect(takenOver).toBe(6);
  expect(resource.accepted).toBeGreaterThan(6);
}, 60_000);

it('eight processes run the same keys and crash at every point: each effect happens, and no stored result changes', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`);
  const effects = new Map<string, Set<string>>();
  const answers = new Map<string, Set<string>>();
  const note = (map: Map<string, Set<string>>, key: string, value: string) =>
    map.set(key, (map.get(key) ?? new Set()).add(value));
  const crashes = ['before', 'between', 'after', 'before', 'between', 'after', undefined, undefined] as const;
  const results = crashes.map(async (crash) => {
    const order = { kind: 'idempotency', tableName, durationMs: 1000, keys, ...(crash && { crash }) } as const;
    const finished = new Promise<'done'>((resolve) => {
      const worker = workers.start(order, (report) => {
        if (report.kind === 'effect') note(effects, report.key, report.value);
        if (report.kind === 'answer') note(answers, report.key, report.value);
        if (report.kind === 'done') {
          resolve('done');
          worker.kill();
        }
      });
      void worker.ended.then(() => resolve('done'));
    });
    return finished;
  });
  await Promise.all(results);
  for (const key of keys) {
    const made = effects.get(key) ?? new Set();
    expect(made.size).toBeGreaterThanOrEqual(1);
    const answered = [...(answers.get(key) ?? [])];
    expect(answered.length).toBe(1);
    expect(made.has(answered[0] ?? '')).toBe(true);
  }
}, 60_000);
