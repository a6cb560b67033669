import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

// Configured only by the variables of the run.
const sqs = new SQSClient({});

interface Event {
  readonly send?: string;
  readonly Records?: readonly { readonly messageId: string; readonly body: string }[];
}

/** Sends the messages of its event, and fails for messages that request a failure: a handler without a framework. */
export const handler = async ({ send, Records = [] }: Event) => {
  if (send === undefined) {
    const failed = Records.filter(({ body }) => body === 'bad');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  }
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'orders' }));
  return (await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: send }))).MessageId;
};
