import type { CfnEventInvokeConfig, CfnFunction, IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { durableOf } from './durable.js';
import { grantSend, makeFailureQueue, noteFailureQueue } from './failure-queue.js';
import { misuse } from './misuse.js';
import { functionBehind } from './targets.js';

/**
 * Keeps the events of asynchronous invocations that fail: otherwise Lambda retries twice and drops them. A function has
 * one failure destination: a queue that belongs to the function, so that the order of its triggers does not matter, unless the application
 * configured its own.
 *
 * @param given the queue that was passed to the trigger, if any
 * @returns the destination; `undefined` if the application configured another destination and no queue was passed
 * @throws ConstructError `constructs.conflict` for a queue that would be a second destination
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function keepAsyncFailures(trigger: Construct, fn: IFunction, given: IQueue | undefined): IQueue | undefined {
  if (durableOf(functionBehind(fn))) return deadLettersOf(trigger, functionBehind(fn) as LambdaFunction, given);
  const config = fn.node.tryFindChild('EventInvokeConfig')?.node.defaultChild as CfnEventInvokeConfig | undefined;
  if (config !== undefined) {
    if (given !== undefined) refuseSecond(trigger, fn, config, given);
    return given ?? (functionBehind(fn).node.tryFindChild(QUEUE) as IQueue | undefined);
  }
  const queue = given ?? ownQueue(fn);
  noteFailureQueue(fn, queue);
  fn.configureAsyncInvoke({
    onFailure: {
      bind() {
        grantSend(queue, fn);
        return { destination: queue.queueArn };
      },
    },
  });
  return queue;
}

const QUEUE = 'AsyncFailures';

/**
 * AWS Lambda has no destinations for durable functions, only dead-letter queues.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/durable-invoking.html
 */
function deadLettersOf(trigger: Construct, fn: LambdaFunction, given: IQueue | undefined): IQueue {
  const resource = fn.node.defaultChild as CfnFunction;
  const queue = given ?? ownQueue(fn as IFunction);
  const { targetArn } = (resource.deadLetterConfig ?? {}) as CfnFunction.DeadLetterConfigProperty;
  if (targetArn !== undefined && targetArn !== queue.queueArn) {
    throw misuse(trigger, {
      what: `failureQueue, and ${fn.node.path} is durable and has a dead-letter queue already`,
      expected: 'none, or the same queue: a durable function has one dead-letter queue',
      code: 'constructs.conflict',
    });
  }
  resource.deadLetterConfig = { targetArn: queue.queueArn };
  noteFailureQueue(fn as IFunction, queue);
  grantSend(queue, fn);
  return queue;
}

/** One queue for the function and all its aliases. */
function ownQueue(fn: IFunction): IQueue {
  const behind = functionBehind(fn);
  return (
    (behind.node.tryFindChild(QUEUE) as IQueue | undefined) ?? makeFailureQueue(behind as unknown as Construct, QUEUE)
  );
}

function refuseSecond(trigger: Construct, fn: IFunction, config: CfnEventInvokeConfig, given: IQueue): void {
  const settings = config.destinationConfig as CfnEventInvokeConfig.DestinationConfigProperty | undefined;
  const destination = (settings?.onFailure as CfnEventInvokeConfig.OnFailureProperty | undefined)?.destination;
  // Not resolved: queues of two stacks can have equal logical ids.
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
