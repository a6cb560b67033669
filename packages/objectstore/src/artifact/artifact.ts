import { isFrameworkError } from '@sallyport/core';
import { sha256 } from '@sallyport/core/internal';
import { ArtifactError, type ArtifactFacts, type ArtifactFailure } from '../errors.js';
import { checkRef, type ObjectRef } from '../refs/ref.js';
import type { ObjectCallOptions, ObjectStore, StoredObject } from '../store/store.js';
import { ArchiveFault, readTar, type TarFile } from './internal/tar.js';

/** A pinned artifact: the object, its version, and its expected content. */
export interface VersionedArtifactRequest {
  /** The bucket of the archive. */
  readonly bucket: string;
  /** The key of the archive. */
  readonly key: string;
  /** The version of the archive. `null`, the version of buckets without versions, is rejected: it can be overwritten. */
  readonly versionId: string;
  /** `sha256:` and 64 hex digits in lower case; see `artifactDigest`. */
  readonly expectedDigest: string;
}

/** One regular file of an artifact. */
export interface ArtifactEntry {
  /** Its path, without a leading `./`. */
  readonly path: string;
  /** Its twelve permission bits. */
  readonly mode: number;
  /** Its size in bytes. */
  readonly size: number;
  /** A new copy of its bytes. */
  bytes(): Uint8Array;
  /** Its SHA-256 in lower hex. */
  sha256(): string;
}

/** A verified archive: it is the pinned version, and its files have the pinned digest. */
export interface VersionedArtifact extends ArtifactFacts {
  /** There is no artifact in another state. */
  readonly state: 'verified';
  /** Returns a new copy of the archive's bytes. */
  archiveBytes(): Uint8Array;
  /** Returns its regular files in the order of the archive; a new list each time. */
  entries(): readonly ArtifactEntry[];
}

/** Maximum size of an archive, and of one of its files, in bytes. */
export const MAX_VERSIONED_ARTIFACT_BYTES = 33_554_432;
/** Maximum number of members of an archive, including directories. */
export const MAX_VERSIONED_ARTIFACT_ENTRIES = 512;

const LIMITS = { maxMembers: MAX_VERSIONED_ARTIFACT_ENTRIES, maxMemberBytes: MAX_VERSIONED_ARTIFACT_BYTES };
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MEMBERS: readonly string[] = ['bucket', 'key', 'versionId', 'expectedDigest'];

/**
 * Reads a tar archive from a store. Verifies version, format and digest before any byte is accessible.
 *
 * @throws ArtifactError with the state of the verification: `artifact.version_required`, `artifact.invalid_request`,
 *   `artifact.unavailable`, `artifact.version_mismatch`, `artifact.archive_invalid`, `artifact.digest_mismatch`
 * @example
 * const artifact = await fetchVersionedArtifact(store, {
 *   bucket: 'releases',
 *   key: 'rules.tar',
 *   versionId: '3HL4kqtJvjVBH40Nrjfkd',
 *   expectedDigest: 'sha256:becc12eda8325af2bd4b48f18738f590377151c52356e91f2fe4b3df5b3a5b0e',
 * });
 * for (const entry of artifact.entries()) load(entry.path, entry.bytes());
 */
export async function fetchVersionedArtifact(
  store: ObjectStore,
  request: VersionedArtifactRequest,
  { signal }: ObjectCallOptions = {},
): Promise<VersionedArtifact> {
  const facts = factsOf(request);
  const ref = checkRequest(request, facts);
  const object = await read(store, ref, facts, signal);
  const returnedVersionId = object.ref.versionId ?? '';
  const returned = { ...facts, returnedVersionId };
  if (returnedVersionId !== ref.versionId) throw new ArtifactError('version_mismatch', 'has another version', returned);
  const files = readFiles(object.payload, returned);
  const known = { ...returned, actualDigest: digestContents(object.payload, files) };
  if (known.actualDigest !== known.expectedDigest) {
    throw new ArtifactError('digest_mismatch', 'has another digest', known);
  }
  return new VerifiedArtifact(known, object.payload, files);
}

/**
 * The digest that pins an archive: SHA-256 over one line for each regular file. A line is `path`, two spaces, mode as four octal
 * digits, two spaces, SHA-256 of its bytes in lower hex. The lines are sorted by their bytes and joined by line feeds.
 *
 * @throws ArtifactError `artifact.archive_invalid` for an archive that could never be verified
 * @example const expectedDigest = artifactDigest(await readFile('rules.tar'));
 */
export function artifactDigest(archive: Uint8Array): string {
  return digestContents(archive, readFiles(archive, factsOf({})));
}

function factsOf(request: unknown): ArtifactFacts {
  const { versionId, expectedDigest } = (request ?? {}) as { versionId?: unknown; expectedDigest?: unknown };
  return {
    requestedVersionId: typeof versionId === 'string' ? versionId : '',
    returnedVersionId: '',
    expectedDigest: typeof expectedDigest === 'string' ? expectedDigest : '',
    actualDigest: '',
  };
}

function checkRequest(request: VersionedArtifactRequest, facts: ArtifactFacts): Required<ObjectRef> {
  const invalid = (problem: string, cause?: unknown) => new ArtifactError('invalid_request', problem, facts, cause);
  if (typeof request !== 'object' || request === null) throw invalid('request must be an object');
  const { bucket, key, versionId, expectedDigest } = request;
  if (versionId === undefined || versionId === '') {
    throw new ArtifactError('version_required', 'request must name a version', facts);
  }
  if (Object.keys(request).some((name) => !MEMBERS.includes(name))) throw invalid('request has an unknown member');
  if (versionId === 'null') throw invalid('version must not be null: it can be overwritten');
  if (typeof expectedDigest !== 'string' || !DIGEST.test(expectedDigest)) {
    throw invalid('digest must be sha256: and 64 hex digits in lower case');
  }
  try {
    return { versionId, ...checkRef({ bucket, key, versionId }) };
  } catch (cause) {
    throw invalid('request must name an object', cause);
  }
}

async function read(
  store: ObjectStore,
  ref: ObjectRef,
  facts: ArtifactFacts,
  signal: AbortSignal | undefined,
): Promise<StoredObject> {
  try {
    return await store.get({ ref, maxBytes: MAX_VERSIONED_ARTIFACT_BYTES }, { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    const isTooLarge = isFrameworkError(cause) && cause.code === 'objectstore.object_too_large';
    const [state, problem]: [ArtifactFailure, string] = isTooLarge
      ? ['archive_invalid', `archive has more than ${MAX_VERSIONED_ARTIFACT_BYTES} bytes`]
      : ['unavailable', 'could not be read'];
    throw new ArtifactError(state, problem, facts, cause);
  }
}

function readFiles(archive: Uint8Array, facts: ArtifactFacts): readonly TarFile[] {
  try {
    if (archive.byteLength > MAX_VERSIONED_ARTIFACT_BYTES) throw new ArchiveFault('is too large');
    return readTar(archive, LIMITS);
  } catch (fault) {
    if (!(fault instanceof ArchiveFault)) throw fault;
    throw new ArtifactError('archive_invalid', `archive ${fault.message}`, facts);
  }
}

function digestContents(archive: Uint8Array, files: readonly TarFile[]): string {
  const lines = files.map(({ path, mode, start, size }) =>
    Buffer.from(`${path}  ${mode.toString(8).padStart(4, '0')}  ${sha256(archive.subarray(start, start + size))}`),
  );
  // No path contains two consecutive spaces, so the lines have the order of the paths.
  return `sha256:${sha256(Buffer.from(lines.sort(Buffer.compare).join('\n')))}`;
}

/** The only implementation. Its buffer is private. */
class VerifiedArtifact implements VersionedArtifact {
  readonly state = 'verified';
  readonly requestedVersionId: string;
  readonly returnedVersionId: string;
  readonly expectedDigest: string;
  readonly actualDigest: string;
  readonly #archive: Uint8Array;
  readonly #files: readonly TarFile[];

  constructor(facts: ArtifactFacts, archive: Uint8Array, files: readonly TarFile[]) {
    this.requestedVersionId = facts.requestedVersionId;
    this.returnedVersionId = facts.returnedVersionId;
    this.expectedDigest = facts.expectedDigest;
    this.actualDigest = facts.actualDigest;
    this.#archive = archive;
    this.#files = files;
    Object.freeze(this);
  }

  archiveBytes(): Uint8Array {
    return new Uint8Array(this.#archive);
  }

  entries(): readonly ArtifactEntry[] {
    return this.#files.map(({ path, mode, start, size }) => {
      const view = () => this.#archive.subarray(start, start + size);
      return Object.freeze({ path, mode, size, bytes: () => new Uint8Array(view()), sha256: () => sha256(view()) });
    });
  }
}
