import { SecureApp } from '@sallyport/secure';
import type { KinesisStreamRecord } from 'aws-lambda';

async function count(record: KinesisStreamRecord) {
  const { sku } = JSON.parse(Buffer.from(record.kinesis.data, 'base64').toString());
  if (sku === undefined) throw new Error('a click without sku');
}

export const handler = new SecureApp({ streamFailureIdentifier: 'sequenceNumber' }).kinesis('clicks', (_ctx, record) => count(record)).handleLambda;
