import { SecureApp, type SecureOptions } from '@sallyport/secure';
import { bill, count, fulfil, tidy } from './handlers/orders.js';

/** Creates the service with its event handlers. They have no postures: IAM controls access to the sources. */
export function createService(options: SecureOptions): SecureApp {
  // AWS identifies a failed record of a stream only by its sequence number.
  const app = new SecureApp({ streamFailureIdentifier: 'sequenceNumber', ...options });
  app.queue('orders', fulfil);
  app.queue('bills.fifo', bill);
  app.kinesis('clicks', count);
  app.eventBus({ ruleName: 'nightly' }, tidy);
  return app;
}
