import { brandError, SQS_MAX_VISIBILITY_SECONDS } from '@sallyport/core/internal';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type CfnQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration, RemovalPolicy, Token } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';
import { makeFailureQueue } from '../internal/failure-queue.js';
import { misuse } from '../internal/misuse.js';
import { count, defineProps, flag, thing, time, words } from '../internal/props.js';

/** Props of {@link ServiceQueue}. */
export interface ServiceQueueProps {
  /**
   * True for a FIFO queue: messages of a group are in order, and each message is delivered once.
   *
   * @default false
   */
  readonly fifo?: boolean;
  /**
   * Receives of a message after which it is moved to the dead-letter queue, 1 to 1,000.
   *
   * @default 5
   */
  readonly maxReceiveCount?: number;
  /**
   * The time for which a received message is hidden. At least six times the function timeout.
   *
   * @default - 60 s; six times the function timeout if a trigger is attached and that is longer
   */
  readonly visibilityTimeout?: Duration;
  /**
   * The retention of messages, 1 min to 14 days.
   *
   * @default Duration.days(4)
   */
  readonly retention?: Duration;
  /**
   * Your KMS key.
   *
   * @default - encrypted with keys of SQS
   */
  readonly encryptionKey?: IKey;
  /**
   * The name of the queue.
   *
   * @default - generated
   */
  readonly queueName?: string;
}

/** Validators and defaults for {@link ServiceQueueProps}. */
export const SERVICE_QUEUE_PROPS = defineProps<ServiceQueueProps>('ServiceQueue')({
  fifo: flag.default(false),
  maxReceiveCount: count(1, 1000).default(5),
  visibilityTimeout: time(0, SQS_MAX_VISIBILITY_SECONDS),
  retention: time(60, 1_209_600).default(Duration.days(4)),
  encryptionKey: thing<IKey>('a key', 'keyArn'),
  queueName: words(),
});

/** The visibility timeout until a function is attached. */
const VISIBILITY_SECONDS = 60;

/**
 * A queue and its dead-letter queue, both encrypted and TLS-only. The dead-letter queue keeps messages for 14 days and is kept
 * when the stack is removed.
 *
 * @example
 * const orders = new ServiceQueue(this, 'Orders');
 * new QueueTrigger(this, 'OrdersTrigger', { fn, queue: orders.queue });
 */
export class ServiceQueue extends Construct {
  static {
    brandError(ServiceQueue, 'sallyport.ServiceQueue');
  }

  /** The queue. */
  readonly queue: Queue;
  /** The queue for messages that failed too often. */
  readonly deadLetterQueue: Queue;
  readonly #ownsVisibility: boolean;
  readonly #retention: Duration;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop */
  constructor(scope: Construct, id: string, props?: ServiceQueueProps) {
    super(scope, id);
    const { fifo, maxReceiveCount, visibilityTimeout, retention, encryptionKey, queueName } = SERVICE_QUEUE_PROPS.parse(
      this,
      props,
    );
    const isFifoName = queueName?.endsWith('.fifo') ?? fifo;
    if (!Token.isUnresolved(queueName) && isFifoName !== fifo) {
      const expected = fifo ? 'a name that ends in .fifo' : 'fifo: true, or a name that does not end in .fifo';
      throw misuse(this, { what: 'queueName', got: queueName, expected });
    }
    this.#ownsVisibility = visibilityTimeout === undefined;
    this.#retention = retention;
    this.#checkRetention(this, 'retention', visibilityTimeout?.toSeconds() ?? 0);
    this.deadLetterQueue = makeFailureQueue(this, 'DeadLetters', { fifo, encryptionKey });
    this.queue = new Queue(this, 'Resource', {
      // A standard queue must not have the property at all.
      ...(fifo && { fifo: true }),
      ...(queueName !== undefined && { queueName }),
      visibilityTimeout: visibilityTimeout ?? Duration.seconds(VISIBILITY_SECONDS),
      retentionPeriod: retention,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount },
      ...(encryptionKey
        ? { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }
        : { encryption: QueueEncryption.SQS_MANAGED }),
    });
  }

  /**
   * Raises the visibility timeout to six times the function timeout, unless a prop set it.
   *
   * @internal
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
   */
  _attach(by: IConstruct, seconds: number): void {
    const resource = this.queue.node.defaultChild as CfnQueue;
    const current = resource.visibilityTimeout ?? 0;
    if (current >= 6 * seconds) return;
    if (!this.#ownsVisibility) {
      throw misuse(by, {
        what: `visibilityTimeout of ${this.node.path}`,
        got: current,
        expected: `at least ${6 * seconds} s, six times the function timeout`,
      });
    }
    this.#checkRetention(by, `retention of ${this.node.path}`, 6 * seconds);
    resource.visibilityTimeout = 6 * seconds;
  }

  /** A message whose retention ends while it is hidden is lost without a retry. */
  #checkRetention(at: IConstruct, what: string, visible: number): void {
    if (this.#retention.isUnresolved() || this.#retention.toSeconds() >= visible) return;
    throw misuse(at, { what, got: this.#retention, expected: `at least the visibility timeout, ${visible} s` });
  }
}
