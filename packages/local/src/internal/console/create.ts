import type { Host, Part } from '../host/host.js';

/** Makes the console: its page and its HTTP API. */
export function createConsole(_host: Host): Part {
  return { name: 'console', start: async () => {}, stop: async () => {} };
}
