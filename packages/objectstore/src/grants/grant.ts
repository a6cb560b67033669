import type { ObjectRef } from '../refs/ref.js';
import type { ObjectCallOptions } from '../store/store.js';

/** The upload that is allowed: one object with a fixed size, type and hash. */
export interface PresignPutInput {
  /** The target object: without a version, and without `.` and `..` segments in its key, which clients would remove. */
  readonly ref: ObjectRef;
  /** The exact size in bytes, 0 to `maxBytes`. */
  readonly contentLength: number;
  /** The largest size that the application allows, in bytes, 1 to 5 GiB. There is no default. */
  readonly maxBytes: number;
  /** The exact media type, at most 256 characters. */
  readonly contentType: string;
  /** SHA-256 of the bytes, as base64 of 44 characters. */
  readonly checksumSha256: string;
  /** Seconds until the link expires, 1 to 900. There is no default. */
  readonly expiresIn: number;
  /**
   * True if the upload is accepted only while no object has this key; otherwise S3 answers 412. By default, any holder of the link can
   * upload the same bytes again until the link expires, even over a newer object. Default `false`.
   */
  readonly createOnly?: boolean;
}

/** A signed link for the upload of one object. It is valid until it expires. Its `url` is a credential: send it only to the uploader, and do not log it. */
export interface UploadGrant {
  /** The method of the upload. */
  readonly method: 'PUT';
  /** The link. */
  readonly url: string;
  /** Headers that the upload must send. A browser sets `content-length` itself. */
  readonly headers: Readonly<Record<string, string>>;
  /** Expiry of the link: after `expiresIn`, or earlier with the credentials that signed it. */
  readonly expiresAt: Date;
  /** The target object. */
  readonly ref: ObjectRef;
}

/** Signs uploads. It cannot read or write objects. */
export interface UploadGrants {
  /**
   * Signs a link for the `PUT` of one object with exactly these bytes. Sends nothing.
   *
   * @throws ObjectStoreError `objectstore.invalid_ref`; `objectstore.invalid_presign_put`, with the wrong field in `details.field`;
   *   `objectstore.invalid_store_config` if the client does not sign all constraints of the grant; `objectstore.denied` without
   *   credentials
   */
  presignPut(input: PresignPutInput, options?: ObjectCallOptions): Promise<UploadGrant>;
}

/** The longest lifetime of a link, in seconds. */
export const MAX_PRESIGN_PUT_EXPIRES_IN = 900;
