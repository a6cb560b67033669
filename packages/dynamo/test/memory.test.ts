import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { type Condition, DynamoTable, type Item, type ItemTable, MemoryTable } from '@sallyport/dynamo';
import { createLocalClient, createTable } from '@sallyport/dynamodb-local';

const SCHEMA = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
} as const;

let client: DynamoDBClient;

beforeAll(async () => {
  client = await createLocalClient();
});
afterAll(() => client.destroy());

async function emptyTable(): Promise<ItemTable> {
  const tableName = await createTable(client, SCHEMA);
  const toError = (cause: unknown) => new Error('failed', { cause });
  return new DynamoTable({ tableName, client, clock: completeClock(systemClock), timeoutMs: 10_000, toError });
}

const key = { pk: 'p', sk: 'a' };
/** Options of a write whose condition is always true. */
const SEED = { condition: { absent: 'never' }, writer: 'seed' } as const;

const CONDITIONS: readonly Condition[] = [
  { absent: 'n' },
  { absent: 'x' },
  { present: 'n' },
  { present: 'x' },
  ...(['=', '<>', '<=', '>'] as const).flatMap((is) => [4, 5, 6].map((value) => ({ attribute: 'n', is, value }))),
  ...(['=', '<>', '<=', '>'] as const).map((is) => ({ attribute: 'x', is, value: 5 })),
  ...(['=', '<>', '<=', '>'] as const).map((is) => ({ attribute: 'n', is, value: 'a' })),
  ...(['=', '<>', '<=', '>'] as const).map((is) => ({ attribute: 's', is, value: 'a' })),
  { attribute: 's', isOneOf: ['a', 'b'] },
  { attribute: 's', isOneOf: ['b'] },
  { attribute: 'x', isOneOf: ['a'] },
];

/** Each experiment uses a table and returns its observations, which must be equal for the in-memory table and DynamoDB. */
const EXPERIMENTS: Readonly<Record<string, (table: ItemTable) => Promise<unknown>>> = {
  'a put over nothing, over an item, and refused': async (table) => [
    await table.put({ ...key, n: 1 }, SEED),
    await table.put({ ...key, n: 2 }, { condition: { attribute: 'n', is: '=', value: 1 }, writer: 'w2' }),
    await table.put({ ...key, n: 3 }, { condition: { absent: 'pk' }, writer: 'w3' }),
    await table.get(key, { consistent: true }),
  ],
  'an update that counts, sets, keeps and removes': async (table) => [
    await table.put({ ...key, n: 1, gone: 'x', kept: 'old' }, SEED),
    await table.update(
      key,
      {
        set: { a: 'b' },
        setIfAbsent: { kept: 'new', fresh: 'f' },
        add: { n: 2, m: 3 },
        remove: ['gone'],
      },
      SEED,
    ),
    await table.update(key, { count: { c: { from: 5, by: 1 }, n: { from: 0, by: 1 } } }, SEED),
  ],
  'an update that creates, and one that is refused': async (table) => [
    await table.update({ pk: 'p', sk: 'new' }, { set: { a: 'b' } }, { writer: 'w1', history: true }),
    await table.update({ pk: 'p', sk: 'none' }, { set: { a: 'b' } }, { condition: { present: 'pk' }, writer: 'w2' }),
  ],
  'a write that is tried again': async (table) => [
    await table.put({ ...key, n: 1 }, { condition: { absent: 'pk' }, writer: 'one' }),
    await table.put({ ...key, n: 1 }, { condition: { absent: 'pk' }, writer: 'one' }),
    await table.update(key, { set: { n: 2 } }, { condition: { absent: 'pk' }, writer: 'one' }),
    await table.update(key, { set: { n: 2 } }, { condition: { absent: 'pk' }, writer: 'other' }),
  ],
  'updates that keep the ids of the two writes before': async (table) => [
    await table.put({ ...key, n: 1 }, SEED),
    await table.update(key, { add: { n: 1 } }, { writer: 'one', history: true }),
    await table.update(key, { add: { n: 1 } }, { writer: 'two', history: true }),
    await table.update(key, { add: { n: 1 } }, { writer: 'three', history: true }),
    await table.update(key, { add: { n: 1 } }, { writer: 'one', history: true }),
    await table.update(key, { add: { n: 1 } }, { ...SEED, writer: 'four' }),
  ],
  'a transaction, and one of which a condition refuses all': async (table) => {
    await table.put({ ...key, n: 1 }, SEED);
    const other = { pk: 'p', sk: 'other' };
    const both = (value: number) =>
      [
        { key, changes: { add: { n: 1 } }, condition: { attribute: 'n', is: '=', value }, writer: `w${value}` },
        { key: other, changes: { set: { seen: value } } },
      ] as const;
    return [
      await table.transact(both(1)),
      await table.transact(both(3)),
      await table.transact(both(1)),
      await table.get(key, { consistent: true }),
      await table.get(other, { consistent: true }),
    ];
  },
  'a transaction with a check, and its repetition': async (table) => {
    const checked = { pk: 'p', sk: 'checked' };
    await table.put({ ...checked, n: 1 }, SEED);
    const both = (value: number) =>
      [
        { key, changes: { add: { n: 1 } }, writer: 'once' },
        { key: checked, condition: { attribute: 'n', is: '=', value } },
      ] as const;
    return [
      await table.transact(both(2)),
      await table.transact(both(1)),
      await table.transact(both(1)),
      await table.get(key, { consistent: true }),
      await table.get(checked, { consistent: true }),
    ];
  },
  'a removal of an item, of nothing, and refused': async (table) => [
    await table.put({ ...key, n: 1 }, SEED),
    await table.remove(key, { condition: { attribute: 'n', is: '>', value: 1 } }),
    await table.remove(key, { once: true }),
    await table.remove(key, { once: true }),
  ],
  'pages of a partition in both directions': async (table) => {
    for (const sk of ['b', 'é', 'a', 'Z']) await table.put({ pk: 'pages', sk }, SEED);
    const partition = { name: 'pk', value: 'pages' };
    const sort = { name: 'sk', after: 'Z' };
    return [
      await table.query({ partition, consistent: true }),
      await table.query({ partition, newestFirst: true, limit: 2 }),
      await table.query({ partition, newestFirst: true, start: { pk: 'pages', sk: 'b' } }),
      await table.query({ partition, sort }),
      await table.query({ partition, sort: { name: 'sk', from: 'a', to: 'b' } }),
    ];
  },
  'every condition on an item, and on nothing': async (table) => {
    await table.put({ ...key, n: 5, s: 'a' }, SEED);
    const outcomes: object[] = [];
    for (const condition of CONDITIONS) {
      for (const sk of ['a', 'none']) {
        const { applied } = await table.remove({ pk: 'p', sk }, { condition: { all: [condition, { present: 'x' }] } });
        const either = { any: [condition, { present: 'x' }] };
        const changed = await table.transact([{ key: { pk: 'p', sk }, condition: either }]);
        outcomes.push({ condition, sk, applied, changed: changed.applied });
      }
    }
    return outcomes;
  },
  'some attributes of an item, and of nothing': async (table) => [
    await table.put({ ...key, n: 1, status: 's', other: 'x' }, SEED),
    await table.get(key, { consistent: true, attributes: ['status', 'n', 'none'] }),
    await table.get(key, { consistent: true, attributes: ['none'] }),
    (await table.get({ pk: 'p', sk: 'none' }, { attributes: ['n'] })) ?? 'absent',
  ],
  'many items, also absent ones': async (table) => {
    await table.put({ pk: 'many', sk: 'a' }, SEED);
    await table.put({ pk: 'many', sk: 'b' }, SEED);
    const found = await table.getMany(['a', 'b', 'none'].map((sk) => ({ pk: 'many', sk })));
    return found.map(({ sk }: Item) => sk).sort();
  },
};

describe('a table in memory', () => {
  it.each(Object.entries(EXPERIMENTS))('answers as DynamoDB does: %s', async (_name, experiment) => {
    expect(plain(await experiment(new MemoryTable()))).toEqual(plain(await experiment(await emptyTable())));
  });

  it('counts its items', async () => {
    const table = new MemoryTable();
    await table.put(key, SEED);
    await table.put({ pk: 'p', sk: 'b' }, SEED);
    await table.remove(key, { once: true });
    expect(table.size).toBe(1);
  });

  it('orders rows of an index with the same sort key by table key, and pages end between them', async () => {
    const table = new MemoryTable();
    for (const pk of ['b', 'a']) for (const sk of ['2', '1']) await table.put({ pk, sk, group: 'g', at: 't' }, SEED);
    const query = { index: 'by-group', partition: { name: 'group', value: 'g' }, sort: { name: 'at', after: '' } };
    for (const [newestFirst, expected] of [
      [false, ['a1', 'a2', 'b1', 'b2']],
      [true, ['b2', 'b1', 'a2', 'a1']],
    ] as const) {
      const read: string[] = [];
      let start: Item | undefined;
      for (let more = true; more; ) {
        const page = await table.query({ ...query, newestFirst, limit: 1, ...(start && { start }) });
        read.push(...page.items.map(({ pk, sk }) => `${pk}${sk}`));
        start = page.items.at(-1);
        more = page.more;
      }
      expect(read).toEqual(expected);
    }
  });

  it('returns copies', async () => {
    const table = new MemoryTable();
    await table.put({ ...key, n: 1 }, SEED);
    Object.assign((await table.get(key)) as object, { n: 2 });
    expect(await table.get(key)).toEqual({ ...key, n: 1, w: 'seed' });
  });
});

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
