import { ERROR_CODE_UNSUPPORTED_OPERATION, invalidConfig, unavailable, VectorStoreError } from '../../errors.js';
import type { KeyPage, Page, PageQuery, StoredVector, VectorBackend } from '../../store/internal/backend.js';
import type { DistanceMetric, Metadata, VectorIndexSettings } from '../../store/store.js';
import { KEYS_PER_PAGE, searchPage } from './exact-search.js';
import { storeIsFull } from './memory-backend.js';

/** Marks a file as one of this package: `PRAGMA application_id`. */
const APPLICATION_ID = 0x53_56_45_43;

/** Keys are bytes, because SQLite's strings end at a zero character. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, data BLOB NOT NULL, metadata TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)`;

/** The part of `node:sqlite` that is used. The oldest supported Node does not have this module. */
interface Database {
  readonly isOpen: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Statement {
  run(...values: readonly (string | Uint8Array | null)[]): unknown;
  get(...values: readonly (string | Uint8Array)[]): unknown;
  iterate(...values: readonly Uint8Array[]): Iterable<unknown>;
}

interface Sqlite {
  readonly DatabaseSync: new (path: string) => Database;
}

interface Row {
  readonly key: Uint8Array;
  readonly data: Uint8Array;
  readonly metadata: string | null;
}

/** Vectors in a SQLite file, with the module of Node. */
export class SqliteBackend implements VectorBackend {
  readonly #database: Database;
  readonly #metric: DistanceMetric;
  readonly #maxVectors: number;
  readonly #put: Statement;
  readonly #get: Statement;
  readonly #delete: Statement;
  readonly #all: Statement;
  readonly #list: Statement;
  readonly #count: Statement;

  /**
   * @throws VectorStoreError `vectorstore.unsupported_operation` without `node:sqlite`; `vectorstore.invalid_config` for an
   * unsuitable file
   */
  constructor(path: string, settings: VectorIndexSettings, maxVectors: number) {
    this.#database = openDatabase(path, settings);
    this.#metric = settings.metric;
    this.#maxVectors = maxVectors;
    this.#put = this.#database.prepare('INSERT OR REPLACE INTO vectors (key, data, metadata) VALUES (?, ?, ?)');
    this.#get = this.#database.prepare('SELECT key, data, metadata FROM vectors WHERE key = ?');
    this.#delete = this.#database.prepare('DELETE FROM vectors WHERE key = ?');
    this.#all = this.#database.prepare('SELECT key, data, metadata FROM vectors');
    const page = KEYS_PER_PAGE + 1;
    this.#list = this.#database.prepare(`SELECT key FROM vectors WHERE key > ? ORDER BY key LIMIT ${page}`);
    this.#count = this.#database.prepare('SELECT COUNT(*) AS count FROM vectors');
  }

  get size(): number {
    return Number((this.#count.get() as { readonly count: number }).count);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  async put(records: readonly StoredVector[]): Promise<void> {
    this.#transaction(() => {
      for (const { key, data, metadata } of records) {
        const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        this.#put.run(Buffer.from(key), bytes, metadata ? JSON.stringify(metadata) : null);
      }
      if (this.size > this.#maxVectors) throw storeIsFull(this.#maxVectors);
    });
  }

  async get(keys: readonly string[]): Promise<readonly StoredVector[]> {
    return keys.flatMap((key) => {
      const row = this.#get.get(Buffer.from(key)) as Row | undefined;
      return row ? [toStored(row)] : [];
    });
  }

  async delete(keys: readonly string[]): Promise<void> {
    this.#transaction(() => {
      for (const key of keys) this.#delete.run(Buffer.from(key));
    });
  }

  async query(query: PageQuery, from: unknown): Promise<Page> {
    return searchPage(this.#rows(), this.#metric, query, from);
  }

  async list(from: unknown): Promise<KeyPage> {
    const after = Buffer.from(from === undefined ? '' : String(from));
    const found = Array.from(this.#list.iterate(after), (row) => Buffer.from((row as Row).key).toString());
    const keys = found.slice(0, KEYS_PER_PAGE);
    return { keys, next: keys.length < found.length ? keys.at(-1) : undefined };
  }

  toError(cause: unknown): Error {
    return cause instanceof VectorStoreError ? cause : unavailable(cause, isBusy(cause));
  }

  /** Always true, because a transaction is atomic. */
  wasRefused(): boolean {
    return true;
  }

  *#rows(): Generator<StoredVector> {
    for (const row of this.#all.iterate()) yield toStored(row as Row);
  }

  #transaction(run: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      run();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

function openDatabase(path: string, settings: VectorIndexSettings): Database {
  const sqlite = process.getBuiltinModule?.('node:sqlite') as Sqlite | undefined;
  if (sqlite === undefined) {
    const message = 'a local store with a path needs node:sqlite, which Node has from 22.13 on';
    throw new VectorStoreError(ERROR_CODE_UNSUPPORTED_OPERATION, message);
  }
  let database: Database | undefined;
  try {
    database = new sqlite.DatabaseSync(path);
    database.exec('PRAGMA busy_timeout = 2000');
    assertOurs(database);
    database.exec(`${TABLES}; PRAGMA application_id = ${APPLICATION_ID}`);
    assertSettings(database, settings);
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof VectorStoreError) throw cause;
    throw invalidConfig('the file of the option "path" cannot be opened as a local vector store', cause);
  }
}

/** Rejects a database of another program before the first write. */
function assertOurs(database: Database): void {
  const { application_id: id } = database.prepare('PRAGMA application_id').get() as { application_id: number };
  const { count } = database.prepare('SELECT COUNT(*) AS count FROM sqlite_master').get() as { count: number };
  if (id !== APPLICATION_ID && count > 0) {
    throw invalidConfig('the file of the option "path" is the database of another program');
  }
}

/** Rejects a file whose vectors have another length or another metric. */
function assertSettings(database: Database, { dimension, metric }: VectorIndexSettings): void {
  const insert = database.prepare('INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)');
  const select = database.prepare('SELECT value FROM settings WHERE name = ?');
  for (const [name, wanted] of [
    ['dimension', String(dimension)],
    ['metric', metric],
  ] as const) {
    insert.run(name, wanted);
    const { value } = select.get(name) as { readonly value: string };
    if (value !== wanted) throw invalidConfig(`the file of the option "path" has the ${name} ${value}, not ${wanted}`);
  }
}

function toStored({ key, data, metadata }: Row): StoredVector {
  // A copy, because the bytes of a row may not be aligned to four bytes.
  const numbers = new Float32Array(Uint8Array.from(data).buffer);
  return { key: Buffer.from(key).toString(), data: numbers, metadata: toMetadata(metadata) };
}

function toMetadata(text: string | null): Metadata | undefined {
  return text === null ? undefined : (JSON.parse(text) as Metadata);
}

/** Another process has locked the file: `SQLITE_BUSY`, `SQLITE_LOCKED`. */
function isBusy(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return errcode === 5 || errcode === 6;
}
