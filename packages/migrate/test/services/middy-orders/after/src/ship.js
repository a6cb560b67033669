import { SecureApp } from '@sallyport/secure';

export const handler = new SecureApp().queue('shipments', async (_ctx, record) => {
    const { order } = JSON.parse(record.body);
    if (!order) throw new Error(`message ${record.messageId} names no order`);
    return order;
  }).handleLambda;
