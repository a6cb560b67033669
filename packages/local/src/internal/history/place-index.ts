import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The place of a record in the files. */
export interface Place {
  /** The number of the file. */
  readonly file: number;
  /** Offset of the row in the file, in bytes. */
  readonly at: number;
  /** Bytes of the row; the rest follows after a line break. */
  readonly row: number;
  readonly rest: number;
}

const NAME = 'index';
/** The version of index and files. Other versions are not read. */
const VERSION = Buffer.from('sallyport-journal-1\n');
const FIELDS = 5;
const BYTES = FIELDS * 4;
/** The file of the index is rewritten when it has so many entries for each record. */
const MAX_ENTRIES = 4;

/**
 * The places of the newest records, 20 bytes each: the record with the number n is at `n % size`, so that a new record replaces the oldest.
 * A file has the same entries, newest last.
 */
export class PlaceIndex {
  readonly #folder: string;
  readonly #size: number;
  /** Number, file, offset, row, rest. The number is 0 if the place is free. */
  readonly #table: Uint32Array;
  #oldest = 0;
  #last = 0;
  #entries = 0;
  #descriptor: number | undefined;

  private constructor(folder: string, size: number) {
    this.#folder = folder;
    this.#size = size;
    this.#table = new Uint32Array(size * FIELDS);
  }

  /** Reads the index of a folder; it is empty if the file does not exist or has another version. */
  static read(folder: string, size: number): PlaceIndex {
    const index = new PlaceIndex(folder, size);
    const bytes = readIfExists(join(folder, NAME));
    if (!bytes.subarray(0, VERSION.length).equals(VERSION)) return index;
    for (let at = VERSION.length; at + BYTES <= bytes.length; at += BYTES) {
      const [id = 0, file = 0, offset = 0, row = 0, rest = 0] = Array.from({ length: FIELDS }, (_, field) =>
        bytes.readUInt32LE(at + field * 4),
      );
      index.#put(id, [id, file, offset, row, rest]);
      index.#entries += 1;
    }
    return index;
  }

  /** The lowest number of a kept record; 0 without records. */
  get oldest(): number {
    while (this.#oldest < this.#last && !this.get(this.#oldest)) this.#oldest += 1;
    return this.#oldest;
  }

  /** The highest number; 0 without records. */
  get last(): number {
    return this.#last;
  }

  get(id: number): Place | undefined {
    const start = (id % this.#size) * FIELDS;
    if (id === 0 || this.#table[start] !== id) return undefined;
    return this.#placeAt(start);
  }

  set(id: number, { file, at, row, rest }: Place): void {
    const entry = [id, file, at, row, rest];
    if (!this.#put(id, entry)) return;
    try {
      if (this.#entries >= MAX_ENTRIES * this.#size || this.#descriptor === undefined) this.#rewrite();
      else writeSync(this.#descriptor, toBytes(entry));
      this.#entries += 1;
    } catch {
      // The disk is full. The table in memory is complete, and the next rewriting repairs the file.
      this.close();
    }
  }

  /** Removes the entries that the test does not accept. */
  keep(accepts: (place: Place) => boolean): void {
    for (let start = 0; start < this.#table.length; start += FIELDS)
      if (this.#table[start] !== 0 && !accepts(this.#placeAt(start))) this.#table[start] = 0;
  }

  removeFile(file: number): void {
    this.keep((place) => place.file !== file);
  }

  /** The numbers of the files with records. */
  files(): ReadonlySet<number> {
    const files = new Set<number>();
    for (let start = 0; start < this.#table.length; start += FIELDS)
      if (this.#table[start] !== 0) files.add(this.#table[start + 1] ?? 0);
    return files;
  }

  inFile(file: number): readonly (Place & { readonly id: number })[] {
    const found: (Place & { readonly id: number })[] = [];
    for (let start = 0; start < this.#table.length; start += FIELDS) {
      const id = this.#table[start] ?? 0;
      if (id !== 0 && this.#table[start + 1] === file) found.push({ id, ...this.#placeAt(start) });
    }
    return found;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** False for a record that is older than all places. */
  #put(id: number, entry: readonly number[]): boolean {
    const start = (id % this.#size) * FIELDS;
    if (id === 0 || (this.#table[start] ?? 0) > id) return false;
    this.#table.set(entry, start);
    if (this.#last === 0 || id < this.#oldest) this.#oldest = id;
    this.#last = Math.max(this.#last, id);
    this.#oldest = Math.max(this.#oldest, this.#last - this.#size + 1);
    return true;
  }

  #placeAt(start: number): Place {
    const [file = 0, at = 0, row = 0, rest = 0] = this.#table.subarray(start + 1, start + FIELDS);
    return { file, at, row, rest };
  }

  #rewrite(): void {
    this.close();
    const path = join(this.#folder, NAME);
    const entries: Buffer[] = [];
    for (let start = 0; start < this.#table.length; start += FIELDS)
      if (this.#table[start] !== 0) entries.push(toBytes(this.#table.subarray(start, start + FIELDS)));
    writeFileSync(`${path}.new`, Buffer.concat([VERSION, ...entries]), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    this.#entries = entries.length;
    this.#descriptor = openSync(path, 'a', 0o600);
  }
}

function toBytes(entry: Iterable<number>): Buffer {
  const bytes = Buffer.alloc(BYTES);
  let at = 0;
  for (const value of entry) at = bytes.writeUInt32LE(value, at);
  return bytes;
}

function readIfExists(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
