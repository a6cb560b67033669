export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  type SesDisposition,
  type SesHandler,
  type SesMessage,
  SesTrigger,
  type SesTriggerOptions,
  sesTrigger,
} from './kinds/ses.js';
