import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IEventSourceDlq } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.js';
import { grantOn } from './grants.js';

/** Settings that differ from the usual failure queue. */
export interface FailureQueueProps {
  readonly fifo?: boolean | undefined;
  readonly encryptionKey?: IKey | undefined;
}

/** A queue for failed events: 14 days, encrypted, TLS only, kept when the stack is removed. */
export function makeFailureQueue(scope: Construct, id: string, props: FailureQueueProps = {}): Queue {
  const { fifo, encryptionKey } = props;
  const queue = new Queue(scope, id, {
    ...(fifo && { fifo: true }),
    retentionPeriod: Duration.days(14),
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN,
    ...(encryptionKey
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }
      : { encryption: QueueEncryption.SQS_MANAGED }),
  });
  const reason = 'it is a failure queue: undeliverable events end here';
  acknowledge(queue, 'AwsSolutions::AwsSolutions-SQS3', reason);
  acknowledge(queue, 'Serverless::Serverless-SQSRedrivePolicy', reason);
  return queue;
}

/** The queue as the destination of an event source mapping, which sends as the function. */
export function sendingTo(queue: IQueue): IEventSourceDlq {
  return {
    bind(_mapping, target) {
      grantOn(target, ['sqs:SendMessage'], [queue.queueArn]);
      return { destination: queue.queueArn };
    },
  };
}
