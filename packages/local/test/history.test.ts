import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type History, type HistoryOptions, openHistory } from '../src/internal/history/history.js';
import { lastStored, openStore, type RecordStore, type StoreOptions } from '../src/internal/history/store.js';
import type { RecordChange } from '../src/internal/journal/changes.js';

let folder: string;
let notices: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-history-'));
  notices = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(options: Partial<HistoryOptions> = {}): History {
  return openHistory({ folder, reveal: false, failuresOf: () => [], notice: (text) => notices.push(text), ...options });
}

/** The change of a new record that has ended. */
function ended(id: number, members: RecordChange['members'] = {}): RecordChange {
  const origin = { kind: 'queue', target: 'orders' };
  return { id, members: { id, requestId: `r-${id}`, origin, status: 'ok', summary: 'ok', ...members }, added: {} };
}

let number = 0;
function apply(history: History, ...records: readonly RecordChange[]): void {
  number += 1;
  history.apply({ number, records, notes: [] });
}

/** The text of all files of the folder. */
const written = () =>
  readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');

describe('the history', () => {
  it('keeps records for the next run, with their rows, events and late changes', async () => {
    const first = open();
    apply(first, ended(1, { event: { body: 'a large body' }, answer: { statusCode: 201 } }), ended(2));
    first.close();
    const second = open();
    expect(second.bounds()).toEqual({ oldest: 1, last: 2 });
    expect(lastStored(folder, 50_000)).toBe(2);
    expect(second.row(1)).toMatchObject({ id: 1, summary: 'ok' });
    expect(second.row(1)).not.toHaveProperty('event');
    expect(second.get(1)).toMatchObject({ event: { body: 'a large body' }, answer: { statusCode: 201 }, logs: [] });
    // A record of the files changes: its queue message has become a dead letter.
    const change = { at: 1, source: 'queue orders', recordId: 'm-1', state: 'dead-letter', deliveries: 3, until: null };
    apply(second, { id: 1, members: {}, added: { changes: [change] } });
    second.close();
    const third = open();
    expect(third.get(1)).toMatchObject({ event: { body: 'a large body' }, changes: [{ state: 'dead-letter' }] });
    expect(third.get(3)).toBeUndefined();
    third.close();
  });

  it.each([false, true])('writes no secret to its files, with reveal %s', (reveal) => {
    const history = open({ reveal });
    apply(history, ended(1, { event: { password: 'hunter2' } }));
    apply(history, { id: 1, members: {}, added: { logs: [{ at: 1, level: 'info', text: 'password=hunter2' }] } });
    expect(JSON.stringify(history.get(1)).includes('hunter2')).toBe(reveal);
    history.close();
    expect(written()).toContain('[REDACTED]');
    expect(written()).not.toContain('hunter2');
  });

  it('holds a limited number in memory, and finds words in memory and in files', async () => {
    const history = open();
    for (let id = 1; id <= 2000; id += 1) apply(history, ended(id, { event: { note: `word-${id}. Grüße "you"` } }));
    expect(history.bounds()).toEqual({ oldest: 1, last: 2000 });
    expect(await history.search('WORD-7.')).toEqual([7]);
    expect(await history.search('word-1999. grüße')).toEqual([1999]);
    expect(await history.search('"YOU"')).toHaveLength(2000);
    expect(await history.search('word-7. word-8.')).toEqual([]);
    expect(await history.search('#7 ok')).toHaveLength(111);
    expect(await history.search('word-7. !ok')).toEqual([]);
    expect(await history.search('word !running', 1990)).toHaveLength(11);
    expect(written().split('\n').length).toBeGreaterThan(3000);
    history.close();
  });

  it('counts records in memory among its maximum', () => {
    const history = open({ maxRecords: 10 });
    for (let id = 1; id <= 25; id += 1) apply(history, ended(id));
    expect(history.bounds()).toEqual({ oldest: 16, last: 25 });
    history.close();
  });

  it('reports the changes after a cursor, unless there are too many', () => {
    const history = open();
    apply(history, ended(1), ended(2));
    const { cursor } = history;
    expect(history.changedSince(cursor)).toEqual([]);
    apply(history, ended(3));
    apply(history, { id: 1, members: { summary: '201' }, added: {} });
    expect(history.changedSince(cursor)).toEqual([3, 1]);
    for (const unknown of ['', 'x', `${cursor}0`, '1-1']) expect(history.changedSince(unknown)).toBeUndefined();
    for (let id = 4; id <= 20_100; id += 100)
      apply(history, ...Array.from({ length: 100 }, (_, at) => ended(id + at, { status: 'running' })));
    expect(history.changedSince(cursor)).toBeUndefined();
    history.close();
  });

  it('keeps working when its folder cannot be used, and reports it once', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const history = open({ folder: join(file, 'inside') });
    for (let id = 1; id <= 1000; id += 1) apply(history, ended(id));
    expect(history.row(1000)).toMatchObject({ id: 1000 });
    expect(notices).toEqual([expect.stringContaining('(ENOTDIR): the oldest are removed')]);
    history.close();
  });
});

describe('the files', () => {
  const full: string[] = [];
  const store = (options: Partial<StoreOptions> = {}): RecordStore =>
    openStore({
      folder,
      maxRecords: 100,
      maxBytes: 1_000_000,
      fileBytes: 10_000,
      onFull: ({ code = '' }) => full.push(code),
      ...options,
    });
  const texts = (id: number, length = 100) => ({
    row: JSON.stringify({ id }),
    rest: JSON.stringify('x'.repeat(length)),
  });
  beforeEach(() => full.splice(0));

  it('keep the newest records by number', () => {
    const records = store();
    for (let id = 1; id <= 250; id += 1) records.put(id, texts(id));
    expect(records.bounds()).toEqual({ oldest: 151, last: 250 });
    expect(records.row(150)).toBeUndefined();
    expect(records.get(151)).toEqual(texts(151));
    expect(records.put(3, texts(3))).toBe(false);
    records.close();
    expect(store().bounds()).toEqual({ oldest: 151, last: 250 });
  });

  it('keep the newest records by size, and a record that is larger than a file', () => {
    const records = store({ maxBytes: 50_000 });
    for (let id = 1; id <= 30; id += 1) records.put(id, texts(id, 5_000));
    expect(records.bounds()).toEqual({ oldest: 23, last: 30 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.jsonl'))).toHaveLength(4);
    records.put(31, texts(31, 200_000));
    expect(records.get(31)).toEqual(texts(31, 200_000));
    records.close();
  });

  it('replace a record', () => {
    const records = store();
    for (const id of [1, 2, 1]) records.put(id, texts(id, id * 50));
    records.put(1, texts(1, 7));
    expect(records.get(1)).toEqual(texts(1, 7));
    records.close();
    const again = store();
    expect(again.get(1)).toEqual(texts(1, 7));
    expect(again.get(2)).toEqual(texts(2, 100));
  });

  it.each([
    ['no index', (index: string) => rmSync(index)],
    [
      'an index of another version',
      (index: string) => writeFileSync(index, 'sallyport-journal-0\nxxxxxxxxxxxxxxxxxxxx'),
    ],
    ['a truncated index', (index: string) => writeFileSync(index, readFileSync(index).subarray(0, 47))],
    ['a missing file', (index: string) => rmSync(join(index, '..', '00000001.jsonl'))],
    ['a truncated file', (index: string) => writeFileSync(join(index, '..', '00000001.jsonl'), '{')],
  ])('can be used with %s', (_, damage) => {
    const records = store();
    for (const id of [1, 2]) records.put(id, texts(id));
    records.close();
    damage(join(folder, 'index'));
    const again = store();
    expect(again.get(2)).toBeUndefined();
    again.put(3, texts(3));
    expect(again.get(3)).toEqual(texts(3));
    again.close();
  });

  it('give up the oldest records when the disk is full, and report it once', () => {
    const records = store();
    for (let id = 1; id <= 3; id += 1) records.put(id, texts(id, 20_000));
    // The next file is on a device that is always full.
    mkdirSync(folder, { recursive: true });
    symlinkSync('/dev/full', join(folder, '00000004.jsonl'));
    expect(records.put(4, texts(4))).toBe(true);
    expect(full).toEqual(['ENOSPC']);
    expect(records.get(4)).toEqual(texts(4));
    expect(records.bounds()).toMatchObject({ last: 4 });
    expect(records.row(1)).toBeUndefined();
    records.close();
  });
});
