export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type Drop, drop } from './internal/drop.js';
export {
  type FirehoseHandler,
  type FirehoseOutput,
  type FirehoseRecord,
  type FirehoseResult,
  FirehoseTransform,
  firehoseTransform,
} from './kinds/firehose.js';
