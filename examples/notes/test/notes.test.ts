import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { runDurable } from '@sallyport/durable/testing';
import { createLocalClient } from '@sallyport/dynamodb-local';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';
import { buildTopicEvent } from '@sallyport/testkit';
import { createExports } from '../src/exports.js';
import { MemoryNotes, type NoteStore } from '../src/notes.js';
import { TableNotes } from '../src/table-notes.js';

let client: DynamoDBClient;
let tables = 0;
beforeAll(async () => {
  client = await createLocalClient();
});
afterAll(() => client.destroy());

async function createTableNotes(): Promise<TableNotes> {
  tables += 1;
  const TableName = `notes-${tables}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [
        { AttributeName: 'list', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'list', AttributeType: 'S' },
        { AttributeName: 'id', AttributeType: 'S' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  return new TableNotes(TableName, client);
}

describe.each<[string, () => NoteStore | Promise<NoteStore>]>([
  ['memory', () => new MemoryNotes()],
  ['a table', createTableNotes],
])('notes in %s', (_name, create) => {
  it('are added, changed, listed and removed', async () => {
    const notes = await create();
    const { id } = await notes.add({ title: 'Milk', text: 'one litre' }, 'ada');
    const { id: other } = await notes.add({ title: 'Tea', text: '' }, 'alan');
    expect(await notes.put(id, { title: 'Milk', text: 'two litres' }, 'ada')).toEqual({
      id,
      title: 'Milk',
      text: 'two litres',
      authorId: 'ada',
    });
    expect(await notes.get(id)).toMatchObject({ text: 'two litres' });
    expect(await notes.get('absent')).toBeUndefined();
    expect(await notes.list(1)).toHaveLength(1);
    expect(new Set((await notes.list(10)).map((note) => note.id))).toEqual(new Set([id, other]));
    expect([await notes.remove(id), await notes.remove(id), (await notes.list(10)).length]).toEqual([true, false, 1]);
  });
});

it('a list of a table has more than one page', async () => {
  const notes = await createTableNotes();
  const text = 'x'.repeat(300_000);
  for (let number = 0; number < 5; number += 1) await notes.put(`n-${number}`, { title: '', text }, 'ada');
  expect((await notes.list(10)).map(({ id }) => id).sort()).toEqual(['n-0', 'n-1', 'n-2', 'n-3', 'n-4']);
});

it('an export has the notes that another instance has written', async () => {
  const notes = await createTableNotes();
  const note = await notes.add({ title: 'Milk', text: 'one litre' }, 'ada');
  const store = createFakeObjectStore({ versioning: 'off' });
  const event = buildTopicEvent('arn:aws:sns:eu-west-1:123456789012:note-exports', [
    { message: JSON.stringify({ id: 'e-1', by: 'ada' }) },
  ]);
  const run = await runDurable(
    (env) => createExports({ notes, files: { bucket: 'files', store }, ask: () => {}, container: env.options() }),
    event,
    { environment: { FRAMEWORK_DURABLE: '1' } },
  );
  expect(run.status).toBe('SUCCEEDED');
  const { payload } = await store.get({ ref: { bucket: 'files', key: 'exports/e-1.json' }, maxBytes: 10_000 });
  expect(JSON.parse(Buffer.from(payload).toString())).toEqual([note]);
});
