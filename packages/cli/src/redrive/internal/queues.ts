import type * as Sqs from '@aws-sdk/client-sqs';
import { fromJson, membersOf, stringOf } from '@sallyport/core/internal';
import type { AwsAccess } from '../../internal/aws-access.js';
import type { QueueMessage } from './letters.js';

/** A queue of messages that were given up. */
export interface FailureQueue {
  readonly name: string;
  readonly arn: string;
  /** Receives at most 10 messages, and hides them. Waits up to 1 s for the first. */
  receive(hiddenSeconds: number): Promise<readonly QueueMessage[]>;
  /** Hides a received message for another time; 0 makes it visible. */
  hide(message: QueueMessage, seconds: number): Promise<void>;
  delete(message: QueueMessage): Promise<void>;
  /** Messages that are visible, and messages that another receiver hides; both are approximate. */
  counts(): Promise<QueueCounts>;
}

/** Approximate numbers of messages. */
export interface QueueCounts {
  readonly visible: number;
  readonly hidden: number;
}

/** SQS, as a redrive uses it. */
export interface Queues {
  /** @param name the name or the URL of a failure queue, or of a queue that has one */
  failureQueue(name: string): Promise<FailureQueue>;
  /** Sends a copy of a dead letter. @returns the id of the new message */
  send(arn: string, message: QueueMessage): Promise<string | undefined>;
  counts(arn: string): Promise<QueueCounts>;
  /** The policy for messages that fail, `''` if the queue has no policy, and the number of visible messages. */
  facts(url: string): Promise<{ readonly redrivePolicy: string; readonly visible: number }>;
}

/** @throws FrameworkError `cli.client_missing` */
export async function createQueues(access: AwsAccess): Promise<Queues> {
  const sqs = await access.load<typeof Sqs>('@aws-sdk/client-sqs');
  const client = new sqs.SQSClient(access.settings);
  const urls = new Map<string, string>();

  async function urlOf(arn: string): Promise<string> {
    const known = urls.get(arn);
    if (known !== undefined) return known;
    const [, , , , owner, name = arn] = arn.split(':');
    const url = name.startsWith('https://') || name.startsWith('http://') ? name : await lookUp(name, owner);
    urls.set(arn, url);
    return url;
  }

  async function lookUp(QueueName: string, owner: string | undefined): Promise<string> {
    const input = { QueueName, ...(owner !== undefined && { QueueOwnerAWSAccountId: owner }) };
    const command = new sqs.GetQueueUrlCommand(input);
    const { QueueUrl = '' } = await access.call(`sqs:GetQueueUrl ${QueueName}`, (options) =>
      client.send(command, options),
    );
    return QueueUrl;
  }

  async function attributes(url: string): Promise<Readonly<Record<string, string>>> {
    const command = new sqs.GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] });
    const { Attributes = {} } = await access.call('sqs:GetQueueAttributes', (options) => client.send(command, options));
    return Attributes;
  }

  async function countsOf(url: string): Promise<QueueCounts> {
    const all = await attributes(url);
    const count = (name: string) => Number(all[`ApproximateNumberOfMessages${name}`] ?? 0);
    return { visible: count('') + count('Delayed'), hidden: count('NotVisible') };
  }

  return {
    async failureQueue(name) {
      const isUrl = /^https?:\/\//.test(name);
      const given = isUrl ? name : await urlOf(name);
      const all = await attributes(given);
      const target = stringOf(membersOf(fromJson(all.RedrivePolicy)).deadLetterTargetArn);
      const url = target === '' ? given : await urlOf(target);
      const arn = target === '' ? (all.QueueArn ?? name) : target;
      return {
        name: arn.split(':').at(-1) ?? arn,
        arn,
        async receive(VisibilityTimeout) {
          const command = new sqs.ReceiveMessageCommand({
            ...{ QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout, WaitTimeSeconds: 1 },
            ...{ MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['All'] },
          });
          const { Messages = [] } = await access.call('sqs:ReceiveMessage', (options) => client.send(command, options));
          return Messages;
        },
        async hide({ ReceiptHandle }, VisibilityTimeout) {
          const command = new sqs.ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout });
          await access.call('sqs:ChangeMessageVisibility', (options) => client.send(command, options));
        },
        async delete({ ReceiptHandle }) {
          const command = new sqs.DeleteMessageCommand({ QueueUrl: url, ReceiptHandle });
          await access.call('sqs:DeleteMessage', (options) => client.send(command, options));
        },
        counts: () => countsOf(url),
      };
    },
    async send(arn, message) {
      const command = new sqs.SendMessageCommand({ QueueUrl: await urlOf(arn), ...copyOf(message) });
      const { MessageId } = await access.call(`sqs:SendMessage ${arn}`, (options) => client.send(command, options));
      return MessageId;
    },
    counts: async (arn) => countsOf(await urlOf(arn)),
    async facts(url) {
      const { RedrivePolicy = '', ApproximateNumberOfMessages = '0' } = await attributes(url);
      return { redrivePolicy: RedrivePolicy, visible: Number(ApproximateNumberOfMessages) };
    },
  };
}

/** The body, the attributes, the group and the trace of a message. */
function copyOf(message: QueueMessage): Omit<Sqs.SendMessageCommandInput, 'QueueUrl'> {
  const { MessageId: id = '', Body, Attributes = {}, MessageAttributes = {} } = message;
  const { MessageGroupId, MessageDeduplicationId, AWSTraceHeader } = Attributes;
  const attributes = Object.entries(MessageAttributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
    name,
    { DataType, ...(StringValue !== undefined && { StringValue }), ...(BinaryValue && { BinaryValue }) },
  ]);
  return {
    MessageBody: Body ?? '',
    ...(attributes.length > 0 && { MessageAttributes: Object.fromEntries(attributes) }),
    ...(MessageGroupId !== undefined && { MessageGroupId }),
    // A FIFO queue ignores a second copy within 5 minutes. The id of its sender would make it ignore the first one.
    ...(MessageDeduplicationId !== undefined && { MessageDeduplicationId: `redrive-${id}` }),
    ...(AWSTraceHeader !== undefined && {
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: AWSTraceHeader } },
    }),
  };
}
