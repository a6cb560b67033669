import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AwsFault } from '../../aws/wire.js';

/** One version of an object, or a delete marker. */
export interface ObjectVersion {
  /** `null` in a bucket without versions. */
  readonly versionId: string;
  readonly isDeleteMarker: boolean;
  /** Without quotes. */
  readonly eTag: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Headers that are returned to readers: type, metadata, encryption. */
  readonly headers: Readonly<Record<string, string>>;
  /** Checksums by header, `x-amz-checksum-crc32`. */
  readonly checksums: Readonly<Record<string, string>>;
  /** File of the bytes in the folder of the bucket; `''` for a delete marker. */
  readonly file: string;
  readonly parts?: number;
}

/** Versions of a key, the newest first. */
interface Entry {
  readonly key: string;
  readonly versions: readonly ObjectVersion[];
}

export type Versioning = '' | 'Enabled' | 'Suspended';

/** A change, for notifications. */
export interface StoredChange {
  readonly bucket: string;
  readonly key: string;
  /** `ObjectCreated:Put`. */
  readonly event: string;
  readonly version: ObjectVersion;
  /** The version in the form that clients see; `undefined` in a bucket that never had versions. */
  readonly versionId: string | undefined;
}

/**
 * A bucket in a folder: `bucket.json`, `keys/<digest of the key>.json` with the versions of a key, `data/` with their bytes. The
 * index is in memory; a file is written before the index changes, so that acknowledged writes survive a crash.
 */
export class Bucket {
  readonly name: string;
  readonly folder: string;
  readonly createdAt: number;
  #versioning: Versioning;
  readonly #entries = new Map<string, Entry>();

  constructor(name: string, folder: string, now: number) {
    this.name = name;
    this.folder = folder;
    for (const part of ['keys', 'data', 'uploads']) mkdirSync(join(folder, part), { recursive: true });
    const { versioning, createdAt } = readJson<{ versioning: Versioning; createdAt: number }>(
      join(folder, 'bucket.json'),
    ) ?? {
      versioning: '',
      createdAt: now,
    };
    this.#versioning = versioning;
    this.createdAt = createdAt;
    this.#save();
    for (const file of readdirSync(join(folder, 'keys'))) {
      const entry = file.endsWith('.json') ? readJson<Entry>(join(folder, 'keys', file)) : undefined;
      if (entry) this.#entries.set(entry.key, entry);
    }
  }

  get versioning(): Versioning {
    return this.#versioning;
  }

  setVersioning(versioning: Versioning): void {
    this.#versioning = versioning;
    this.#save();
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Keys in the order of their bytes. */
  keys(): readonly string[] {
    return [...this.#entries.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  versionsOf(key: string): readonly ObjectVersion[] {
    return this.#entries.get(key)?.versions ?? [];
  }

  /** The newest version; `undefined` for a missing object and for a delete marker. */
  current(key: string): ObjectVersion | undefined {
    const [newest] = this.versionsOf(key);
    return newest?.isDeleteMarker ? undefined : newest;
  }

  /** A path for a new file. */
  newFile(): string {
    return join('data', randomUUID());
  }

  pathOf(file: string): string {
    return join(this.folder, file);
  }

  /** Adds a version. In a bucket without versions it replaces the previous version. */
  add(key: string, version: Omit<ObjectVersion, 'versionId'>): ObjectVersion {
    const isVersioned = this.#versioning === 'Enabled';
    const added: ObjectVersion = { ...version, versionId: isVersioned ? newVersionId() : 'null' };
    const all = this.versionsOf(key);
    const replaced = isVersioned ? undefined : all.find(({ versionId }) => versionId === 'null');
    this.#write(key, [added, ...all.filter((each) => each !== replaced)]);
    this.#drop(replaced);
    return added;
  }

  /** Removes a version permanently. */
  remove(key: string, removed: ObjectVersion): void {
    this.#write(
      key,
      this.versionsOf(key).filter((version) => version !== removed),
    );
    this.#drop(removed);
  }

  /** The version id in the form that clients see. */
  shownId({ versionId }: ObjectVersion): string | undefined {
    return this.#versioning === '' ? undefined : versionId;
  }

  #write(key: string, versions: readonly ObjectVersion[]): void {
    const file = join(this.folder, 'keys', `${createHash('sha256').update(key).digest('hex')}.json`);
    if (versions.length === 0) {
      rmSync(file, { force: true });
      this.#entries.delete(key);
      return;
    }
    writeWhole(file, { key, versions });
    this.#entries.set(key, { key, versions });
  }

  #drop(version: ObjectVersion | undefined): void {
    if (version && version.file !== '') rmSync(this.pathOf(version.file), { force: true });
  }

  #save(): void {
    writeWhole(join(this.folder, 'bucket.json'), { versioning: this.#versioning, createdAt: this.createdAt });
  }
}

/** The buckets of a run, in a folder that is kept between runs. */
export class BucketStore {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder)) {
      if (existsSync(join(folder, name, 'bucket.json')))
        this.#buckets.set(name, new Bucket(name, join(folder, name), now()));
    }
  }

  list(): readonly Bucket[] {
    return [...this.#buckets.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  has(name: string): boolean {
    return this.#buckets.has(name);
  }

  /** @throws AwsFault `NoSuchBucket` */
  get(name: string): Bucket {
    const bucket = this.#buckets.get(name);
    if (!bucket) throw new AwsFault(404, 'NoSuchBucket', 'The specified bucket does not exist', { BucketName: name });
    return bucket;
  }

  /** @throws AwsFault `InvalidBucketName` */
  create(name: string): Bucket {
    const found = this.#buckets.get(name);
    if (found) return found;
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) || name.includes('..')) {
      throw new AwsFault(400, 'InvalidBucketName', 'The specified bucket is not valid.', { BucketName: name });
    }
    const bucket = new Bucket(name, join(this.#folder, name), this.#now());
    this.#buckets.set(name, bucket);
    return bucket;
  }

  delete(name: string): void {
    const bucket = this.get(name);
    if (!bucket.isEmpty) throw new AwsFault(409, 'BucketNotEmpty', 'The bucket you tried to delete is not empty');
    this.#buckets.delete(name);
    rmSync(bucket.folder, { recursive: true, force: true });
  }

  /** Deletes all objects, versions and uploads. The buckets are kept. */
  clear(): void {
    const names = [...this.#buckets.keys()];
    this.#buckets.clear();
    rmSync(this.#folder, { recursive: true, force: true });
    for (const name of names) this.create(name);
  }
}

function newVersionId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Writes a file atomically. */
export function writeWhole(file: string, value: unknown): void {
  writeFileSync(`${file}.part`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

/** `undefined` if the file does not exist or is incomplete. */
export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
