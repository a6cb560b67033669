export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { compareSequencers, type S3Object, S3Trigger, s3Trigger } from './kinds/s3.js';
