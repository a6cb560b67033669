// Made from kinds/s3.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { compareSequencers, type S3Object, S3Trigger, s3Trigger } from './kinds/s3.js';
