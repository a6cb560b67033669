import { inspect } from 'node:util';
import {
  ArtifactError,
  type ArtifactFailure,
  createS3ObjectStore,
  fetchVersionedArtifact,
  type ObjectStore,
  ObjectStoreError,
  type VersionedArtifactRequest,
} from '@sallyport/objectstore';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';
import { archive, member, PINNED, PINNED_DIGEST } from './support/archive.js';
import { startTestS3, type TestS3 } from './support/s3.js';

let s3: TestS3;

beforeAll(async () => {
  s3 = await startTestS3();
});

afterAll(() => s3.stop());

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: ArtifactError) => error,
  );

describe.each<[string, () => { store: ObjectStore; bucket: string }]>([
  ['in S3', () => ({ store: createS3ObjectStore({ client: s3.client }), bucket: s3.versionedBucket })],
  ['in the fake', () => ({ store: createFakeObjectStore({ versioning: 'enabled' }), bucket: 'releases' })],
])('an artifact %s', (_name, setUp) => {
  let store: ObjectStore;
  let request: VersionedArtifactRequest;

  beforeEach(async () => {
    const { bucket, ...parts } = setUp();
    store = parts.store;
    const { versionId = '' } = await store.put({ ref: { bucket, key: 'app.tar' }, payload: PINNED });
    await store.put({ ref: { bucket, key: 'app.tar' }, payload: archive(member({ data: 'newer' })) });
    request = { bucket, key: 'app.tar', versionId, expectedDigest: PINNED_DIGEST };
  });

  it('is verified by its version and digest, though there is a newer one', async () => {
    const artifact = await fetchVersionedArtifact(store, request);
    expect(artifact).toMatchObject({
      state: 'verified',
      requestedVersionId: request.versionId,
      returnedVersionId: request.versionId,
      expectedDigest: PINNED_DIGEST,
      actualDigest: PINNED_DIGEST,
    });
    expect(artifact.entries().map(({ path, mode, size, sha256 }) => [path, mode, size, sha256()])).toEqual([
      ['a.txt', 0o644, 5, '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'],
      ['dir/b.sh', 0o755, 10, 'a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf'],
    ]);
    expect(artifact.entries().map(({ bytes }) => Buffer.from(bytes()).toString())).toEqual(['hello', '#!/bin/sh\n']);
    expect(Buffer.from(artifact.archiveBytes()).equals(Buffer.from(PINNED))).toBe(true);
  });

  it('returns copies: changes by one caller are not visible to others', async () => {
    const artifact = await fetchVersionedArtifact(store, request);
    artifact.archiveBytes().fill(0);
    const [entry] = artifact.entries();
    entry?.bytes().fill(0);
    (artifact.entries() as unknown[]).length = 0;
    expect(Buffer.from(entry?.bytes() ?? []).toString()).toBe('hello');
    expect(entry?.sha256()).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
    expect(Buffer.from(artifact.archiveBytes()).equals(Buffer.from(PINNED))).toBe(true);
    expect(artifact.entries()).toHaveLength(2);
    expect(() => Object.assign(artifact, { state: 'other' })).toThrow(TypeError);
    expect(() => Object.assign(entry ?? {}, { path: 'other' })).toThrow(TypeError);
  });

  it.each<[string, object, ArtifactFailure]>([
    ['no version', { versionId: undefined }, 'version_required'],
    ['an empty version', { versionId: '' }, 'version_required'],
    ['an empty version and nothing else right', { versionId: '', bucket: '', expectedDigest: 5 }, 'version_required'],
    ['the version null', { versionId: 'null' }, 'invalid_request'],
    ['a version that is no text', { versionId: 5 }, 'invalid_request'],
    ['a version with a query', { versionId: 'a?b' }, 'invalid_request'],
    ['no bucket', { bucket: undefined }, 'invalid_request'],
    ['a bucket with a slash', { bucket: 'a/b' }, 'invalid_request'],
    ['an empty key', { key: '' }, 'invalid_request'],
    ['a key with a fragment', { key: 'a#b' }, 'invalid_request'],
    ['no digest', { expectedDigest: undefined }, 'invalid_request'],
    ['a digest without sha256:', { expectedDigest: PINNED_DIGEST.slice(7) }, 'invalid_request'],
    ['a digest in upper case', { expectedDigest: `sha256:${PINNED_DIGEST.slice(7).toUpperCase()}` }, 'invalid_request'],
    ['a digest of 63 digits', { expectedDigest: PINNED_DIGEST.slice(0, -1) }, 'invalid_request'],
    ['a line feed behind the digest', { expectedDigest: `${PINNED_DIGEST}\n` }, 'invalid_request'],
    ['another member', { region: 'eu-west-1' }, 'invalid_request'],
    ['a key that is not there', { key: 'other.tar' }, 'unavailable'],
    ['a version that is not there', { versionId: '3HL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY' }, 'unavailable'],
    ['another digest', { expectedDigest: `sha256:${'0'.repeat(64)}` }, 'digest_mismatch'],
  ])('that is called for with %s ends in its state', async (_case, part, state) => {
    const error = await failure(fetchVersionedArtifact(store, { ...request, ...part }));
    expect(error).toMatchObject({ name: 'ArtifactError', code: `artifact.${state}`, state });
  });

  it('contains the actual digest, and none of its bytes', async () => {
    const expectedDigest = `sha256:${'0'.repeat(64)}`;
    const error = await failure(fetchVersionedArtifact(store, { ...request, expectedDigest }));
    expect(error).toMatchObject({ expectedDigest, actualDigest: PINNED_DIGEST, returnedVersionId: request.versionId });
    const artifact = await fetchVersionedArtifact(store, request);
    for (const shown of [error, artifact, artifact.entries()]) {
      expect(inspect(shown, { depth: 8, showHidden: true }) + JSON.stringify(shown)).not.toMatch(
        /hello|bin\/sh|104, 101|68 65/,
      );
    }
  });

  it.each<[string, Uint8Array]>([
    ['is empty', new Uint8Array(0)],
    ['is compressed', Buffer.from('1f8b0800', 'hex')],
    ['has a link', archive(member({ type: '2', linkname: '/etc', data: '' }))],
    ['is one byte over 32 MiB', new Uint8Array(33_554_433)],
  ])('that %s is an invalid archive', async (_case, payload) => {
    const { bucket, key } = request;
    const { versionId = '' } = await store.put({ ref: { bucket, key }, payload });
    const error = await failure(fetchVersionedArtifact(store, { ...request, versionId }));
    expect(error).toMatchObject({ code: 'artifact.archive_invalid', actualDigest: '' });
  });
});

describe('a store that answers otherwise', () => {
  const request = { bucket: 'b', key: 'k', versionId: 'v1', expectedDigest: PINNED_DIGEST };
  const answering = (versionId?: string): ObjectStore => ({
    ...createFakeObjectStore({ versioning: 'enabled' }),
    get: async () => ({
      ref: { bucket: 'b', key: 'k', ...(versionId && { versionId }) },
      payload: PINNED,
      metadata: {},
    }),
  });

  it.each([
    ['no version', undefined, ''],
    ['another version', 'v2', 'v2'],
    ['the version null', 'null', 'null'],
  ])('with %s is a mismatch, before a byte is read', async (_name, versionId, returnedVersionId) => {
    const error = await failure(fetchVersionedArtifact(answering(versionId), request));
    expect(error).toMatchObject({ code: 'artifact.version_mismatch', returnedVersionId, actualDigest: '' });
  });

  it('with a failure is unavailable, and states whether to retry', async () => {
    const store = createFakeObjectStore({ versioning: 'enabled' });
    const down = new ObjectStoreError('objectstore.unavailable', 'down', { retryable: true });
    store.failNext('get', down);
    expect(await failure(fetchVersionedArtifact(store, request))).toMatchObject({
      code: 'artifact.unavailable',
      retryable: true,
      cause: down,
    });
    store.failNext('get', new Error('what another store throws'));
    expect(await failure(fetchVersionedArtifact(store, request))).toMatchObject({
      code: 'artifact.unavailable',
      retryable: false,
    });
  });

  it.each<[string, unknown, string]>([
    ['for the version null', { ...request, versionId: 'null' }, 'artifact.invalid_request'],
    ['for a list', [], 'artifact.version_required'],
    ['for null', null, 'artifact.invalid_request'],
    ['without a request', undefined, 'artifact.invalid_request'],
    ['for a text', 'v1', 'artifact.invalid_request'],
    ['for a number', 5, 'artifact.invalid_request'],
  ])('is not called %s', async (_case, given, code) => {
    const store = createFakeObjectStore({ versioning: 'enabled' });
    const error = await failure(fetchVersionedArtifact(store, given as never));
    expect(error).toMatchObject({ name: 'ArtifactError', code, returnedVersionId: '', actualDigest: '' });
    expect(store.calls()).toEqual([]);
  });

  it('does not change the reason of a caller who gave up', async () => {
    const reason = new Error('gone');
    const store = createFakeObjectStore({ versioning: 'enabled' });
    const call = fetchVersionedArtifact(store, request, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});

it.each<[ArtifactFailure, number]>([
  ['version_required', 500],
  ['invalid_request', 500],
  ['unavailable', 503],
  ['version_mismatch', 500],
  ['archive_invalid', 500],
  ['digest_mismatch', 500],
])('the state %s has the status %d', (state, status) => {
  const facts = { requestedVersionId: '', returnedVersionId: '', expectedDigest: '', actualDigest: '' };
  expect(new ArtifactError(state, 'is tested', facts)).toMatchObject({ code: `artifact.${state}`, status });
});

it('an archive of which any byte that counts was changed is never verified', async () => {
  const store = createFakeObjectStore({ versioning: 'enabled' });
  // Header, data, header, data; the gaps are padding, which no digest covers.
  const counting = [...range(0, 512), ...range(512, 517), ...range(1024, 1536), ...range(1536, 1546)];
  let tried = 0;
  for (const at of counting.filter((_, index) => index % 3 === 0)) {
    const payload = Uint8Array.from(PINNED);
    payload[at] = (payload[at] ?? 0) ^ (1 << (tried % 8));
    const { versionId = '' } = await store.put({ ref: { bucket: 'b', key: 'k' }, payload });
    const error = await failure(
      fetchVersionedArtifact(store, { bucket: 'b', key: 'k', versionId, expectedDigest: PINNED_DIGEST }),
    );
    expect(error).toBeInstanceOf(ArtifactError);
    tried += 1;
  }
  expect(tried).toBeGreaterThanOrEqual(300);
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
