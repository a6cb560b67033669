import { dynamodbEndpoint } from '@sallyport/dynamodb-local';
import type { AwsCall } from '../src/internal/journal/journal.js';
import { beginStream } from '../src/internal/services/dynamodb/change-log.js';
import { callEngine } from '../src/internal/services/dynamodb/engine-client.js';
import { TablePast } from '../src/internal/services/dynamodb/table-past.js';
import { writtenItems } from '../src/internal/services/dynamodb/writes.js';

/** The engine starts in two seconds, on a busy machine in twenty. */

let endpoint: string;
let past: TablePast;
let table: string;
let tableNumber = 0;

beforeAll(async () => {
  endpoint = await dynamodbEndpoint();
});

beforeEach(async () => {
  tableNumber += 1;
  table = `past-${process.pid}-${tableNumber}`;
  past = new TablePast(Date.now);
  await callEngine(endpoint, 'DynamoDB.CreateTable', {
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
  if (await beginStream(endpoint, table)) past.begin(table);
});

const item = (id: string, n: number) => ({ id: { S: id }, n: { N: String(n) } });
const key = (id: string) => ({ id: { S: id } });

/** A call as the port passes it on and as the journal has it. */
async function call(operation: string, input: object): Promise<AwsCall> {
  const at = Date.now();
  await callEngine(endpoint, `DynamoDB.${operation}`, input);
  past.note(operation, input);
  return {
    at,
    ms: Date.now() - at,
    service: 'dynamodb',
    operation,
    resource: table,
    status: 200,
    error: null,
    input,
    output: {},
  };
}

const put = (id: string, n: number) => call('PutItem', { TableName: table, Item: item(id, n) });
const add = (id: string, by: number) =>
  call('UpdateItem', {
    TableName: table,
    Key: key(id),
    UpdateExpression: 'ADD n :by',
    ExpressionAttributeValues: { ':by': { N: String(by) } },
  });
const remove = (id: string) => call('DeleteItem', { TableName: table, Key: key(id) });

/** Item before and after each write, in a short form. */
async function images(...awsCalls: readonly AwsCall[]) {
  const writes = await past.writesOf({ awsCalls: [...awsCalls] }, endpoint);
  const short = (image: unknown) => (image as ReturnType<typeof item> | null)?.n.N ?? null;
  return writes.map(({ call: index, isChanged, before, after }) => [index, isChanged, short(before), short(after)]);
}

test('each write of an item has the item before and after it', async () => {
  const calls = [await put('a', 1), await put('a', 2), await add('a', 5), await remove('a'), await put('a', 9)];
  expect(await images(...calls)).toEqual([
    [0, true, null, '1'],
    [1, true, '1', '2'],
    [2, true, '2', '7'],
    [3, true, '7', null],
    [4, true, null, '9'],
  ]);
});

test('a write that changes nothing is shown as such, and is not confused with the next write', async () => {
  const calls = [await put('a', 1), await put('a', 1), await remove('none'), await put('a', 2)];
  expect(await images(...calls)).toEqual([
    [0, true, null, '1'],
    [1, false, null, null],
    [2, false, null, null],
    [3, true, '1', '2'],
  ]);
});

test('an update that sets an attribute to its value is not confused with the next write', async () => {
  const set = (name: string, value: string) =>
    call('UpdateItem', {
      TableName: table,
      Key: key('a'),
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': { N: value } },
    });
  const calls = [await set('n', '1'), await set('n', '1'), await set('m', '1'), await set('n', '2')];
  expect(await images(...calls)).toEqual([
    [0, true, null, '1'],
    [1, false, null, null],
    [2, true, '1', '1'],
    [3, true, '1', '2'],
  ]);
});

test('each item of a batch and of a transaction has its change', async () => {
  await put('old', 3);
  const batch = await call('BatchWriteItem', {
    RequestItems: { [table]: [{ PutRequest: { Item: item('new', 1) } }, { DeleteRequest: { Key: key('old') } }] },
  });
  const transaction = await call('TransactWriteItems', {
    TransactItems: [
      { Put: { TableName: table, Item: item('new', 4) } },
      { Put: { TableName: table, Item: item('more', 1) } },
    ],
  });
  expect(await images(batch, transaction)).toEqual([
    [0, true, null, '1'],
    [0, true, '3', null],
    [1, true, '1', '4'],
    [1, true, null, '1'],
  ]);
});

test('a call that failed, and a call whose input the journal does not keep, have no items', async () => {
  const written = await put('a', 1);
  const failed = { ...written, error: 'ConditionalCheckFailedException' };
  expect(await images(failed, { ...written, input: 'the beginning …' })).toEqual([]);
});

test('a table at a time has the items of that time, and marks the items that changed since', async () => {
  await put('kept', 1);
  await put('changed', 1);
  await put('deleted', 1);
  const { at, ms } = await add('changed', 1);
  const then = at + ms;
  // The next change is in another millisecond.
  while (Date.now() <= then) await new Promise(setImmediate);
  await add('changed', 10);
  await remove('deleted');
  await put('new', 1);
  const shown = await past.at(table, then, endpoint);
  const ids = shown.items.map((one) => [
    (one.item as ReturnType<typeof item>).id.S,
    (one.item as ReturnType<typeof item>).n.N,
    one.isChanged,
  ]);
  expect(ids.sort()).toEqual([
    ['changed', '2', true],
    ['deleted', '1', true],
    ['kept', '1', false],
  ]);
  expect(shown).toMatchObject({ created: 1, isPartial: false });
});

test('a time before the stream of the table is not known', async () => {
  await expect(past.at(table, Date.now() - 60_000, endpoint)).rejects.toThrow(expect.failure('local.not_found', table));
});

test.each([
  ['GetItem', { TableName: 't', Key: { id: { S: '1' } } }, []],
  ['PutItem', 'an input that is too long', []],
  [
    'UpdateItem',
    { TableName: 't', Key: { id: { S: '1' } } },
    [{ table: 't', type: 'update', value: { id: { S: '1' } } }],
  ],
  [
    'BatchWriteItem',
    { RequestItems: { t: 'x', u: [{ PutRequest: { Item: { id: { S: '1' } } } }] } },
    [{ table: 'u', type: 'put', value: { id: { S: '1' } } }],
  ],
  [
    'TransactWriteItems',
    { TransactItems: [{ ConditionCheck: {} }, { Delete: { TableName: 't', Key: { id: { S: '1' } } } }] },
    [{ table: 't', type: 'delete', value: { id: { S: '1' } } }],
  ],
])('the items that %s with %j writes', (operation, input, expected) => {
  expect(writtenItems(operation, input)).toEqual(expected);
});
