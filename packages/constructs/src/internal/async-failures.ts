import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { grantOn } from './grants.js';

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
