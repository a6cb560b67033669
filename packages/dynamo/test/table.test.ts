import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { ManualClock } from '@sallyport/core/testing';
import {
  absentOrPastTtl,
  type CallReport,
  type Changes,
  DynamoTable,
  type DynamoTableOptions,
  fromAttributes,
  type Item,
  isPastTtl,
  itemSize,
  notPastTtl,
  ttlAt,
} from '@sallyport/dynamo';
import {
  countCalls,
  createLocalClient,
  type Fault,
  FaultyTable,
  STORE_FAULTS,
  unprocessedKeys,
} from '@sallyport/dynamodb-local';

const SCHEMA = { partitionKey: { name: 'pk', type: 'S' }, sortKey: { name: 'sk', type: 'S' } } as const;

class Failed extends Error {
  readonly transient: boolean;

  constructor(cause: unknown, transient: boolean) {
    super('store failed', { cause });
    this.transient = transient;
  }
}

let faulty: FaultyTable;
let count = 0;

beforeAll(async () => {
  faulty = await FaultyTable.start(SCHEMA);
});

beforeEach(async () => {
  await faulty.renew();
  count += 1;
});

afterAll(() => faulty.stop());

function open(options: Partial<DynamoTableOptions> = {}): DynamoTable {
  const toError = (cause: unknown, transient: boolean) => new Failed(cause, transient);
  const clock = completeClock(systemClock);
  return new DynamoTable({
    tableName: faulty.name,
    client: faulty.client,
    clock,
    timeoutMs: 10_000,
    toError,
    ...options,
  });
}

/** Options of a write whose condition is always true. */
const SEED = { condition: { absent: 'never' }, writer: 'seed' } as const;
const keyOf = (sk = 'a') => ({ pk: `p${count}`, sk });

describe('an item', () => {
  it('is returned unchanged, in every type', async () => {
    const item = {
      ...keyOf(),
      text: 'grüße',
      number: -1.5,
      flag: false,
      bytes: Uint8Array.of(0, 255),
      list: ['a', 'b'],
      map: { a: '1' },
      nothing: undefined,
    };
    const table = open();
    expect(await table.put(item, SEED)).toEqual({ applied: true, item: undefined, repeated: false });
    const { nothing: _, bytes, ...rest } = item;
    const found = await table.get(keyOf(), { consistent: true });
    expect(found).toMatchObject({ ...rest });
    expect(Buffer.from(found?.bytes as Uint8Array)).toEqual(Buffer.from(bytes));
    expect(found && 'nothing' in found).toBe(false);
  });

  it.each<[string, Changes, object]>([
    ['set', { set: { n: 2, other: 'x' } }, { n: 2, other: 'x' }],
    ['setIfAbsent', { setIfAbsent: { n: 9, fresh: 9 } }, { n: 1, fresh: 9 }],
    ['add', { add: { n: 2, fresh: 3 } }, { n: 3, fresh: 3 }],
    ['count', { count: { n: { from: 10, by: 1 }, fresh: { from: 10, by: 1 } } }, { n: 2, fresh: 11 }],
    ['copy', { copy: { n: { map: 'm', entry: 'one' } } }, { n: 'first' }],
    ['remove', { remove: ['m'] }, { n: 1 }],
    ['reserved words', { set: { status: 's', ttl: 1, token: 't' } }, { status: 's', ttl: 1, token: 't' }],
  ])('is changed by %s', async (_, changes, expected) => {
    const table = open();
    await table.put({ ...keyOf(), n: 1, m: { one: 'first' } }, SEED);
    const { item } = await table.update(keyOf(), changes, SEED);
    expect(item).toMatchObject(expected);
    expect(item && 'm' in item).toBe(changes.remove === undefined);
  });
});

describe('a condition', () => {
  it.each([
    [{ absent: 'x' }, true],
    [{ present: 'x' }, false],
    [{ attribute: 'n', is: '=', value: 5 }, true],
    [{ attribute: 'n', is: '<=', value: 4 }, false],
    [{ attribute: 'n', is: '>', value: 4 }, true],
    [{ attribute: 'n', is: '<>', value: 5 }, false],
    [{ attribute: 'n', is: '<>', value: 4 }, true],
    [{ attribute: 's', isOneOf: ['a', 'b'] }, true],
    [{ all: [{ absent: 'x' }, { attribute: 's', isOneOf: ['c'] }] }, false],
    [{ all: [{ all: [{ any: [{ present: 's' }] }] }, { any: [{ all: [{ absent: 'x' }] }] }] }, true],
    [{ any: [{ present: 'x' }, { attribute: 's', is: '=', value: 'a' }] }, true],
  ] as const)('%j holds: %s', async (condition, holds) => {
    const table = open();
    await table.put({ ...keyOf(), n: 5, s: 'a' }, SEED);
    const outcome = await table.update(keyOf(), { set: { seen: true } }, { condition, writer: 'w' });
    expect(outcome.applied).toBe(holds);
    expect(outcome.item).toMatchObject({ n: 5, s: 'a' });
  });

  it('reads the item if the rejection lacks it, unless it is not needed', async () => {
    const table = open();
    await table.put(keyOf(), SEED);
    faulty.proxy.inject({ kind: 'no-old-item' });
    const condition = { absent: 'pk' };
    expect(await table.put(keyOf(), { condition, writer: 'w' })).toMatchObject({ applied: false, item: keyOf() });
    expect(await table.put(keyOf(), { condition, writer: 'w', reread: false })).toEqual({
      applied: false,
      item: undefined,
      retried: false,
    });
    expect(faulty.proxy.operations).toEqual(['PutItem', 'PutItem', 'GetItem', 'PutItem']);
  });
});

describe('a lost response to a write', () => {
  const lose = (operation: string) => faulty.proxy.inject({ kind: 'lost-answer' }, { operation, times: 1 });

  it('is known again by its writer', async () => {
    const table = open();
    const condition = { absent: 'pk' };
    lose('PutItem');
    expect(await table.put({ ...keyOf(), n: 1 }, { condition, writer: 'w1' })).toEqual({
      applied: true,
      item: undefined,
      repeated: true,
    });
    lose('UpdateItem');
    const changes = { add: { n: 1 } };
    const once = { attribute: 'n', is: '=', value: 1 } as const;
    expect(await table.update(keyOf(), changes, { condition: once, writer: 'w2' })).toMatchObject({
      applied: true,
      item: { n: 2, w: 'w2' },
      repeated: true,
    });
  });

  it('is not sent again where an update is sent once', async () => {
    const table = open();
    const changes = { add: { n: 1 } };
    lose('UpdateItem');
    await expect(table.update(keyOf(), changes, { once: true, writer: 'w' })).rejects.toMatchObject({
      transient: true,
    });
    expect(faulty.proxy.operations).toEqual(['UpdateItem']);
    expect(await table.get(keyOf(), { consistent: true })).toMatchObject({ n: 1 });
    lose('UpdateItem');
    // A condition that does not recognize the repetition: the update is applied twice.
    await table.update(keyOf(), changes, SEED);
    expect(await table.get(keyOf(), { consistent: true })).toMatchObject({ n: 3 });
  });

  it('is known again when up to two others came between it and its repetition', async () => {
    const table = open();
    await table.put({ ...keyOf(), n: 0 }, { ...SEED, writer: 'w0' });
    for (const [others, known] of [
      [2, true],
      [3, false],
    ] as const) {
      const { item } = await table.update(keyOf(), { set: { n: 0 } }, SEED);
      expect(item).toMatchObject({ n: 0 });
      const between = async () => {
        for (let other = 0; other < others; other += 1) {
          await table.update(keyOf(), { add: { n: 1 } }, { writer: `o${others}${other}`, history: true });
        }
      };
      const once = { attribute: 'n', is: '=', value: 0 } as const;
      const lost = { kind: 'lost-answer', meanwhile: between } as const;
      faulty.proxy.inject(lost, { operation: 'UpdateItem', times: 1 });
      const outcome = await table.update(
        keyOf(),
        { add: { n: 1 } },
        { condition: once, writer: `mine${others}`, history: true },
      );
      expect(outcome.applied).toBe(known);
    }
  });

  it('is recognized in a transaction, even if the server discarded its token', async () => {
    const table = open();
    await table.put({ ...keyOf(), n: 1 }, SEED);
    lose('TransactWriteItems');
    const change = {
      key: keyOf(),
      changes: { add: { n: 1 } },
      condition: { attribute: 'n', is: '=', value: 1 },
    } as const;
    expect(await table.transact([{ ...change, writer: 'w5' }])).toMatchObject({ applied: true });
    expect(await table.transact([{ ...change, writer: 'w5' }])).toEqual({ applied: true, repeated: true });
    expect(await table.transact([{ ...change, writer: 'w6' }])).toMatchObject({
      applied: false,
      refusals: [{ held: false, item: { n: 2, w: 'w5' } }],
    });
  });

  it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'a transaction that was cancelled for %s may pass later',
    async (Code) => {
      const body = { CancellationReasons: [{ Code: 'None' }, { Code }] };
      faulty.proxy.inject({ kind: 'error', status: 400, type: 'TransactionCanceledException', body });
      await expect(open().transact([{ key: keyOf(), changes: { add: { n: 1 } } }])).rejects.toMatchObject({
        transient: true,
      });
    },
  );

  it('is distinguished from an equal write of another caller', async () => {
    const table = open();
    await table.put({ ...keyOf(), n: 1 }, { ...SEED, writer: 'theirs' });
    const refused = await table.put({ ...keyOf(), n: 1 }, { condition: { absent: 'pk' }, writer: 'ours' });
    expect(refused).toMatchObject({ applied: false, item: { w: 'theirs' }, retried: false });
  });

  it('reports an earlier attempt of a removal', async () => {
    const table = open();
    await table.put(keyOf(), SEED);
    lose('DeleteItem');
    expect(await table.remove(keyOf(), { condition: { present: 'pk' } })).toEqual({
      applied: false,
      item: undefined,
      retried: true,
    });
  });
});

describe('a lost response to a write, and others write before the retry', () => {
  const loseWhile = (operation: string, meanwhile: () => Promise<unknown>) =>
    faulty.proxy.inject({ kind: 'lost-answer', meanwhile }, { operation, times: 1 });
  const other = (name: string) => ({ writer: name, history: true }) as const;

  it('is applied once: an update without a condition, after up to two others', async () => {
    const table = open();
    loseWhile('UpdateItem', async () => {
      await table.update(keyOf(), { set: { owner: 'second' } }, other('w2'));
      await table.update(keyOf(), { add: { n: 1 } }, other('w3'));
    });
    expect(await table.update(keyOf(), { set: { owner: 'first' }, add: { n: 1 } }, other('w1'))).toMatchObject({
      applied: true,
      repeated: true,
      item: { owner: 'second', n: 2 },
    });
  });

  it('is applied once: a transaction of one write id, even without the token of the SDK', async () => {
    const table = open();
    const change = { key: keyOf(), changes: { add: { n: 1 } }, writer: 'w1' };
    await table.transact([change]);
    await table.update(keyOf(), { add: { n: 1 } }, other('w2'));
    expect(await table.transact([change])).toEqual({ applied: true, repeated: true });
    expect(await table.get(keyOf(), { consistent: true })).toMatchObject({ n: 2 });
  });

  it('is sent once: a removal with `once`', async () => {
    const table = open();
    await table.put(keyOf(), SEED);
    loseWhile('DeleteItem', () => table.put({ ...keyOf(), n: 2 }, SEED));
    await expect(table.remove(keyOf(), { once: true })).rejects.toMatchObject({ transient: true });
    expect(await table.get(keyOf(), { consistent: true })).toMatchObject({ n: 2 });
  });
});

describe('a transaction with a check', () => {
  it.each([
    ['true', 1, true],
    ['false', 2, false],
  ])('does not change the checked item: %s', async (_, value, applied) => {
    const table = open();
    await table.put({ ...keyOf('checked'), n: 1 }, SEED);
    const outcome = await table.transact([
      { key: keyOf(), changes: { set: { n: 7 } }, writer: 'w1' },
      { key: keyOf('checked'), condition: { attribute: 'n', is: '=', value } },
    ]);
    expect(outcome.applied).toBe(applied);
    expect((await table.get(keyOf(), { consistent: true }))?.n).toBe(applied ? 7 : undefined);
    expect(await table.get(keyOf('checked'), { consistent: true })).toEqual({ ...keyOf('checked'), n: 1, w: 'seed' });
  });
});

describe('a query', () => {
  it.each([
    [{}, ['a', 'b', 'c'], false],
    [{ newestFirst: true }, ['c', 'b', 'a'], false],
    [{ limit: 2 }, ['a', 'b'], true],
    [{ start: keyOf('a') }, [], false],
    [{ sort: { name: 'sk', from: 'a', to: 'b' } }, ['a', 'b'], false],
    [{ sort: { name: 'sk', after: 'a' } }, ['b', 'c'], false],
  ])('%j reads %j', async (query, expected, more) => {
    const table = open();
    for (const sk of ['a', 'b', 'c']) await table.put(keyOf(sk), SEED);
    const start = 'start' in query ? { start: keyOf('c') } : {};
    const page = await table.query({
      partition: { name: 'pk', value: `p${count}` },
      consistent: true,
      ...query,
      ...start,
    });
    expect(page.items.map(({ sk }) => sk)).toEqual(expected);
    expect(page.more).toBe(more);
  });
});

describe('many keys', () => {
  it('are read in one request, and absent items are omitted', async () => {
    const table = open();
    await table.put(keyOf('a'), SEED);
    expect(await table.getMany([keyOf('a'), keyOf('missing')])).toEqual([expect.objectContaining(keyOf('a'))]);
    expect(await table.getMany([])).toEqual([]);
  });

  it('are read without waiting for a clock when the table leaves none out', async () => {
    const table = open({ clock: new ManualClock() });
    await table.put(keyOf('a'), SEED);
    expect(await table.getMany([keyOf('a')])).toHaveLength(1);
  });

  it('are called for again when a busy table leaves some out, four times in all', async () => {
    const table = open();
    await table.put(keyOf('a'), SEED);
    const busy = unprocessedKeys(faulty.name, [{ pk: { S: `p${count}` }, sk: { S: 'a' } }]);
    faulty.proxy.inject(busy, { operation: 'BatchGetItem', times: 3 });
    expect(await table.getMany([keyOf('a')])).toHaveLength(1);
    faulty.proxy.clear();
    faulty.proxy.inject(busy, { operation: 'BatchGetItem' });
    await expect(table.getMany([keyOf('a')])).rejects.toMatchObject({ transient: true });
    expect(faulty.proxy.operations).toEqual(Array(4).fill('BatchGetItem'));
  });

  it('are fetched again only after a wait', async () => {
    const waits: number[] = [];
    const clock = new (class extends ManualClock {
      override after(ms: number, run: () => void): () => void {
        waits.push(ms);
        return super.after(ms, run);
      }
    })();
    const table = open({ clock });
    await table.put(keyOf('a'), SEED);
    waits.length = 0;
    const busy = unprocessedKeys(faulty.name, [{ pk: { S: `p${count}` }, sk: { S: 'a' } }]);
    faulty.proxy.inject(busy, { operation: 'BatchGetItem' });
    const read = table.getMany([keyOf('a')]);
    // The deadline of the whole read is the first timer.
    for (let waited = 1; waited <= 3; waited += 1) {
      while (waits.length <= waited) await nextTurn();
      expect(faulty.proxy.operations.filter((name) => name === 'BatchGetItem')).toHaveLength(waited);
      expect(waits[waited]).toBeLessThan(50 * 2 ** waited);
      if (waited === 3) faulty.proxy.clear();
      await clock.advance(50 * 2 ** waited);
    }
    expect(await read).toHaveLength(1);
  });
});

describe('a table that fails', () => {
  it.each(STORE_FAULTS)('rejects every call in time and reports whether it is transient: $name', async (given) => {
    const clock = new ManualClock();
    const table = open(given.hangs ? { clock } : {});
    await table.open();
    faulty.proxy.inject(given.fault);
    const calls = [
      table.get(keyOf()),
      table.put(keyOf(), SEED),
      table.update(keyOf(), { set: { n: 1 } }, SEED),
      table.remove(keyOf('other'), { condition: { present: 'pk' } }),
      table.query({ partition: { name: 'pk', value: 'p' } }),
      table.getMany([keyOf()]),
    ];
    while (given.hangs && faulty.proxy.operations.length < calls.length) await nextTurn();
    await clock.advance(10_000);
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { transient: given.transient } });
      expect((outcome as PromiseRejectedResult).reason.cause).toBeDefined();
    }
    faulty.proxy.clear();
    const isWritten = async () => (await open().get(keyOf(), { consistent: true })) !== undefined;
    // An unawaited write may still be in progress; the loop ends at the test's timeout.
    while (given.applied && !(await isWritten()));
    expect(await isWritten()).toBe(given.applied);
  });

  it('rejects with the reason of a caller that gives up, and sends nothing if aborted before', async () => {
    const table = open();
    faulty.proxy.inject({ kind: 'silence' });
    const controller = new AbortController();
    const pending = table.get(keyOf(), { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    faulty.proxy.clear();
    await expect(table.get(keyOf(), { signal: controller.signal })).rejects.toThrow('enough');
    expect(faulty.proxy.operations).toEqual([]);
  });

  it('is not waited for when the client ignores the signal', async () => {
    const deaf = { send: () => new Promise(() => {}) } as never;
    await expect(open({ client: deaf, timeoutMs: 20 }).get(keyOf())).rejects.toMatchObject({ transient: true });
  });

  /** True if a call without a response fails after this time, and not before. */
  const takes = async (table: DynamoTable, clock: ManualClock, ms: number) => {
    faulty.proxy.inject({ kind: 'silence' }, { times: 1 });
    let settled = false;
    const call = table.get(keyOf()).finally(() => {
      settled = true;
    });
    const rejected = expect(call).rejects.toMatchObject({ transient: true });
    await clock.advance(ms - 1);
    const early = settled;
    await clock.advance(1);
    await rejected;
    return !early;
  };

  it('allows more time for the first answer of a cold environment only', async () => {
    const clock = new ManualClock();
    const table = open({ clock, timeoutMs: 20, coldTimeoutMs: 500 });
    await table.ready();
    expect(await takes(table, clock, 500)).toBe(true);
    expect(await takes(table, clock, 500)).toBe(true);
    await table.warm();
    expect(faulty.proxy.operations).toEqual(['GetItem', 'GetItem', 'GetItem']);
    expect(await takes(table, clock, 20)).toBe(true);
  });

  it.each<[string, Fault, number]>([
    ['a rejection', { kind: 'error', status: 400, type: 'ValidationException' }, 20],
    ['a connection that is reset', { kind: 'reset' }, 500],
  ])('treats a failure as the first answer only if the server sent it: %s', async (_, fault, ms) => {
    const clock = new ManualClock();
    const table = open({ clock, timeoutMs: 20, coldTimeoutMs: 500 });
    faulty.proxy.inject(fault);
    await expect(table.get(keyOf())).rejects.toThrow('store failed');
    faulty.proxy.clear();
    expect(await takes(table, clock, ms)).toBe(true);
  });

  it.each([[undefined], [null], ['text'], [5]])(
    'keeps %p, with which a client rejects, as the cause',
    async (thrown) => {
      const table = open({ client: { send: () => Promise.reject(thrown) } as never });
      const calls = [
        table.get(keyOf()),
        table.put(keyOf(), SEED),
        table.update(keyOf(), { set: { n: 1 } }, SEED),
        table.remove(keyOf(), { condition: { present: 'pk' } }),
        table.query({ partition: { name: 'pk', value: 'p' } }),
        table.getMany([keyOf()]),
        table.transact([{ key: keyOf(), changes: { set: { n: 1 } } }]),
      ];
      for (const outcome of await Promise.allSettled(calls)) {
        const { reason } = outcome as PromiseRejectedResult;
        expect([reason.message, reason.cause, reason.transient]).toEqual(['store failed', thrown, false]);
      }
    },
  );

  it('keeps the answer that a call has committed to when time runs out', async () => {
    const table = open({ timeoutMs: 30 });
    const answer = await table.within(undefined, async (_requests, _signal, commit) => {
      commit('decided');
      return new Promise<string>(() => {});
    });
    expect(answer).toBe('decided');
  });
});

it('reports each answered request, rejections too, and survives a hook that throws', async () => {
  const calls: CallReport[] = [];
  const onCall = (call: CallReport) => {
    calls.push(call);
    throw new Error('hook');
  };
  const table = open({ onCall });
  await table.put(keyOf(), SEED);
  await table.put(keyOf(), { condition: { absent: 'pk' }, writer: 'w' });
  faulty.proxy.inject({ kind: 'lost-answer' }, { times: 1 });
  await table.get(keyOf());
  expect(calls).toEqual([
    { operation: 'PutItem', attempts: 1 },
    { operation: 'PutItem', attempts: 1 },
    { operation: 'GetItem', attempts: 2 },
  ]);
});

describe('what a read costs', () => {
  it.each<[string, (table: DynamoTable) => Promise<unknown>, number]>([
    ['get', (table) => table.get(keyOf()), 0.5],
    ['get, consistent', (table) => table.get(keyOf(), { consistent: true }), 1],
    ['getMany', (table) => table.getMany([keyOf(), keyOf('b')]), 1],
    ['getMany, consistent', (table) => table.getMany([keyOf(), keyOf('b')], { consistent: true }), 2],
    ['query', (table) => table.query({ partition: { name: 'pk', value: `p${count}` } }), 0.5],
    [
      'query, consistent',
      (table) => table.query({ partition: { name: 'pk', value: `p${count}` }, consistent: true }),
      1,
    ],
    ['warm', (table) => table.warm(), 0.5],
    [
      'a write that is rejected without the item',
      (table) => table.remove(keyOf('none'), { condition: { present: 'pk' } }),
      1,
    ],
  ])('%s', async (_, read, units) => {
    const client = await createLocalClient();
    const table = open({ client });
    await table.put(keyOf(), SEED);
    await table.put(keyOf('b'), SEED);
    const counter = countCalls(client);
    await read(table);
    expect(counter.total().readUnits).toBe(units);
    client.destroy();
  });
});

describe('attributes', () => {
  it.each<[string, Item, number]>([
    ['nothing', {}, 0],
    ['an attribute without a value', { a: undefined }, 0],
    ['a string by its bytes', { name: 'grüße' }, 4 + 7],
    ['a number', { n: 5 }, 1 + 21],
    ['a flag', { on: true }, 2 + 1],
    ['bytes', { b: new Uint8Array(10) }, 1 + 10],
    ['a list', { l: ['ab', 'é'] }, 1 + 3 + 3 + 3],
    ['an empty list', { l: [] }, 1 + 3],
    ['a map', { m: { ab: 'cd' } }, 1 + 3 + 3 + 3],
    ['several', { a: 'b', c: 'd' }, 4],
  ])('have the size of DynamoDB, or a few bytes more: %s', (_, item, size) => {
    expect(itemSize(item)).toBe(size);
  });

  it('of types that no store writes are left out when they are read', () => {
    const item = fromAttributes({
      text: { S: 't' },
      empty: { NULL: true },
      set: { SS: ['a'] },
      numbers: { NS: ['1'] },
      list: { L: [{ S: 'a' }, { N: '1' }] },
      map: { M: { a: { S: 'b' }, c: { N: '1' } } },
    });
    expect({ ...item, map: { ...(item.map as object) } }).toEqual({
      text: 't',
      empty: undefined,
      set: undefined,
      numbers: undefined,
      list: ['a'],
      map: { a: 'b' },
    });
  });
});

describe('expiry', () => {
  const nowMs = 1_700_000_000_500;

  it.each([
    [1_699_999_999, true],
    [1_700_000_000, true],
    [1_700_000_001, false],
    [undefined, false],
  ])('an item with ttl %p counts as absent: %s, for readers and for writers', async (ttl, expired) => {
    expect(isPastTtl({ ttl }, nowMs)).toBe(expired);
    const table = open();
    await table.put({ ...keyOf(), ttl }, SEED);
    const claim = await table.update(keyOf(), { set: { seen: 1 } }, { condition: notPastTtl(nowMs), writer: 'w' });
    expect(claim.applied).toBe(!expired);
    const taken = await table.put(keyOf(), { condition: absentOrPastTtl(nowMs), writer: 'w2' });
    expect(taken.applied).toBe(expired);
  });

  it('is rounded up, so that nothing expires early', () => {
    expect(ttlAt(1001)).toBe(2);
    expect(ttlAt(2000)).toBe(2);
  });
});
