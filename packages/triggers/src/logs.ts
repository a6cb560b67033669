export type { LogSubscription } from '@sallyport/streams';
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { LogsTrigger, type LogsTriggerOptions, logsTrigger } from './kinds/logs.js';
