import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { misuse } from '../internal/misuse.js';
import { defineProps, thing, time, words } from '../internal/props.js';
import { ObjectBucket } from './object-bucket.js';

/** Props of {@link VersionedArtifactBucket}. */
export interface VersionedArtifactBucketProps {
  /**
   * The retention of a version after a newer one replaced it, in whole days, 1 to 3,650. Keep versions longer than any deployment
   * that you may roll back to.
   *
   * @default - forever
   */
  readonly oldVersionRetention?: Duration;
  /**
   * Your KMS key.
   *
   * @default - encrypted with keys of S3
   */
  readonly encryptionKey?: IKey;
  /**
   * The bucket that gets the access log.
   *
   * @default - no access log
   */
  readonly accessLogBucket?: IBucket;
  /**
   * The name of the bucket.
   *
   * @default - generated
   */
  readonly bucketName?: string;
}

const DAY = 86_400;

/** Validators and defaults for {@link VersionedArtifactBucketProps}. */
export const VERSIONED_ARTIFACT_BUCKET_PROPS = defineProps<VersionedArtifactBucketProps>('VersionedArtifactBucket')({
  oldVersionRetention: time(DAY, 3650 * DAY),
  encryptionKey: thing<IKey>('a key', 'keyArn'),
  accessLogBucket: thing<IBucket>('a bucket', 'bucketArn'),
  bucketName: words(),
});

/**
 * A bucket for deployment artifacts: code and image archives. It is an {@link ObjectBucket} that keeps every version, so an old
 * deployment still finds its archive. No method grants deletion.
 *
 * @example
 * const artifacts = new VersionedArtifactBucket(this, 'Artifacts');
 * artifacts.grantPublish(pipelineRole, 'images/');
 */
export class VersionedArtifactBucket extends Construct {
  /** The bucket. */
  readonly bucket: Bucket;
  readonly #objects: ObjectBucket;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop */
  constructor(scope: Construct, id: string, props?: VersionedArtifactBucketProps) {
    super(scope, id);
    const { oldVersionRetention, ...others } = VERSIONED_ARTIFACT_BUCKET_PROPS.parse(this, props);
    if (oldVersionRetention && oldVersionRetention.toMilliseconds() % (DAY * 1000) !== 0) {
      throw misuse(this, { what: 'oldVersionRetention', got: oldVersionRetention, expected: 'whole days' });
    }
    const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
    this.#objects = new ObjectBucket(this, 'Resource', { ...given, versioned: true });
    this.bucket = this.#objects.bucket;
    if (oldVersionRetention) this.bucket.addLifecycleRule({ noncurrentVersionExpiration: oldVersionRetention });
  }

  /** Grants writing archives whose keys begin with a prefix; an archive of the same key becomes an old version. */
  grantPublish(grantee: IGrantable, prefix = ''): Grant {
    return this.#objects.grantUpload(grantee, prefix);
  }

  /** Grants reading archives, with their versions, whose keys begin with a prefix. */
  grantRead(grantee: IGrantable, prefix = ''): Grant {
    return this.#objects.grantRead(grantee, prefix);
  }
}
