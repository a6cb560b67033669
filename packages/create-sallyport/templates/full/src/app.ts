import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { getNote, health, putNote } from './handlers/notes.js';
import { bill, count, fulfil, tidy } from './handlers/orders.js';

/** What the service answers and takes. HTTP routes say who may call; who may send events is decided by IAM. */
export function createService(options: SecureOptions): SecureApp {
  // AWS knows a failed record of a stream by its sequence number alone.
  const app = new SecureApp({ streamFailureIdentifier: 'sequenceNumber', ...options });
  app.get('/health', health, Public());
  app.get('/notes/{id}', getNote, Authenticated('notes:read'));
  app.put('/notes/{id}', putNote, Authenticated('notes:write'));
  app.queue('orders', fulfil);
  app.queue('bills.fifo', bill);
  app.kinesis('clicks', count);
  app.eventBus({ source: 'aws.events', detailType: 'Scheduled Event' }, tidy);
  return app;
}
