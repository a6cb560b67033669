import middy from '@middy/core';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';

const ship = async (event) => {
  const shipments = event.Records.map(async (record) => {
    const { order } = JSON.parse(record.body);
    if (!order) throw new Error(`message ${record.messageId} names no order`);
    return order;
  });
  return Promise.allSettled(shipments);
};

export const handler = middy(ship).use(sqsPartialBatchFailure({ logger: false }));
