export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type DocumentChange, DocumentDbTrigger, documentDb } from './kinds/documentdb.js';
