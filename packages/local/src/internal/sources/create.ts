import type { Host, Part } from '../host/host.js';
import { LocalSources } from './local-sources.js';

/** Makes the queues, streams, topics, buses and schedules of a run. */
export function createSources(host: Host): LocalSources & Part {
  return new LocalSources(host);
}
