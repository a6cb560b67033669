import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  atEachCall,
  createLocalClient,
  FaultyTable,
  OUTAGES,
  type OutageRun,
  TableClock,
} from '@sallyport/dynamodb-local';

const SCHEMA = { partitionKey: { name: 'pk', type: 'S' } } as const;

let table: FaultyTable;

beforeAll(async () => {
  table = await FaultyTable.start(SCHEMA);
});

afterAll(() => table.stop());

function put({ client }: OutageRun, pk: string) {
  return client.send(new PutItemCommand({ TableName: table.name, Item: { pk: { S: pk } } }));
}

/** Two writes, each repeated with waits of 400 ms. */
async function act(_: undefined, run: OutageRun): Promise<string> {
  for (const name of ['a', 'b']) {
    for (let isDone = false; !isDone; ) {
      isDone = await put(run, name).then(
        () => true,
        () => new Promise<false>((resolve) => run.clock.after(400, () => resolve(false))),
      );
    }
  }
  return 'done';
}

describe('an outage at each request', () => {
  it.each(OUTAGES)('begins at every request and ends: $name', async (outage) => {
    const seen: string[] = [];
    const requests = await atEachCall(table, outage, {
      prepare: async () => undefined,
      act,
      check: async (_, { call, operation, value, clock }) => {
        seen.push(`${call} ${operation}`);
        expect(value).toBe('done');
        const waited = clock.monotonicMs();
        if (call === 0 || outage.lost === 1) expect(waited).toBe(0);
        else expect(waited).toBeGreaterThanOrEqual(outage.lost > 0 ? 400 : outage.awayMs);
        expect(waited).toBeLessThan(outage.awayMs + 1000);
      },
    });
    expect(requests).toEqual(['PutItem', 'PutItem']);
    expect(seen).toEqual(['0 no request', '1 PutItem', '2 PutItem']);
  });

  it('passes what the operation threw, and names the request when a check fails', async () => {
    const [outage] = OUTAGES;
    if (outage === undefined) throw new Error('no outage');
    const failing = atEachCall(table, outage, {
      prepare: async () => undefined,
      act: (_, run) => put(run, 'a'),
      check: async (_, { error }) => {
        if (error !== undefined) throw new Error('the write is lost');
      },
    });
    await expect(failing).rejects.toThrow('an outage of 0.5 s at request 1, PutItem: the write is lost');
  });
});

describe('the clock of a table', () => {
  it('fires timers in order, without sleeping, and only while nothing is on its way', async () => {
    const clock = new TableClock(0);
    const fired: string[] = [];
    clock.after(60_000, () => fired.push(`late ${clock.monotonicMs()}`));
    clock.after(10, () => fired.push(`early ${clock.monotonicMs()}`));
    const cancel = clock.after(5, () => fired.push('never'));
    cancel();
    await clock.during(async () => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      fired.push('on its way');
    });
    await new Promise<void>((resolve) => clock.after(70_000, resolve));
    expect(fired).toEqual(['on its way', 'early 10', 'late 60000']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires nothing after it was stopped', async () => {
    const clock = new TableClock(0);
    clock.after(1, () => {
      throw new Error('fired');
    });
    clock.stop();
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(clock.monotonicMs()).toBe(0);
  });
});

describe('a call that is never answered', () => {
  it('times out immediately, while the time waits for answered calls', async () => {
    const clock = new TableClock();
    const client = await createLocalClient({ endpoint: table.proxy.endpoint });
    clock.watch(client, table.proxy);
    const command = new PutItemCommand({ TableName: table.name, Item: { pk: { S: 'hangs' } } });
    const callWithin = (ms: number) => {
      const abort = new AbortController();
      const stop = clock.after(ms, () => abort.abort());
      return client.send(command, { abortSignal: abort.signal }).finally(stop);
    };
    await callWithin(300);
    expect(clock.monotonicMs()).toBe(0);
    table.proxy.inject({ kind: 'silence' }, { times: 1 });
    await expect(callWithin(300)).rejects.toMatchObject({ name: 'AbortError' });
    expect(clock.monotonicMs()).toBe(300);
    await callWithin(300);
    expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([300, 0]);
    clock.stop();
    client.destroy();
    table.proxy.clear();
  });
});
