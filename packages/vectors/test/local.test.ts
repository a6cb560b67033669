import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalEmbedder, createLocalVectorStore, type LocalVectorStoreOptions } from '@sallyport/vectors/local';
import { hasSqlite } from './support/sqlite.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vectors-'));
  path = join(folder, 'notes.vectors');
});

afterEach(() => rmSync(folder, { recursive: true }));

const RECORD = { key: 'a', data: [1, 2, 3], metadata: { text: 'ü', list: [1, true] } };
const open = (options: Partial<LocalVectorStoreOptions> = {}) =>
  createLocalVectorStore({ dimension: 3, path, ...options });

(hasSqlite ? describe : describe.skip)('a store with a path', () => {
  it('still has its records after closing and opening', async () => {
    const store = open();
    await store.put({ records: [RECORD] });
    store.close();
    const again = open();
    const { records } = await again.get({ keys: ['a'] });
    expect(records).toEqual([{ ...RECORD, data: Float32Array.of(1, 2, 3) }]);
    expect(again.size).toBe(1);
    again.close();
  });

  it('shows another process what was put, without being closed', async () => {
    const store = open();
    await store.put({ records: [RECORD] });
    const program = `
      import { createLocalVectorStore } from '@sallyport/vectors/local';
      const store = createLocalVectorStore({ dimension: 3, path: ${JSON.stringify(path)} });
      console.log(JSON.stringify(await store.query({ vector: [1, 2, 3] })));`;
    const flags = [
      '--conditions=@sallyport/source',
      '--import',
      'tsx',
      '--input-type=module',
      '--no-warnings',
      '-e',
      program,
    ];
    const printed = execFileSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual([{ key: 'a', distance: 0 }]);
    store.close();
  });

  it.each([
    [{ dimension: 4 }, 'vectorstore: the file of the option "path" has the dimension 3, not 4'],
    [
      { metric: 'euclidean' as const },
      'vectorstore: the file of the option "path" has the metric cosine, not euclidean',
    ],
  ])('rejects a file that was made with other settings: %j', (options, message) => {
    open().close();
    expect(() => open(options)).toThrow(expect.failure('vectorstore.invalid_config', message));
  });

  it('rejects a file that is not a database, and one of another program, and changes neither', async () => {
    writeFileSync(path, 'notes, and no database at all; longer than the header of one would be ......................');
    expect(() => open()).toThrow(expect.objectContaining({ code: 'vectorstore.invalid_config' }));
    const other = join(folder, 'other.db');
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
      DatabaseSync: new (
        path: string,
      ) => { exec(sql: string): void; close(): void; prepare(sql: string): { all(): unknown[] } };
    };
    const database = new DatabaseSync(other);
    database.exec('CREATE TABLE theirs (a)');
    expect(() => open({ path: other })).toThrow('another program');
    expect(database.prepare('SELECT name FROM sqlite_master').all()).toMatchObject([{ name: 'theirs' }]);
    database.close();
  });

  it('rejects a path in a folder that does not exist', () => {
    expect(() => open({ path: join(folder, 'none', 'a.vectors') })).toThrow(
      expect.objectContaining({ code: 'vectorstore.invalid_config' }),
    );
  });

  it('writes no part of a request that would exceed its size', async () => {
    const store = open({ maxVectors: 2 });
    const records = ['a', 'b', 'c'].map((key) => ({ ...RECORD, key }));
    await expect(store.put({ records })).rejects.toMatchObject({ code: 'vectorstore.unavailable', retryable: false });
    expect(store.size).toBe(0);
    store.close();
  });

  it('is unavailable after it was closed', async () => {
    const store = open();
    store.close();
    store.close();
    await expect(store.get({ keys: ['a'] })).rejects.toMatchObject({
      code: 'vectorstore.unavailable',
      retryable: false,
    });
  });

  it('creates no file for wrong options', () => {
    expect(() => open({ dimension: 0 })).toThrow('dimension must be positive');
    expect(existsSync(path)).toBe(false);
  });
});

(hasSqlite ? it.skip : it)('a path needs a Node with node:sqlite', () => {
  expect(() => open()).toThrow(expect.objectContaining({ code: 'vectorstore.unsupported_operation' }));
});

it.each(['memory', ...(hasSqlite ? ['a file'] : [])])(
  'a store in %s is full at maxVectors, and accepts replacements and vectors that fit',
  async (place) => {
    const store = createLocalVectorStore({ dimension: 3, maxVectors: 2, ...(place === 'a file' && { path }) });
    await store.put({ records: [RECORD, { ...RECORD, key: 'b' }] });
    await store.put({ records: [RECORD] });
    await expect(store.put({ records: [RECORD, { ...RECORD, key: 'c' }] })).rejects.toMatchObject({
      code: 'vectorstore.unavailable',
      message: 'vectorstore: the local store is full: maxVectors is 2',
    });
    expect(store.size).toBe(2);
    await store.delete({ keys: ['b'] });
    await store.put({ records: [{ ...RECORD, key: 'c' }] });
    expect((await store.get({ keys: ['a', 'b', 'c'] })).missing).toEqual(['b']);
    store.close();
  },
);

it('a store in memory is empty after it was closed', async () => {
  const store = createLocalVectorStore({ dimension: 3 });
  await store.put({ records: [RECORD] });
  store.close();
  expect(store.size).toBe(0);
});

it('hits of the same distance come in the order of their keys', async () => {
  const store = createLocalVectorStore({ dimension: 3 });
  await store.put({ records: ['c', 'a', 'b'].map((key, at) => ({ key, data: [at + 1, 0, 0] })) });
  expect((await store.query({ vector: [5, 0, 0] })).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
});

describe('the local embedder', () => {
  const distance = async (left: string, right: string) => {
    const embedder = createLocalEmbedder();
    const store = createLocalVectorStore({ dimension: embedder.dimensions });
    await store.put({ records: [{ key: 'left', data: await embedder.embed(left) }] });
    return (await store.query({ vector: await embedder.embed(right) }))[0]?.distance ?? Number.NaN;
  };

  it('returns the same vector, of length 1, for the same text', async () => {
    const [first, second] = await createLocalEmbedder({ dimensions: 8 }).embedBatch(['Buy milk', ' Buy milk ']);
    expect(first).toEqual(second);
    expect(first).toHaveLength(8);
    expect(Math.hypot(...(first ?? []))).toBeCloseTo(1, 6);
  });

  it('returns near vectors for strings that share words or parts of words', async () => {
    expect(await distance('buy milk and bread', 'milk')).toBeLessThan(await distance('repair the bicycle', 'milk'));
    expect(await distance('notes', 'note')).toBeLessThan(await distance('bicycle', 'note'));
  });

  it.each(['!?', '😀', 'a'])('returns a vector that can be stored for %p', async (text) => {
    expect(Math.hypot(...(await createLocalEmbedder({ dimensions: 8 }).embed(text)))).toBeCloseTo(1, 6);
  });

  it.each(['', ' ', undefined])('rejects %p', async (text) => {
    await expect(createLocalEmbedder().embed(text as string)).rejects.toMatchObject({
      code: 'vectorstore.invalid_input',
    });
  });
});
