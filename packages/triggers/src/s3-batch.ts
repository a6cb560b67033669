// Made from kinds/s3-batch.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  S3Batch,
  type S3BatchAnswer,
  type S3BatchHandler,
  type S3BatchResult,
  type S3BatchTask,
  s3Batch,
} from './kinds/s3-batch.js';
