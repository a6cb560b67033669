import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Stream, StreamMode } from 'aws-cdk-lib/aws-kinesis';
import { type Function as ServiceFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { KinesisEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';

/** The queues, the stream and the schedule that invoke the service. */
export function addEvents(stack: Stack, service: ServiceFunction): void {
  // Six times the function timeout, as AWS recommends.
  const visibilityTimeout = Duration.seconds(90);
  const failed = new Queue(stack, 'Failed', { retentionPeriod: Duration.days(14) });
  const failedBills = new Queue(stack, 'FailedBills', { fifo: true, retentionPeriod: Duration.days(14) });
  const orders = new Queue(stack, 'Orders', {
    visibilityTimeout,
    deadLetterQueue: { queue: failed, maxReceiveCount: 5 },
  });
  const bills = new Queue(stack, 'Bills', {
    fifo: true,
    visibilityTimeout,
    deadLetterQueue: { queue: failedBills, maxReceiveCount: 5 },
  });
  const clicks = new Stream(stack, 'Clicks', { streamMode: StreamMode.ON_DEMAND });
  // Without reportBatchItemFailures Lambda ignores the response and deletes failed messages.
  for (const queue of [orders, bills])
    service.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true }));
  service.addEventSource(
    new KinesisEventSource(clicks, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      bisectBatchOnError: true,
      retryAttempts: 10,
      reportBatchItemFailures: true,
      onFailure: new SqsDlq(failed),
    }),
  );
  new Rule(stack, 'Nightly', {
    schedule: Schedule.cron({ hour: '3', minute: '0' }),
    targets: [new LambdaFunction(service)],
  });
  const names = {
    queue: { orders: orders.queueArn, 'bills.fifo': bills.queueArn },
    kinesis: { clicks: clicks.streamArn },
  };
  service.addEnvironment('FRAMEWORK_EVENT_SOURCES', stack.toJsonString(names));
}
