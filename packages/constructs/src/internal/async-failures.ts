import type { CfnEventInvokeConfig, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { makeFailureQueue } from './failure-queue.js';
import { grantOn } from './grants.js';
import { misuse } from './misuse.js';

/**
 * Keeps events that the function fails for and that AWS sent without waiting: Lambda tries twice more and drops them otherwise. A function has
 * one such destination; the first trigger makes it, unless the application configured its own.
 *
 * @param given the queue that the trigger was given, if it was
 * @param make makes a queue where no destination is there
 * @returns the destination; `undefined` where another one is there already, and none was given
 * @throws ConstructError `constructs.conflict` for a queue that would be a second destination
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function keepAsyncFailures(
  trigger: Construct,
  fn: IFunction,
  given: IQueue | undefined,
  make: () => IQueue = () => makeFailureQueue(trigger, 'Failures'),
): IQueue | undefined {
  const config = fn.node.tryFindChild('EventInvokeConfig')?.node.defaultChild as CfnEventInvokeConfig | undefined;
  if (config !== undefined) {
    if (given !== undefined) refuseSecond(trigger, fn, config, given);
    return given;
  }
  const queue = given ?? make();
  fn.configureAsyncInvoke({
    onFailure: {
      bind() {
        grantOn(fn, ['sqs:SendMessage'], [queue.queueArn]);
        return { destination: queue.queueArn };
      },
    },
  });
  return queue;
}

function refuseSecond(trigger: Construct, fn: IFunction, config: CfnEventInvokeConfig, given: IQueue): void {
  const settings = config.destinationConfig as CfnEventInvokeConfig.DestinationConfigProperty | undefined;
  const destination = (settings?.onFailure as CfnEventInvokeConfig.OnFailureProperty | undefined)?.destination;
  // Not resolved: queues of two stacks may have the same logical id.
  if (destination === given.queueArn) return;
  const has =
    destination === undefined ? 'settings for such events without a destination' : 'a destination for failed events';
  throw misuse(trigger, {
    what: `failureQueue, and ${fn.node.path} has ${has} already`,
    expected:
      'none, the same queue, ownAlias: true, or the queue at the first trigger of the function that AWS invokes asynchronously',
    code: 'constructs.conflict',
  });
}
