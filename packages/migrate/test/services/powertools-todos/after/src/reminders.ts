import { SecureApp } from '@sallyport/secure';
import type { SQSRecord } from 'aws-lambda';

const recordHandler = async (record: SQSRecord): Promise<void> => {
  const { todo } = JSON.parse(record.body) as { todo?: string };
  if (!todo) throw new Error(`message ${record.messageId} has no todo`);
};

export const handler = new SecureApp().queue('reminders', (_ctx, record) => recordHandler(record), { failWhole: true }).handleLambda;
