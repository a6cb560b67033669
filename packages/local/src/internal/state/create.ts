import type { Host, Part } from '../host/host.js';
import type { State } from './state.js';

/** Makes the tables and buckets of a run. */
export function createState(_host: Host): State & Part {
  const off = 'off';
  return {
    name: 'state',
    start: async () => {},
    stop: async () => {},
    status: () => off,
    dynamodb: () => Promise.reject(new Error(off)),
    tables: async () => [],
    items: async () => ({ items: [], next: null }),
    buckets: async () => [],
    reset: async () => {},
  };
}
