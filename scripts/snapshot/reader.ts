// The calls that record.mjs must find: one of each kind, at import.
import { randomBytes } from 'node:crypto';

export const read = [
  Date.now(),
  new Date(),
  Date(),
  new Date(0),
  Math.random(),
  performance.now(),
  process.hrtime(),
  process.hrtime.bigint(),
  crypto.randomUUID(),
  crypto.getRandomValues(new Uint8Array(1)),
  randomBytes(1),
];
