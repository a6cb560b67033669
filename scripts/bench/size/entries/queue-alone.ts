import { createQueueRouter } from '@sallyport/streams/queue';

const queues = createQueueRouter();
queues.queue('jobs', () => {});

export const handler = queues.serveQueueEvent;
