export {
  type ArtifactEntry,
  artifactDigest,
  fetchVersionedArtifact,
  MAX_VERSIONED_ARTIFACT_BYTES,
  MAX_VERSIONED_ARTIFACT_ENTRIES,
  type VersionedArtifact,
  type VersionedArtifactRequest,
} from './artifact/artifact.js';
export {
  ARTIFACT_CODES,
  ArtifactError,
  type ArtifactErrorCode,
  type ArtifactFacts,
  type ArtifactFailure,
  type ArtifactVerificationState,
  OBJECT_STORE_CODES,
  ObjectStoreError,
  type ObjectStoreErrorCode,
  type ObjectStoreErrorInit,
} from './errors.js';
export {
  MAX_PRESIGN_PUT_EXPIRES_IN,
  type PresignPutInput,
  type UploadGrant,
  type UploadGrants,
} from './grants/grant.js';
export { createUploadGrants, type UploadGrantsOptions } from './grants/grants.js';
export { formatObjectRef, type ObjectRef, parseObjectRef } from './refs/ref.js';
export type { Encryption } from './store/encryption.js';
export { createS3ObjectStore, type S3ObjectStoreOptions } from './store/s3-store.js';
export type {
  DeleteObjectInput,
  GetObjectInput,
  ObjectCallOptions,
  ObjectStore,
  PutObjectInput,
  StoredObject,
} from './store/store.js';
