// Made from kinds/lattice.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { LatticeDoor, latticeDoor } from './kinds/lattice.js';
