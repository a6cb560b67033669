// Made from kinds/ses.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  type SesDisposition,
  type SesHandler,
  type SesMessage,
  SesTrigger,
  type SesTriggerOptions,
  sesTrigger,
} from './kinds/ses.js';
