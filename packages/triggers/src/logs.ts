export type { LogSubscription } from '@sallyport/streams';
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { LogsTrigger, logsTrigger } from './sources/logs.js';
