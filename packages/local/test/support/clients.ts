import type { Host } from '../../src/internal/host/host.js';
import { KEYS } from './host.js';

/** The settings of every client of the port. */
export function clientConfig(host: Pick<Host, 'ports'>, keys = KEYS) {
  return {
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${host.ports.aws}`,
    credentials: keys,
    maxAttempts: 1,
  };
}
