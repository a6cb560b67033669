import { randomUUID } from 'node:crypto';
import type { EngineChange } from '@sallyport/testkit/engines';

/** The queues that receive the records of failures, as AWS sends them to a failure destination. */
export interface FailureQueues {
  /** Sends a message. @returns its id */
  add(queue: string, body: object): string;
  /** True until a client has deleted the message. */
  has(queue: string, id: string): boolean;
  remove(queue: string, id: string): void;
}

/** The last invocation of a record. */
export interface LastInvocation {
  readonly requestId: string;
  /** The error of the function; `undefined` if its response reported failed records. */
  readonly error: { readonly errorType: string; readonly errorMessage: string } | undefined;
}

/**
 * The name of the queue that receives the failures of a source: `clicks-failed`. SQS allows 80 characters.
 *
 * @param fn one of several functions of the source: each mapping has its own destination
 */
export function failureQueueOf(source: string, fn?: string): string {
  const name = fn === undefined ? source : `${source}-${fn}`;
  return `${name.replace(/[^\w-]/g, '_').slice(0, 73)}-failed`;
}

/** The common part of all records of failures. */
interface Failure {
  readonly functionArn: string;
  readonly condition: string;
  readonly attempts: number;
  readonly last: LastInvocation | undefined;
  readonly at: Date;
}

function toRecord({ functionArn, condition, attempts, last, at }: Failure): object {
  return {
    version: '1.0',
    timestamp: at.toISOString(),
    requestContext: {
      requestId: last?.requestId ?? randomUUID(),
      functionArn,
      condition,
      approximateInvokeCount: attempts,
    },
    ...(last && {
      responseContext: {
        statusCode: 200,
        executedVersion: '$LATEST',
        ...(last.error && { functionError: 'Unhandled' }),
      },
    }),
  };
}

/** The record of an asynchronous event: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
export function asyncFailure(
  { state, deliveries }: Pick<EngineChange<unknown>, 'state' | 'deliveries'>,
  event: unknown,
  known: Omit<Failure, 'condition' | 'attempts'>,
): object {
  const condition = state === 'expired' ? 'EventAgeExceeded' : 'RetriesExhausted';
  const { errorType, errorMessage } = known.last?.error ?? { errorType: 'Error', errorMessage: '' };
  return {
    ...toRecord({ ...known, condition, attempts: deliveries }),
    requestPayload: event,
    ...(known.last && { responsePayload: { errorMessage, errorType } }),
  };
}

/** The position of the records that a mapping gave up together. */
export interface GivenUpBatch {
  readonly shardId: string;
  readonly startSequenceNumber: string;
  readonly endSequenceNumber: string;
  readonly approximateArrivalOfFirstRecord: string;
  readonly approximateArrivalOfLastRecord: string;
  readonly batchSize: number;
  readonly streamArn: string;
}

/**
 * The record of a batch, which does not contain its records.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
export function batchFailure(
  member: 'KinesisBatchInfo' | 'DDBStreamBatchInfo',
  { state, deliveries }: Pick<EngineChange<unknown>, 'state' | 'deliveries'>,
  batch: GivenUpBatch,
  known: Omit<Failure, 'condition' | 'attempts'>,
): object {
  const condition = state === 'expired' ? 'RecordAgeExceeded' : 'RetryAttemptsExhausted';
  return { ...toRecord({ ...known, condition, attempts: deliveries }), [member]: batch };
}
