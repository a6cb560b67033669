import { defineOptions, func, oneOf } from '@sallyport/core/options';
import { invalidStoreConfig, ObjectStoreError } from '../errors.js';
import type { ObjectRef } from '../refs/ref.js';
import { type CheckedPut, checkDelete, checkGet, checkPut } from '../store/internal/input.js';
import type {
  DeleteObjectInput,
  GetObjectInput,
  ObjectCallOptions,
  ObjectStore,
  PutObjectInput,
  StoredObject,
} from '../store/store.js';

/** Options of {@link createFakeObjectStore}. */
export interface FakeObjectStoreOptions {
  /** True if its buckets keep versions. */
  readonly versioning: 'enabled' | 'off';
  /** Creates version ids. Default: `v` and a counter of 20 digits. */
  readonly ids?: () => string;
}

/** One call of a fake with valid arguments. */
export interface FakeCall {
  /** The called method. */
  readonly operation: 'put' | 'get' | 'delete';
  /** The object of the call. */
  readonly ref: ObjectRef;
}

/** Selects the failing calls. */
export interface FailNextOptions {
  /** Only calls for this key. Default: every key. */
  readonly key?: string;
  /** Number of failing calls. Default 1. */
  readonly times?: number;
}

/** A store in memory that behaves like S3, records its calls and fails on demand. */
export interface FakeObjectStore extends ObjectStore {
  /**
   * Makes the next calls of an operation fail with this error; they change nothing.
   *
   * @throws ObjectStoreError `objectstore.unsupported_operation` for an operation other than `put`, `get` and `delete`
   */
  failNext(operation: FakeCall['operation'], error: Error, options?: FailNextOptions): void;
  /** The last 10,000 valid calls, in order; a copy. */
  calls(): readonly FakeCall[];
}

const OPTIONS = defineOptions<FakeObjectStoreOptions>()(
  { versioning: oneOf('enabled', 'off').required(), ids: func<() => string>() },
  { fail: invalidStoreConfig },
);

const OPERATIONS: readonly string[] = ['put', 'get', 'delete'];
const MAX_CALLS = 10_000;
const VERSION_DIGITS = 20;

/** A version. Without an object it is a delete marker. */
interface Version {
  readonly versionId: string | undefined;
  readonly object: Omit<CheckedPut, 'ref' | 'createOnly'> | undefined;
}

interface Failure {
  readonly operation: string;
  readonly error: Error;
  readonly key: string | undefined;
  left: number;
}

/**
 * Creates a store in memory for the tests of an application: every bucket exists, with the versions, the limits and the errors of S3.
 *
 * @throws ObjectStoreError `objectstore.invalid_store_config` for a wrong option
 * @example
 * const store = createFakeObjectStore({ versioning: 'enabled' });
 * store.failNext('get', new ObjectStoreError('objectstore.unavailable', 'down', { retryable: true }));
 */
export function createFakeObjectStore(options: FakeObjectStoreOptions): FakeObjectStore {
  return new MemoryStore(OPTIONS.parse(options));
}

class MemoryStore implements FakeObjectStore {
  readonly #keepsVersions: boolean;
  readonly #newVersionId: () => string;
  /** By bucket and key, the newest version last. */
  readonly #objects = new Map<string, readonly Version[]>();
  #calls: FakeCall[] = [];
  #failures: Failure[] = [];
  #count = 0;

  constructor({ versioning, ids }: ReturnType<typeof OPTIONS.parse>) {
    this.#keepsVersions = versioning === 'enabled';
    this.#newVersionId = ids ?? (() => `v${String(++this.#count).padStart(VERSION_DIGITS, '0')}`);
  }

  async put(input: PutObjectInput, options?: ObjectCallOptions): Promise<ObjectRef> {
    const { ref, createOnly, payload, contentType, metadata } = checkPut(input);
    this.#enter('put', ref, options);
    if (createOnly && this.#newest(ref)?.object) {
      throw new ObjectStoreError('objectstore.precondition_failed', 'framework: the object already exists');
    }
    const versionId = this.#add(ref, { payload: new Uint8Array(payload), contentType, metadata });
    return versionId === undefined ? ref : { ...ref, versionId };
  }

  async get(input: GetObjectInput, options?: ObjectCallOptions): Promise<StoredObject> {
    const { ref, maxBytes } = checkGet(input);
    this.#enter('get', ref, options);
    const { object, versionId } = this.#find(ref) ?? {};
    if (object === undefined) {
      throw new ObjectStoreError('objectstore.not_found', 'framework: there is no such object');
    }
    if (object.payload.byteLength > maxBytes) {
      throw new ObjectStoreError('objectstore.object_too_large', 'framework: the object has more bytes than allowed');
    }
    return {
      ref: versionId === undefined ? ref : { ...ref, versionId },
      payload: new Uint8Array(object.payload),
      contentType: object.contentType,
      metadata: { ...object.metadata },
    };
  }

  async delete(input: DeleteObjectInput, options?: ObjectCallOptions): Promise<void> {
    const ref = checkDelete(input);
    this.#enter('delete', ref, options);
    if (ref.versionId !== undefined) {
      this.#objects.set(
        nameOf(ref),
        this.#versions(ref).filter(({ versionId }) => versionId !== ref.versionId),
      );
    } else if (this.#keepsVersions) this.#add(ref, undefined);
    else this.#objects.delete(nameOf(ref));
  }

  failNext(operation: FakeCall['operation'], error: Error, { key, times = 1 }: FailNextOptions = {}): void {
    if (!OPERATIONS.includes(operation)) {
      throw new ObjectStoreError(
        'objectstore.unsupported_operation',
        'framework: an object store has the operations put, get and delete',
      );
    }
    this.#failures.push({ operation, error, key, left: times });
  }

  calls(): readonly FakeCall[] {
    return [...this.#calls];
  }

  /** Records a call, and fails it if `failNext` requires it. */
  #enter(operation: FakeCall['operation'], ref: ObjectRef, { signal }: ObjectCallOptions = {}): void {
    signal?.throwIfAborted();
    this.#calls.push({ operation, ref });
    if (this.#calls.length > MAX_CALLS) this.#calls = this.#calls.slice(-MAX_CALLS);
    const failure = this.#failures.find(
      (each) => each.operation === operation && (each.key ?? ref.key) === ref.key && each.left > 0,
    );
    if (failure === undefined) return;
    failure.left -= 1;
    throw failure.error;
  }

  /** Adds the newest version; without versions it replaces the object. */
  #add(ref: ObjectRef, object: Version['object']): string | undefined {
    const versionId = this.#keepsVersions ? this.#newVersionId() : undefined;
    const older = this.#keepsVersions ? this.#versions(ref) : [];
    this.#objects.set(nameOf(ref), [...older, { versionId, object }]);
    return versionId;
  }

  #find(ref: ObjectRef): Version | undefined {
    if (ref.versionId === undefined) return this.#newest(ref);
    return this.#versions(ref).find(({ versionId }) => versionId === ref.versionId);
  }

  #newest(ref: ObjectRef): Version | undefined {
    return this.#versions(ref).at(-1);
  }

  #versions(ref: ObjectRef): readonly Version[] {
    return this.#objects.get(nameOf(ref)) ?? [];
  }
}

/** A bucket has no slash in its name. */
function nameOf({ bucket, key }: ObjectRef): string {
  return `${bucket}/${key}`;
}
