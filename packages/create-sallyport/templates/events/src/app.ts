import { SecureApp, type SecureOptions } from '@sallyport/secure';
import { bill, count, fulfil, tidy } from './handlers/orders.js';

/** What the service takes. Who may send is decided by IAM, so there are no postures. */
export function createService(options: SecureOptions): SecureApp {
  // AWS knows a failed record of a stream by its sequence number alone.
  const app = new SecureApp({ streamFailureIdentifier: 'sequenceNumber', ...options });
  app.queue('orders', fulfil);
  app.queue('bills.fifo', bill);
  app.kinesis('clicks', count);
  app.eventBus({ source: 'aws.events', detailType: 'Scheduled Event' }, tidy);
  return app;
}
