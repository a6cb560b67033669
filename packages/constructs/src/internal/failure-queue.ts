import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Alias, type IKey } from 'aws-cdk-lib/aws-kms';
import type { IEventSourceDlq, IFunction } from 'aws-cdk-lib/aws-lambda';
import { type CfnQueue, type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import { acknowledge } from './acknowledge.js';
import { grantOn } from './grants.js';
import { allowService, grantKey } from './keys.js';
import { sharedRegistry } from './shared.js';
import { functionBehind } from './targets.js';

const failureQueues = sharedRegistry<IFunction, Set<IQueue>>('failure-queues/1');

/** Records a queue to which failed events of a function are sent. */
export function noteFailureQueue(fn: IFunction, queue: IQueue | undefined): void {
  const behind = functionBehind(fn);
  const known = failureQueues.get(behind) ?? new Set();
  failureQueues.set(behind, known);
  if (queue) known.add(queue);
}

/** The queues to which failed events of a function are sent. */
export function failureQueuesOf(fn: IFunction): readonly IQueue[] {
  return [...(failureQueues.get(functionBehind(fn)) ?? [])];
}

const MANAGED_KEY = 'alias/aws/sqs';

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

/** The queue as the destination of an event source mapping or of asynchronous invocations, which send as the function. */
export function sendingTo(queue: IQueue): IEventSourceDlq {
  return {
    bind(_mapping, target) {
      grantSend(queue, target);
      return { destination: queue.queueArn };
    },
  };
}

/**
 * Allows a service to send with the key of the queue. The CDK has no key object for the key that AWS manages.
 *
 * @throws ConstructError `constructs.invalid_prop` for a key whose policy this app cannot change
 */
export function allowSending(at: IConstruct, queue: IQueue, service: 'sns' | 'events'): void {
  const resource = queue.node.defaultChild as Partial<CfnQueue> | undefined;
  const isManaged = resource?.kmsMasterKeyId === MANAGED_KEY;
  const key = isManaged ? Alias.fromAliasName(at as Construct, 'FailuresKey', MANAGED_KEY) : queue.encryptionMasterKey;
  allowService(at, queue, key, service, 'queue', 'send');
}

/** Allows a role to send messages, with the key of the queue. */
export function grantSend(queue: IQueue, grantee: IGrantable): void {
  grantOn(grantee, ['sqs:SendMessage'], [queue.queueArn]);
  grantKey(queue.encryptionMasterKey, grantee, 'queue', 'send');
}
