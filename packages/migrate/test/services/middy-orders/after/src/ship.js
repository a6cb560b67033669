import { SecureApp } from '@sallyport/secure';

const ship = async (event) => {
  const shipments = event.Records.map(async (record) => {
    const { order } = JSON.parse(record.body);
    if (!order) throw new Error(`message ${record.messageId} names no order`);
    return order;
  });
  return Promise.allSettled(shipments);
};

export const handler = new SecureApp().queue('shipments', async (_ctx, record) => {
    const { order } = JSON.parse(record.body);
    if (!order) throw new Error(`message ${record.messageId} names no order`);
    return order;
  }).handleLambda;
