import { OBJECT_STORE_ACTIONS } from '@sallyport/objectstore/schema';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Duration, RemovalPolicy, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { setVariable } from '../internal/environment.js';
import { grantKey } from '../internal/keys.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, many, thing, words } from '../internal/props.js';
import { grantOnParts } from '../internal/wildcards.js';

/** Props of {@link ObjectBucket}. */
export interface ObjectBucketProps {
  /**
   * True if overwritten and deleted objects are kept as versions. Required for references with a version.
   *
   * @default false
   */
  readonly versioned?: boolean;
  /**
   * Your KMS key. S3 calls KMS once for many objects.
   *
   * @default - encrypted with keys of S3
   */
  readonly encryptionKey?: IKey;
  /**
   * Origins of pages that upload with grants, such as `https://app.example.com`. `*` is rejected.
   *
   * @default - no CORS
   */
  readonly uploadOrigins?: readonly string[];
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

/** Props of {@link ObjectBucket.bindTo}. */
export interface BindBucketProps {
  /** The variable that gets the name of the bucket: the object store has no default bucket. */
  readonly variable: string;
  /**
   * The prefix of the keys that the function may use, such as `uploads/`.
   *
   * @default - all keys
   */
  readonly prefix?: string;
  /**
   * True if the function may write objects and grant uploads.
   *
   * @default true
   */
  readonly upload?: boolean;
  /**
   * True if the function may read objects.
   *
   * @default true
   */
  readonly read?: boolean;
  /**
   * True if the function may delete objects.
   *
   * @default false
   */
  readonly remove?: boolean;
}

/** For cdk-nag. */
const OBJECTS = 'The objects under one prefix: their keys are generated at runtime.';

/** Validators and defaults for {@link ObjectBucketProps}. */
export const OBJECT_BUCKET_PROPS = defineProps<ObjectBucketProps>('ObjectBucket')({
  versioned: flag.default(false),
  encryptionKey: thing<IKey>('a key', 'keyArn'),
  uploadOrigins: many<string>('a list of origins such as "https://app.example.com"', isOrigin).default([]),
  accessLogBucket: thing<IBucket>('a bucket', 'bucketArn'),
  bucketName: words(),
});

function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/[^/*\s]+$/.test(value);
}

/**
 * A private, encrypted bucket for `@sallyport/objectstore`. It accepts only TLS 1.2 and later, is kept when the stack is removed, and drops
 * the parts of uploads that were not completed within 7 days.
 *
 * @example new ObjectBucket(this, 'Attachments').bindTo(fn, { variable: 'NOTES_BUCKET', prefix: 'attachments/' });
 */
export class ObjectBucket extends Construct {
  /** The bucket. */
  readonly bucket: Bucket;
  readonly #versioned: boolean;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop */
  constructor(scope: Construct, id: string, props?: ObjectBucketProps) {
    super(scope, id);
    const { versioned, encryptionKey, uploadOrigins, accessLogBucket, bucketName } = OBJECT_BUCKET_PROPS.parse(
      this,
      props,
    );
    this.#versioned = versioned;
    this.bucket = new Bucket(this, 'Resource', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(7) }],
      ...(encryptionKey
        ? { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      ...(uploadOrigins.length > 0 && {
        // Grants sign headers, so a page must be allowed to send them.
        cors: [
          {
            allowedMethods: [HttpMethods.PUT],
            allowedOrigins: [...uploadOrigins],
            allowedHeaders: ['*'],
            maxAge: 3600,
          },
        ],
      }),
      ...(accessLogBucket && { serverAccessLogsBucket: accessLogBucket }),
      ...(bucketName !== undefined && { bucketName }),
    });
    if (accessLogBucket) return;
    const reason = 'An access log needs a bucket: pass it as the prop accessLogBucket.';
    acknowledge(this.bucket, 'AwsSolutions::AwsSolutions-S1', reason);
  }

  /**
   * Grants the actions for keys under a prefix, and sets a variable of your choice to the name of the bucket.
   *
   * @throws ConstructError `constructs.fixed_environment`, `constructs.conflict`, `constructs.reserved_variable`;
   *   `constructs.invalid_prop` for a prefix with `*` or `?`
   */
  bindTo(fn: IFunction, { variable, prefix = '', upload = true, read = true, remove = false }: BindBucketProps): this {
    setVariable(this, fn, variable, this.bucket.bucketName);
    if (upload) this.grantUpload(fn, prefix);
    if (read) this.grantRead(fn, prefix);
    if (remove) this.grantDelete(fn, prefix);
    return this;
  }

  /** Grants writing objects whose keys begin with a prefix; the grantee can then issue upload grants to others. */
  grantUpload(grantee: IGrantable, prefix = ''): Grant {
    grantKey(this.bucket.encryptionKey, grantee, 'bucket', 'write');
    return grantOnParts(grantee, OBJECT_STORE_ACTIONS.upload, [this.#below(prefix)], OBJECTS);
  }

  /** Grants reading objects whose keys begin with a prefix; of a versioned bucket, their versions too. */
  grantRead(grantee: IGrantable, prefix = ''): Grant {
    grantKey(this.bucket.encryptionKey, grantee, 'bucket', 'read');
    const { read, readVersion } = OBJECT_STORE_ACTIONS;
    return grantOnParts(grantee, this.#versioned ? [...read, ...readVersion] : read, [this.#below(prefix)], OBJECTS);
  }

  /** Grants deleting objects whose keys begin with a prefix; of a versioned bucket, their versions too. */
  grantDelete(grantee: IGrantable, prefix = ''): Grant {
    const { delete: remove, deleteVersion } = OBJECT_STORE_ACTIONS;
    const actions = this.#versioned ? [...remove, ...deleteVersion] : remove;
    return grantOnParts(grantee, actions, [this.#below(prefix)], OBJECTS);
  }

  #below(prefix: string): string {
    if (!Token.isUnresolved(prefix) && /[*?]|^\//.test(prefix)) {
      throw misuse(this, {
        what: 'prefix',
        got: prefix,
        expected: 'a key prefix without *, ? or a leading slash',
      });
    }
    return this.bucket.arnForObjects(`${prefix}*`);
  }
}
