import { createDispatcher } from '@sallyport/dispatch';
import { createEventRouter } from '@sallyport/streams';

const events = createEventRouter();
events.queue('jobs', () => {});

export const handler = createDispatcher(events).handleLambda;
