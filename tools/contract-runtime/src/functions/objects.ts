import { S3Client } from '@aws-sdk/client-s3';
import { isFrameworkError } from '@sallyport/core';
import {
  ArtifactError,
  type ArtifactFacts,
  artifactDigest,
  createS3ObjectStore,
  createUploadGrants,
  type Encryption,
  fetchVersionedArtifact,
  formatObjectRef,
  MAX_PRESIGN_PUT_EXPIRES_IN,
  MAX_VERSIONED_ARTIFACT_BYTES,
  MAX_VERSIONED_ARTIFACT_ENTRIES,
  type ObjectRef,
  type ObjectStore,
  type PresignPutInput,
  parseObjectRef,
  type VersionedArtifactRequest,
} from '@sallyport/objectstore';
import { type AssumeRoleOutput, type AssumeRoleRequest, assumeFirst } from '@sallyport/objectstore/account';
import { createFakeObjectStore } from '@sallyport/objectstore/testing';
import { camelOptions, renameKeys, toCamel } from '../casing.js';

type Args = Readonly<Record<string, unknown>>;
type Outcome = Readonly<Record<string, unknown>>;

/** The answer of a call, or the code of its rejection and the invalid field. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (!isFrameworkError(error)) throw error;
    const { field } = (error.details ?? {}) as { field?: string };
    return { code: error.code, ...(field !== undefined && { field }) };
  }
}

function each<T>(values: unknown, call: (value: T) => unknown): Promise<unknown[]> {
  return Promise.all((values as T[]).map((value) => outcomeOf(() => call(value))));
}

const toRef = (ref: unknown) => renameKeys(ref, toCamel) as ObjectRef;
const fromRef = ({ bucket, key, versionId }: ObjectRef): Outcome => ({
  bucket,
  key,
  ...(versionId !== undefined && { version_id: versionId }),
});

export function limits(): Outcome {
  return {
    max_presign_put_expires_in: MAX_PRESIGN_PUT_EXPIRES_IN,
    max_versioned_artifact_bytes: MAX_VERSIONED_ARTIFACT_BYTES,
    max_versioned_artifact_entries: MAX_VERSIONED_ARTIFACT_ENTRIES,
  };
}

/** `{ "uris": [ … ] }`: each as a reference. */
export function parseRefs({ uris }: Args): Promise<unknown[]> {
  return each<string>(uris, (uri) => fromRef(parseObjectRef(uri)));
}

/** `{ "refs": [ … ] }`: each as a string. */
export function formatRefs({ refs }: Args): Promise<unknown[]> {
  return each(refs, (ref) => formatObjectRef(toRef(ref)));
}

/** `{ "encryptions": [ … ] }`: `accepted`, or the code. */
export function encryptions({ encryptions: given }: Args): Promise<unknown[]> {
  return each(given, (encryption) => {
    createS3ObjectStore({ encryption: renameKeys(encryption, toCamel) as Encryption });
    return 'accepted';
  });
}

/** `{ "versioning": "enabled", "steps": [{ "put": { … } }] }`: the answers of a store, one step after the other. */
export async function storeSteps({ versioning, steps }: Args): Promise<unknown[]> {
  const store = createFakeObjectStore({ versioning: versioning as 'enabled' | 'off' });
  const answers: unknown[] = [];
  for (const step of steps as Args[]) answers.push(await outcomeOf(() => storeStep(store, step)));
  return answers;
}

async function storeStep(store: ObjectStore, { put, get, delete: removed }: Args): Promise<Outcome> {
  if (put !== undefined) {
    const { ref, text = '', ...rest } = put as Args;
    const options = camelOptions(rest);
    return fromRef(await store.put({ ref: toRef(ref), payload: Buffer.from(String(text)), ...options }));
  }
  if (get !== undefined) {
    const { ref, max_bytes } = get as Args;
    const found = await store.get({ ref: toRef(ref), maxBytes: max_bytes as number });
    const { payload, contentType = '', metadata } = found;
    const text = Buffer.from(payload).toString();
    return { ...fromRef(found.ref), text, content_type: contentType, metadata };
  }
  await store.delete({ ref: toRef((removed as Args).ref) });
  return {};
}

/**
 * `{ "now": "…", "region": "…", "encryption": { … }, "credentials_end": "…", "grants": [ … ] }`: the parameters of each link, without its
 * signature.
 */
export function grants({ now, region, encryption, credentials_end, grants: inputs }: Args): Promise<unknown[]> {
  const expiration = credentials_end === undefined ? {} : { expiration: new Date(credentials_end as string) };
  const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret', ...expiration };
  const signer = createUploadGrants({
    client: new S3Client({ region: region as string, credentials: async () => credentials }),
    clock: { now: () => new Date(now as string) },
    ...(encryption !== undefined && {
      encryption: renameKeys(encryption, toCamel) as Encryption,
    }),
  });
  return each<Args>(inputs, async (input) => {
    const grant = await signer.presignPut(renameKeys(input, toCamel) as PresignPutInput);
    const { host, pathname, searchParams } = new URL(grant.url);
    return {
      method: grant.method,
      host,
      path: pathname,
      signed_headers: searchParams.get('X-Amz-SignedHeaders'),
      expires: searchParams.get('X-Amz-Expires'),
      constraints_in_query: [...searchParams.keys()].filter((name) => /checksum|content-type|encryption/i.test(name)),
      headers: grant.headers,
      expires_at: grant.expiresAt.toISOString(),
    };
  });
}

/** `{ "archives": [ base64, … ] }`: the digest of each. */
export function digests({ archives }: Args): Promise<unknown[]> {
  return each<string>(archives, (archive) => artifactDigest(new Uint8Array(Buffer.from(archive, 'base64'))));
}

/** `{ "archive": base64, "stored_version": "v1", "requests": [ … ] }`: a store that holds one archive under one version. */
export function artifacts({ archive, stored_version, returned_version, requests }: Args): Promise<unknown[]> {
  const payload = new Uint8Array(Buffer.from(archive as string, 'base64'));
  const store = createFakeObjectStore({ versioning: 'enabled', ids: () => stored_version as string });
  const answering: ObjectStore = {
    put: (input) => store.put(input),
    delete: (input) => store.delete(input),
    async get(input) {
      const found = await store.get(input);
      const { versionId: _, ...ref } = found.ref;
      if (returned_version === undefined) return found;
      return { ...found, ref: returned_version === null ? ref : { ...ref, versionId: returned_version as string } };
    },
  };
  return each<Args>(requests, async (request) => {
    await store.put({ ref: { bucket: 'releases', key: 'app.tar' }, payload });
    const pinned = renameKeys(request, toCamel) as VersionedArtifactRequest;
    try {
      const artifact = await fetchVersionedArtifact(answering, pinned);
      const entries = artifact
        .entries()
        .map(({ path, mode, size, sha256 }) => ({ path, mode, size, sha256: sha256() }));
      return { ...factsOf(artifact), entries };
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      return { code: error.code, ...factsOf(error) };
    }
  });
}

function factsOf(facts: ArtifactFacts & { readonly state: string }): Outcome {
  return {
    state: facts.state,
    requested_version_id: facts.requestedVersionId,
    returned_version_id: facts.returnedVersionId,
    expected_digest: facts.expectedDigest,
    actual_digest: facts.actualDigest,
  };
}

/** `{ "role": { … } | "refused", "identity": "123…" | "refused" | null, "requests": [ … ] }`: roles that are assumed first. */
export function assume({ role, identity, requests }: Args): Promise<unknown[]> {
  const refuse = () => Promise.reject(new Error('refused'));
  return each<Args>(requests, async (request) => {
    let calls = 0;
    const result = await assumeFirst(
      {
        sts: {
          assumeRole: () => {
            calls += 1;
            return role === 'refused' ? refuse() : Promise.resolve(toRole(role as Args));
          },
        },
        callerIdentity: () => ({
          getCallerIdentity: () => {
            calls += 1;
            return identity === 'refused'
              ? refuse()
              : Promise.resolve({ Account: (identity ?? undefined) as string | undefined });
          },
        }),
      },
      renameKeys(request, toCamel) as AssumeRoleRequest,
    );
    return {
      state: result.state,
      expected_account_id: result.expectedAccountId,
      actual_account_id: result.actualAccountId,
      has_credentials: 'credentials' in result,
      code: 'error' in result ? result.error.code : '',
      calls,
    };
  });
}

function toRole({ access_key_id, secret_access_key, session_token, expiration }: Args): AssumeRoleOutput {
  return {
    Credentials: {
      AccessKeyId: access_key_id as string,
      SecretAccessKey: secret_access_key as string,
      SessionToken: session_token as string,
      Expiration: new Date(expiration as string),
    },
  };
}
