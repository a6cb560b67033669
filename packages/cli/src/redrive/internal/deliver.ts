import type * as Lambda from '@aws-sdk/client-lambda';
import { fromJson, membersOf, stringOf } from '@sallyport/core/internal';
import type { AwsAccess } from '../../internal/aws-access.js';
import type { DeadLetter } from './letters.js';
import type { Queues } from './queues.js';
import { readRecords } from './stream-records.js';

/** The result of sending a dead letter back. */
export type Delivery =
  /** It was accepted: by the queue with a new id, or by the function, which handled it. */
  | { readonly kind: 'accepted'; readonly id?: string | undefined }
  /** The function failed again. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** It cannot be sent. */
  | { readonly kind: 'kept'; readonly why: string };

/** Lambda ends an invocation after 15 minutes at most. */
const INVOKE_MS = (15 * 60 + 10) * 1000;

/** Sends a dead letter to its destination. An error of AWS rejects: then it is unknown whether the letter was accepted. */
export type Deliver = (letter: DeadLetter) => Promise<Delivery>;

/** Creates the sender. Functions are invoked and awaited, so that a letter is deleted only if the function handled it. */
export function createDeliver(access: AwsAccess, queues: Queues): Deliver {
  return async ({ destination, message }) => {
    if (destination.kind === 'none') return { kind: 'kept', why: destination.why };
    if (destination.kind === 'queue') return { kind: 'accepted', id: await queues.send(destination.arn, message) };
    if (destination.kind === 'function') return invoke(access, destination.arn, destination.event);
    const event = await readRecords(access, destination.batch);
    if (!event) return { kind: 'kept', why: 'the records are no longer in the stream' };
    return invoke(access, destination.arn, event);
  };
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
async function invoke(access: AwsAccess, FunctionName: string, event: unknown): Promise<Delivery> {
  const lambda = await access.load<typeof Lambda>('@aws-sdk/client-lambda');
  // A repeated attempt of the client would invoke the function twice.
  const client = new lambda.LambdaClient({ ...access.settings, maxAttempts: 1 });
  const command = new lambda.InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) });
  const { FunctionError, Payload } = await access.call(
    `lambda:Invoke ${FunctionName}`,
    (options) => client.send(command, options),
    INVOKE_MS,
  );
  const answer = membersOf(fromJson(Buffer.from(Payload ?? []).toString()));
  if (FunctionError !== undefined) {
    return { kind: 'failed', reason: `the function failed: ${stringOf(answer.errorType) || FunctionError}` };
  }
  const failures = answer.batchItemFailures;
  if (Array.isArray(failures) && failures.length > 0) {
    return { kind: 'failed', reason: `${failures.length} of the records failed` };
  }
  return { kind: 'accepted' };
}
