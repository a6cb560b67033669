import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, KinesisStreamEvent, KinesisStreamRecord } from 'aws-lambda';

const processor = new BatchProcessor(EventType.KinesisDataStreams);

async function count(record: KinesisStreamRecord) {
  const { sku } = JSON.parse(Buffer.from(record.kinesis.data, 'base64').toString());
  if (sku === undefined) throw new Error('a click without sku');
}

export const handler = async (event: KinesisStreamEvent, context: Context) => {
  return processPartialResponse(event, count, processor, { context, throwOnFullBatchFailure: false });
};
