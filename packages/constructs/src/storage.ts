export { type BindBucketProps, ObjectBucket, type ObjectBucketProps } from './storage/object-bucket.js';
export { VectorIndex, type VectorIndexProps } from './storage/vector-index.js';
export {
  VersionedArtifactBucket,
  type VersionedArtifactBucketProps,
} from './storage/versioned-artifact-bucket.js';
