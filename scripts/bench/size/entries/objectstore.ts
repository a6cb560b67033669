import { createDispatcher } from '@sallyport/dispatch';
import { createS3ObjectStore } from '@sallyport/objectstore';
import { createEventRouter } from '@sallyport/streams';

const store = createS3ObjectStore();
const events = createEventRouter();
events.queue('files', async (_ctx, { body }) => {
  await store.get({ ref: { bucket: 'files', key: body }, maxBytes: 1_048_576 });
});

export const handler = createDispatcher(events).handleLambda;
