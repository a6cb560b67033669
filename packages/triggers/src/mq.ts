// Made from kinds/mq.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type MqMessage, MqTrigger, mqTrigger } from './kinds/mq.js';
