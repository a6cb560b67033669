import { type Item, type Key, MemoryTable, type PutOptions, pause, type WriteOutcome } from '@sallyport/dynamo';
import { TableClock } from '@sallyport/dynamodb-local';
import { createMemoryJobLedger } from '@sallyport/jobs';

/** A partition with a limit of writes per second and a burst of one second. Other writes are throttled. */
class SlowPartition extends MemoryTable {
  readonly #clock: TableClock;
  readonly #perSecond: number;
  #tokens: number;
  #atMs: number;
  written = 0;
  throttled = 0;

  constructor(clock: TableClock, perSecond: number) {
    super();
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
    this.#atMs = clock.monotonicMs();
  }

  override async put(item: Item & Key, options: PutOptions): Promise<WriteOutcome> {
    await pause(this.#clock, 5, undefined);
    const nowMs = this.#clock.monotonicMs();
    const earned = ((nowMs - this.#atMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + earned);
    this.#atMs = nowMs;
    if (this.#tokens < 1) {
      this.throttled += 1;
      const cause = Object.assign(new Error('slow'), { name: 'ProvisionedThroughputExceededException' });
      throw Object.assign(new Error('throttled', { cause }));
    }
    this.#tokens -= 1;
    this.written += 1;
    return super.put(item, options);
  }
}

describe('a batch of 500 records against a slow partition', () => {
  it.each([
    [1000, 64],
    [150, 64],
    [50, 64],
    [20, 64],
    [10, 64],
    [50, 16],
    [10, 16],
    [5, 1],
  ])('writes all of them: %i writes a second, %i at the same time', async (perSecond, concurrency) => {
    const clock = new TableClock();
    const table = new SlowPartition(clock, perSecond);
    const ledger = createMemoryJobLedger({ clock, table, log: false });
    const recordIds = Array.from({ length: 500 }, (_, index) => `r${index}`);
    const outcomes = await ledger.createRecords({ jobId: 'j', recordIds, concurrency });
    const failed = outcomes.filter(({ outcome }) => outcome !== 'ok').length;
    expect(failed).toBe(0);
    // It takes at most half as long again as the partition needs, and a second.
    expect(clock.monotonicMs()).toBeLessThan((500 / perSecond) * 1500 + 1000);
    expect(table.throttled).toBeLessThan(500);
    clock.stop();
  });
});

it('a partition that throttles every write fails the records separately, with few attempts', async () => {
  const clock = new TableClock();
  const table = new SlowPartition(clock, 0);
  const ledger = createMemoryJobLedger({ clock, table, log: false });
  const recordIds = Array.from({ length: 500 }, (_, index) => `r${index}`);
  const outcomes = await ledger.createRecords({ jobId: 'j', recordIds, concurrency: 64 });
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
  expect(table.throttled).toBeLessThan(1000);
  expect(clock.monotonicMs()).toBeLessThan(300_000);
  clock.stop();
});
