import { defineOptions, object, oneOf, string } from '@sallyport/core/options';
import { S3_BATCH_TRIGGER, s3Batch } from '../kinds/s3-batch.js';
import { describeTrigger } from './entry.js';
import { only } from './internal/build.js';

/** Options of {@link buildS3BatchEvent}. */
export interface S3BatchEventOptions {
  /** Default `1.0`. */
  readonly schema?: '1.0' | '2.0';
  /** The key as text; it is encoded here. Default `key-1`. */
  readonly key?: string;
  /** Default: none. */
  readonly versionId?: string;
  /** Arguments of the job for the function; schema 2.0 only. Default: none. */
  readonly userArguments?: Readonly<Record<string, string>>;
}

const S3_BATCH_EVENT = /* @__PURE__ */ defineOptions<S3BatchEventOptions>()({
  schema: oneOf('1.0', '2.0').default('1.0'),
  key: string.default('key-1'),
  versionId: string,
  userArguments: object<Readonly<Record<string, string>>>(),
});

/** An invocation by a job of S3 Batch Operations, in the form of its documentation. */
export interface S3BatchEvent {
  /** `1.0` or `2.0`. */
  readonly invocationSchemaVersion: string;
  /** The id of the invocation. */
  readonly invocationId: string;
  /** The job. */
  readonly job: { readonly id: string; readonly userArguments?: Record<string, string> };
  /** The objects; S3 sends one with each invocation. */
  readonly tasks: {
    readonly taskId: string;
    readonly s3Key: string;
    readonly s3VersionId: string | null;
    readonly s3BucketArn?: string;
    readonly s3Bucket?: string;
  }[];
}

/**
 * Builds a task of a job of S3 Batch Operations.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/batch-ops-invoke-lambda.html
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example buildS3BatchEvent('uploads', { key: 'a b.txt' });
 */
export function buildS3BatchEvent(bucket: string, options: S3BatchEventOptions = {}): S3BatchEvent {
  const { schema, key, versionId = null, userArguments = {} } = S3_BATCH_EVENT.parse(options);
  const place = schema === '1.0' ? { s3BucketArn: `arn:aws:s3:::${bucket}` } : { s3Bucket: bucket };
  return {
    invocationSchemaVersion: schema,
    invocationId: 'invocation-1',
    job: { id: 'job-1', ...(schema === '2.0' && { userArguments: { ...userArguments } }) },
    tasks: [{ taskId: 'task-1', s3Key: encodeURIComponent(key), s3VersionId: versionId, ...place }],
  };
}

/** S3 Batch Operations jobs in the catalogue. @internal */
export const S3_BATCH = /* @__PURE__ */ describeTrigger(S3_BATCH_TRIGGER, {
  sample: {
    build: buildS3BatchEvent,
    events: [
      [buildS3BatchEvent('uploads'), 'job-1|task-1'],
      [buildS3BatchEvent('uploads', { schema: '2.0' }), 'job-1|task-1'],
    ],
    names: [''],
    register: (handlers) => s3Batch(only(handlers)),
  },
  docs: {
    section: 'S3 Batch Operations jobs',
    rows: [
      [
        '`s3Batch(handler)`; `S3Batch`, `S3BatchHandler`, `S3BatchTask`, `S3BatchResult`, `S3BatchAnswer`',
        'jobs of S3 Batch Operations',
      ],
    ],
  },
  construct: null,
  simulate: 'batchJob',
  aws: {
    author: 'S3; the job wrote its arguments',
    failure: 'S3 retries the task, then reports a failure',
    limit: '6 MB',
    attached: 'the job',
  },
  sizes: { factory: 's3Batch', gzipBytes: 11_400 },
});
