import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PlaceIndex } from './place-index.js';

/** The stored form of one record. */
export interface StoredTexts {
  /** JSON of the row that lists show. */
  readonly row: string;
  /** JSON of the other members. */
  readonly rest: string;
}

/** Records in files, by their numbers. */
export interface RecordStore {
  /** The lowest and the highest number of a kept record; `undefined` without records. */
  bounds(): { readonly oldest: number; readonly last: number } | undefined;
  /** Adds a record, or replaces it. @returns false if it could not be written, not even after the oldest records were removed */
  put(id: number, texts: StoredTexts): boolean;
  row(id: number): string | undefined;
  get(id: number): StoredTexts | undefined;
  /**
   * The numbers of the records that the test accepts. Other work of the thread runs between two files.
   *
   * @param from the lowest number
   */
  find(from: number, accepts: (text: string, row: () => string) => boolean): Promise<readonly number[]>;
  close(): void;
}

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** Created if it does not exist. Files of another version are removed. */
  readonly folder: string;
  /** Maximum number of records. */
  readonly maxRecords: number;
  /** Maximum bytes of all files with records. */
  readonly maxBytes: number;
  /** A file is closed beyond this size: the oldest records are removed file by file. */
  readonly fileBytes: number;
  /** Called once, when the disk is full. */
  readonly onFull: (error: NodeJS.ErrnoException) => void;
}

const NAME = /^(\d{8})\.jsonl$/;
const NEWLINE = Buffer.from('\n');

/** Opens the records of a folder. @throws the error of the file system if the folder cannot be created or read */
export function openStore(options: StoreOptions): RecordStore {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  return new FileStore(options);
}

/** The newest number in a folder; 0 without records. */
export function lastStored(folder: string, maxRecords: number): number {
  return PlaceIndex.read(folder, maxRecords).last;
}

class FileStore implements RecordStore {
  readonly #options: StoreOptions;
  readonly #index: PlaceIndex;
  /** Number of each file → its size in bytes, oldest first. */
  readonly #sizes = new Map<number, number>();
  readonly #reading = new Map<number, number>();
  #writing: { readonly file: number; readonly descriptor: number } | undefined;
  #isFull = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    const { folder, maxRecords } = options;
    for (const file of filesOf(folder)) this.#sizes.set(file, statSync(this.#path(file)).size);
    this.#index = PlaceIndex.read(folder, maxRecords);
    this.#index.keep(({ file, at, row, rest }) => at + row + rest + 2 <= (this.#sizes.get(file) ?? 0));
    // Files without a record: of another version, or of a run that ended while it wrote.
    const used = this.#index.files();
    for (const file of this.#sizes.keys()) if (!used.has(file)) this.#removeFile(file);
  }

  bounds() {
    const { oldest, last } = this.#index;
    return this.#index.get(oldest) ? { oldest, last } : undefined;
  }

  put(id: number, { row, rest }: StoredTexts): boolean {
    if (id < this.#index.oldest && this.#index.last - this.#index.oldest + 1 >= this.#options.maxRecords) return false;
    const [first, second] = [Buffer.from(row), Buffer.from(rest)];
    const bytes = Buffer.concat([first, NEWLINE, second, NEWLINE]);
    for (;;) {
      try {
        const { file, at } = this.#write(bytes);
        this.#index.set(id, { file, at, row: first.length, rest: second.length });
        this.#limit();
        return true;
      } catch (error) {
        if (!this.#isFull) this.#options.onFull(error as NodeJS.ErrnoException);
        this.#isFull = true;
        this.#closeWriting();
        if (!this.#removeOldest()) return false;
      }
    }
  }

  row(id: number): string | undefined {
    const place = this.#index.get(id);
    return place && this.#read(place.file, place.at, place.row);
  }

  get(id: number): StoredTexts | undefined {
    const place = this.#index.get(id);
    if (!place) return undefined;
    const { file, at, row, rest } = place;
    const text = this.#bytes(file, at, row + rest + 1);
    return text && { row: text.toString('utf8', 0, row), rest: text.toString('utf8', row + 1) };
  }

  async find(from: number, accepts: (text: string, row: () => string) => boolean): Promise<readonly number[]> {
    const found: number[] = [];
    // One buffer for all files: a search must not leave the size of the history in memory.
    let buffer = Buffer.alloc(0);
    for (const file of [...this.#sizes.keys()].reverse()) {
      const places = this.#index.inFile(file).filter(({ id }) => id >= from);
      if (places.length === 0) continue;
      await new Promise(setImmediate);
      const size = this.#sizes.get(file) ?? 0;
      if (buffer.length < size) buffer = Buffer.allocUnsafe(size);
      const all = this.#bytes(file, 0, size, buffer);
      if (!all) continue;
      for (const { id, at, row, rest } of places)
        if (accepts(all.toString('utf8', at, at + row + rest + 1), () => all.toString('utf8', at, at + row)))
          found.push(id);
    }
    return found;
  }

  close(): void {
    this.#closeWriting();
    for (const descriptor of this.#reading.values()) closeSync(descriptor);
    this.#reading.clear();
    this.#index.close();
  }

  #write(bytes: Buffer): { readonly file: number; readonly at: number } {
    const newest = [...this.#sizes.keys()].at(-1) ?? 0;
    const current = this.#writing?.file ?? newest;
    const isFull = (this.#sizes.get(current) ?? 0) >= this.#options.fileBytes;
    if (this.#writing === undefined || isFull) {
      this.#closeWriting();
      const file = newest + 1;
      this.#writing = { file, descriptor: openSync(this.#path(file), 'a', 0o600) };
      this.#sizes.set(file, 0);
    }
    const { file, descriptor } = this.#writing;
    const at = this.#sizes.get(file) ?? 0;
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } finally {
      // After an error the beginning of a record can be in the file.
      this.#sizes.set(file, at + written);
    }
    return { file, at };
  }

  /** Removes the oldest files while there are too many bytes. */
  #limit(): void {
    const total = () => [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
    while (this.#sizes.size > 1 && total() > this.#options.maxBytes) this.#removeOldest();
  }

  #removeOldest(): boolean {
    const [oldest] = this.#sizes.keys();
    if (oldest === undefined) return false;
    this.#removeFile(oldest);
    return true;
  }

  #removeFile(file: number): void {
    if (this.#writing?.file === file) this.#closeWriting();
    const descriptor = this.#reading.get(file);
    if (descriptor !== undefined) closeSync(descriptor);
    this.#reading.delete(file);
    rmSync(this.#path(file), { force: true });
    this.#sizes.delete(file);
    this.#index.removeFile(file);
  }

  #closeWriting(): void {
    if (this.#writing) closeSync(this.#writing.descriptor);
    this.#writing = undefined;
  }

  #read(file: number, at: number, length: number): string | undefined {
    return this.#bytes(file, at, length)?.toString('utf8');
  }

  /** `undefined` if the file no longer exists. */
  #bytes(file: number, at: number, length: number, into = Buffer.allocUnsafe(length)): Buffer | undefined {
    const bytes = into.subarray(0, length);
    try {
      const descriptor = this.#reading.get(file) ?? openSync(this.#path(file), 'r');
      this.#reading.set(file, descriptor);
      return readSync(descriptor, bytes, 0, length, at) === length ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  #path(file: number): string {
    return join(this.#options.folder, `${String(file).padStart(8, '0')}.jsonl`);
  }
}

function filesOf(folder: string): readonly number[] {
  return readdirSync(folder)
    .flatMap((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN))
    .filter((file) => !Number.isNaN(file))
    .sort((a, b) => a - b);
}
