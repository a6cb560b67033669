import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createS3ObjectStore } from '@sallyport/objectstore';
import { createExports } from './exports.js';
import { required } from './required.js';
import { TableNotes } from './table-notes.js';

const queues = new SQSClient({ maxAttempts: 3 });
const QueueUrl = required('NOTES_APPROVALS_QUEUE_URL');

const app = createExports({
  notes: new TableNotes(required('NOTES_TABLE')),
  files: { bucket: required('NOTES_BUCKET'), store: createS3ObjectStore() },
  // The queue is encrypted, and its reader sends the callback id to the user who approves.
  ask: (question) =>
    queues.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(question) }), {
      abortSignal: AbortSignal.timeout(5_000),
    }),
});

export const handler = app.handleLambda;
