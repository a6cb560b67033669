// Made from kinds/firehose.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  type Drop,
  drop,
  type FirehoseHandler,
  type FirehoseOutput,
  type FirehoseRecord,
  type FirehoseResult,
  FirehoseTransform,
  firehoseTransform,
} from './kinds/firehose.js';
