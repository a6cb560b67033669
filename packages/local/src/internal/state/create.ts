import type { Host } from '../host/host.js';
import { LocalState } from './local-state.js';

/** Makes the tables and buckets of a run. */
export function createState(host: Host): LocalState {
  return new LocalState(host, process.env);
}
