// Made from kinds/logs.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type LogSubscription, LogsTrigger, type LogsTriggerOptions, logsTrigger } from './kinds/logs.js';
