import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { decodeQueryPart, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { type Delivered, type EventContext, type Outcome, settle } from '@sallyport/streams/delivery';
import { invalidAnswer, invalidEvent } from '../errors.js';
import { readFailure } from '../internal/answer.js';
import { assertHandler } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger, TriggerSurface } from '../internal/surface.js';

/** An object of a job: https://docs.aws.amazon.com/AmazonS3/latest/userguide/batch-ops-invoke-lambda.html. */
export interface S3BatchTask {
  /** The id of the task; equal for retries. */
  readonly taskId: string;
  /** The id of the job. */
  readonly jobId: string;
  /** The name of the bucket. */
  readonly bucket: string;
  /** The key, decoded: tasks have it URL-encoded. */
  readonly key: string;
  /** The version; absent if the manifest contains no versions. */
  readonly versionId?: string;
  /** Arguments of the job for the function; only jobs with schema 2.0 have arguments. */
  readonly userArguments: Readonly<Record<string, string>>;
}

/** Handles one object. A string that it returns is in the job's report, cut to 8,192 characters. */
export type S3BatchHandler = (ctx: EventContext, task: S3BatchTask) => MaybePromise<string | undefined>;

/** The result of one task. */
export interface S3BatchResult {
  /** The id of the task. */
  readonly taskId: string;
  /** Outcome: done, to be retried, or failed permanently. */
  readonly resultCode: 'Succeeded' | 'TemporaryFailure' | 'PermanentFailure';
  /** Text for the report. */
  readonly resultString: string;
}

/** The answer to a job. */
export interface S3BatchAnswer {
  /** The version of the event. */
  readonly invocationSchemaVersion: string;
  /** Outcome of a task without a result; every task has a result. */
  readonly treatMissingKeysAs: 'TemporaryFailure';
  /** The id of the invocation. */
  readonly invocationId: string;
  /** One result for each task, in order. */
  readonly results: S3BatchResult[];
}

/** Row, natural key and answer of jobs of S3 Batch Operations. @internal */
export const S3_BATCH_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 's3-batch',
  anyOf: [
    [
      { path: 'invocationSchemaVersion', test: 'text' },
      { path: 'invocationId', test: 'text' },
      { path: 'job.id', test: 'text' },
      { path: 'tasks[0]', test: 'object' },
    ],
  ],
  sample: { invocationSchemaVersion: '1.0', invocationId: 'i', job: { id: 'j' }, tasks: [{ taskId: 't', s3Key: 'k' }] },
  key: ({ record, id }: Delivered) => keyOf((record as S3BatchTask).jobId, id),
  answer: 'one result a task',
});

/** Temporary failures. */
const TEMPORARY: readonly string[] = ['app.timeout', 'app.overloaded', 'app.rate_limited', 'streams.deadline_exceeded'];

/** The function of an S3 Batch Operations job. */
export class S3Batch extends TriggerSurface {
  readonly #handler: S3BatchHandler;

  constructor(handler: S3BatchHandler) {
    super(S3_BATCH_TRIGGER);
    assertHandler(handler);
    this.#handler = handler;
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { tasks, job } = membersOf(event);
    const { id: jobId, userArguments } = membersOf(job);
    const texts = Object.entries(membersOf(userArguments)).filter(([, value]) => typeof value === 'string');
    const shared = { jobId: stringOf(jobId), userArguments: Object.fromEntries(texts) as Record<string, string> };
    const ids = new Set<string>();
    return recordsOf(this.kind, 'tasks', tasks).map((task, index) => {
      const record = { ...toTask(task, `tasks[${index}]`), ...shared };
      if (ids.has(record.taskId)) throw invalidEvent(this.kind, `tasks[${index}].taskId is not unique`);
      ids.add(record.taskId);
      const source = sourceOf(record.bucket, task.s3BucketArn ?? `arn:aws:s3:::${record.bucket}`);
      return { handler: this.#handler, record, id: record.taskId, name: '', source };
    });
  }

  protected override async answer(
    items: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<S3BatchAnswer> {
    const checked = items.map((item) => ({
      ...item,
      handler: async (ctx: EventContext, task: never) => toText(await item.handler(ctx, task)),
    }));
    const outcomes = await settle(this.delivery, checked, lambdaContext);
    const { invocationSchemaVersion, invocationId } = membersOf(event);
    return {
      invocationSchemaVersion: stringOf(invocationSchemaVersion),
      treatMissingKeysAs: 'TemporaryFailure',
      invocationId: stringOf(invocationId),
      results: items.map(({ id }, index) => toResult(id, outcomes[index])),
    };
  }
}

/** Schema 1.0 has the ARN of the bucket, 2.0 its name. */
function toTask({ taskId, s3Key, s3VersionId, s3BucketArn, s3Bucket }: Members, place: string) {
  const kind = 's3-batch';
  const bucket = stringOf(s3Bucket ?? stringOf(s3BucketArn).split(':').at(-1));
  return {
    taskId: requiredText(kind, `${place}.taskId`, taskId),
    bucket: requiredText(kind, `${place}.s3Bucket or s3BucketArn`, bucket),
    // As AWS's sample functions do (`unquote_plus`): a `+` is a blank.
    key: decodeQueryPart(requiredText(kind, `${place}.s3Key`, s3Key)),
    ...(typeof s3VersionId === 'string' && { versionId: s3VersionId }),
  };
}

/** The most characters of a result: an answer has at most 6 MB. */
const MAX_RESULT = 8_192;

/** @throws FrameworkError `triggers.invalid_answer` for a value that is not a string or `undefined` */
function toText(result: unknown): string {
  if (result === undefined || result === null) return '';
  if (typeof result === 'string') return result.slice(0, MAX_RESULT);
  throw invalidAnswer('must be a string or undefined');
}

/** The report is a file of the account: it contains the code of an error, never its message. */
function toResult(taskId: string, outcome: Outcome | undefined): S3BatchResult {
  if (outcome && 'value' in outcome) {
    return { taskId, resultCode: 'Succeeded', resultString: stringOf(outcome.value) };
  }
  const thrown = outcome?.thrown;
  const code = readFailure(thrown)?.code ?? (outcome ? 'app.internal' : 'app.timeout');
  const resultCode = TEMPORARY.includes(code) ? 'TemporaryFailure' : 'PermanentFailure';
  return { taskId, resultCode, resultString: code };
}

/**
 * Makes the surface for jobs of S3 Batch Operations. Each task gets one result. S3 retries `app.timeout`, `app.overloaded` and
 * `app.rate_limited`; every other failure is permanent.
 *
 * @throws FrameworkError `app.invalid_configuration` for a handler that is not a function
 * @example
 * const job = s3Batch(async (ctx, { bucket, key }) => `${await resize(bucket, key)} bytes`);
 * const app = new SecureApp({ principalResolver, surfaces: [job] });
 */
export function s3Batch(handler: S3BatchHandler): S3Batch {
  return new S3Batch(handler);
}
