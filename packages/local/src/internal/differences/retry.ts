import { type Difference, type HttpDoorKind, toDifference } from '@sallyport/testkit/events';

type Settings = Readonly<Record<string, unknown>>;

const minutes = (ms: number) => (ms >= 60_000 ? `${ms / 60_000} minutes` : `${ms / 1000} seconds`);

/**
 * Describes what AWS does with the event of a source after a failed invocation: who delivers it again, and when.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html,
 * https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html,
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function sourceRetry(kind: string, settings: Settings): Difference {
  return toDifference('retry', textOf(kind, settings));
}

function textOf(kind: string, settings: Settings): string {
  if (kind === 'queue') {
    const { visibilityTimeoutMs = 30_000, maxReceiveCount = 3 } = settings;
    return `SQS delivers the messages again after the visibility timeout of ${minutes(Number(visibilityTimeoutMs))}, and moves them to the dead-letter queue after ${Number(maxReceiveCount)} receptions`;
  }
  if (kind === 'stream' || kind === 'table-stream') {
    const { maximumRetryAttempts } = settings;
    const limit =
      maximumRetryAttempts === undefined
        ? 'until it succeeds or its records expire, because no setting states MaximumRetryAttempts'
        : `at most ${Number(maximumRetryAttempts)} times`;
    return `Lambda sends the batch again ${limit}; meanwhile the shard does not advance`;
  }
  const { maximumRetryAttempts = 2 } = settings;
  const times = Number(maximumRetryAttempts);
  if (times === 0) return 'Lambda does not invoke the function again: MaximumRetryAttempts is 0';
  return `Lambda invokes the function again after 1 minute${times > 1 ? ', and again 2 minutes later' : ''}; then the event goes to the failure destination, if it exists`;
}

const NAMES: Readonly<Record<HttpDoorKind, string>> = {
  'gateway-v2': 'The HTTP API',
  'gateway-v1': 'The REST API',
  'load-balancer': 'The load balancer',
  'function-url': 'The function URL',
};

/** A failed request: no door repeats it. */
export function doorRetry(kind: HttpDoorKind, status: number): Difference {
  return toDifference('retry', `${NAMES[kind]} does not invoke the function again: the client receives ${status}`);
}
