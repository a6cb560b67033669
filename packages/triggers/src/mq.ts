export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type MqMessage, MqTrigger, mqTrigger } from './kinds/mq.js';
