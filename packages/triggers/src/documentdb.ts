// Made from kinds/documentdb.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type DocumentChange, DocumentDbTrigger, documentDb } from './kinds/documentdb.js';
