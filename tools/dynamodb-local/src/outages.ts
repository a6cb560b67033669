import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalClient } from './client.js';
import { SERVER_ERROR } from './fault-proxy.js';
import type { FaultyTable } from './faulty-table.js';
import { retryAtOnce } from './retry-at-once.js';
import { TableClock } from './table-clock.js';

/** One way in which a table fails for some time. */
export interface Outage {
  /** Description, for the name of a test. */
  readonly name: string;
  /** Milliseconds for which every request is rejected with status 500; 0 for lost responses. */
  readonly awayMs: number;
  /** Number of consecutive responses that are lost after the table has applied the request. */
  readonly lost: number;
}

const ATTEMPTS = 3;
/** Duration of a rejected request. The SDK's three attempts need 0.1 to 0.3 s with their waits. */
const REJECTED_MS = 50;

/** The outages that the end of work must survive, at each of its requests. */
export const OUTAGES: readonly Outage[] = [
  { name: 'an outage of 0.5 s', awayMs: 500, lost: 0 },
  { name: 'an outage of 1.5 s', awayMs: 1500, lost: 0 },
  { name: 'an outage of 5 s', awayMs: 5000, lost: 0 },
  { name: 'a lost response', awayMs: 0, lost: 1 },
  { name: 'a response that is lost at every attempt of the SDK', awayMs: 0, lost: ATTEMPTS },
];

/** Client and clock for a run of {@link atEachCall}. */
export interface OutageRun {
  /** Client through the proxy, with three attempts without waits. */
  readonly client: DynamoDBClient;
  /** Advances only while no request is in progress. Use it for the store, and for all other waits. */
  readonly clock: TableClock;
  /** The number of this run, for ids that no other run uses. */
  readonly run: number;
}

/** An operation that is examined. */
export interface Examined<S> {
  /** Prepares the operation, while the table works. */
  prepare(run: OutageRun): Promise<S>;
  /** Runs the operation. The outage begins at one of its requests. Its rejection is passed to `check`. */
  act(subject: S, run: OutageRun): Promise<unknown>;
  /** Asserts the outcome. The table works again. */
  check(subject: S, outcome: OutageOutcome): Promise<void>;
}

/** Result of an operation. */
export interface OutageOutcome extends OutageRun {
  /** The request at which the outage began, from 1. */
  readonly call: number;
  /** The name of that request, such as `UpdateItem`. */
  readonly operation: string;
  /** The result of the operation; `undefined` if it was rejected. */
  readonly value: unknown;
  /** The error of the operation; `undefined` if it succeeded. */
  readonly error: unknown;
}

let runs = 0;

/**
 * Runs an operation once for each of its requests, with the outage at that request. Returns the names of the requests, as they
 * occur without an outage.
 *
 * @throws what `prepare` and `check` throw, with the request in the message
 */
export async function atEachCall<S>(
  table: FaultyTable,
  outage: Outage,
  examined: Examined<S>,
): Promise<readonly string[]> {
  const operations: string[] = [];
  for (let call = 0; call === 0 || call <= operations.length; call += 1) {
    const { run, end } = await startRun(table);
    try {
      const subject = await examined.prepare(run);
      table.proxy.clear();
      if (call > 0) begin(table, outage, call, run.clock);
      const outcome = await settled(examined.act(subject, run));
      if (call === 0) operations.push(...table.proxy.operations);
      table.proxy.clear();
      const operation = operations[call - 1] ?? 'no request';
      await named(`${outage.name} at request ${call}, ${operation}`, () =>
        examined.check(subject, { ...run, ...outcome, call, operation }),
      );
    } finally {
      end();
    }
  }
  return operations;
}

async function startRun(table: FaultyTable): Promise<{ run: OutageRun; end: () => void }> {
  table.proxy.clear();
  const clock = new TableClock();
  const client = await createLocalClient({
    endpoint: table.proxy.endpoint,
    retryStrategy: retryAtOnce(ATTEMPTS - 1),
  });
  clock.watch(client);
  runs += 1;
  const end = () => {
    table.proxy.clear();
    clock.stop();
    client.destroy();
  };
  return { run: { client, clock, run: runs }, end };
}

function begin({ proxy }: FaultyTable, { awayMs, lost }: Outage, call: number, clock: TableClock): void {
  const after = call - 1;
  if (lost > 0) proxy.inject({ kind: 'lost-answer' }, { after, times: lost });
  if (awayMs === 0) return;
  let untilMs: number | undefined;
  const when = () => {
    untilMs ??= clock.now().getTime() + awayMs;
    if (clock.now().getTime() >= untilMs) return false;
    clock.tick(REJECTED_MS);
    return true;
  };
  proxy.inject(SERVER_ERROR, { after, when });
}

async function settled(running: Promise<unknown>): Promise<Pick<OutageOutcome, 'value' | 'error'>> {
  try {
    return { value: await running, error: undefined };
  } catch (error) {
    return { value: undefined, error };
  }
}

async function named(name: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  }
}
