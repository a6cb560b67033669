export type { LogSubscription } from '@sallyport/streams';
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { LogsTrigger, type LogsTriggerOptions, logsTrigger } from './sources/logs.js';
