import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { makeFailureQueue } from './failure-queue.js';
import { grantOn } from './grants.js';
import { misuse } from './misuse.js';

/**
 * Keeps events of topics and rules that the function fails for: Lambda tries twice more and drops them otherwise. A function has one
 * such destination; the first trigger makes it, unless the application configured its own.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function keepAsyncFailures(fn: IFunction, queue: IQueue): void {
  if (fn.node.tryFindChild('EventInvokeConfig') !== undefined) return;
  fn.configureAsyncInvoke({
    onFailure: {
      bind() {
        grantOn(fn, ['sqs:SendMessage'], [queue.queueArn]);
        return { destination: queue.queueArn };
      },
    },
  });
}

/**
 * Makes sure that events which the function fails for are kept, where nothing else of a trigger keeps them.
 *
 * @returns the queue; `undefined` where the function has a destination already
 * @throws ConstructError `constructs.conflict` for a queue that would be a second destination
 */
export function requireAsyncFailures(trigger: Construct, fn: IFunction, given: IQueue | undefined): IQueue | undefined {
  if (fn.node.tryFindChild('EventInvokeConfig') === undefined) {
    const queue = given ?? makeFailureQueue(trigger, 'Failures');
    keepAsyncFailures(fn, queue);
    return queue;
  }
  if (given === undefined) return undefined;
  throw misuse(trigger, {
    what: `failureQueue, and ${fn.node.path} has a destination for failed events already`,
    expected: 'none, ownAlias: true, or the queue at the first trigger of the function that AWS invokes asynchronously',
    code: 'constructs.conflict',
  });
}
