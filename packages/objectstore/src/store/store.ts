import type { ObjectRef } from '../refs/ref.js';

/** The arguments of a write. */
export interface PutObjectInput {
  /** The target, without a version. */
  readonly ref: ObjectRef;
  /** Its bytes, 0 to 5 GiB. */
  readonly payload: Uint8Array;
  /** Its media type. Default `application/octet-stream`. */
  readonly contentType?: string;
  /** Names of `a-z`, `0-9` and `-` with values of visible ASCII; together at most 2,048 bytes. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** True if the write is rejected if the object exists. Default `false`. */
  readonly createOnly?: boolean;
}

/** The arguments of a read. */
export interface GetObjectInput {
  /** The object, or one version of it. */
  readonly ref: ObjectRef;
  /** The largest allowed size in bytes, at least 1. A larger object is rejected before its body is read. */
  readonly maxBytes: number;
}

/** The arguments of a delete. */
export interface DeleteObjectInput {
  /** The object, or one version of it. */
  readonly ref: ObjectRef;
}

/** The result of a read. */
export interface StoredObject {
  /** The requested reference, with the version that the store returned, if any. */
  readonly ref: ObjectRef;
  /** The whole object. The bytes belong to the caller. */
  readonly payload: Uint8Array;
  /** Its media type. */
  readonly contentType?: string;
  /** Its metadata by name in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Options of one call. */
export interface ObjectCallOptions {
  /** Aborts the call: it rejects with the signal's reason. A write in progress may have been applied. */
  readonly signal?: AbortSignal | undefined;
}

/** A store of objects with only these three operations. */
export interface ObjectStore {
  /**
   * Writes an object, and returns its reference, with the version if the store keeps versions.
   *
   * @throws ObjectStoreError `objectstore.invalid_ref`, `objectstore.invalid_input`, `objectstore.precondition_failed`, and the
   *   errors of every call
   */
  put(input: PutObjectInput, options?: ObjectCallOptions): Promise<ObjectRef>;
  /**
   * Reads an object of at most `maxBytes`.
   *
   * @throws ObjectStoreError `objectstore.invalid_ref`, `objectstore.invalid_get_limit`, `objectstore.object_too_large`,
   *   `objectstore.not_found`, and the errors of every call
   */
  get(input: GetObjectInput, options?: ObjectCallOptions): Promise<StoredObject>;
  /**
   * Deletes an object. Deleting a missing object succeeds.
   *
   * @throws ObjectStoreError `objectstore.invalid_ref`, and the errors of every call: `objectstore.denied`,
   *   `objectstore.unavailable`, `objectstore.invalid_store_config`
   */
  delete(input: DeleteObjectInput, options?: ObjectCallOptions): Promise<void>;
}
