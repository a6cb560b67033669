export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type MqMessage, MqTrigger, mqTrigger } from './sources/mq.js';
