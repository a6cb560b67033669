import type { Host, Part } from '../host/host.js';
import type { Identity } from './identity.js';

/** Makes the local issuer of a run. */
export function createIdentity(_host: Host): Identity & Part {
  return {
    name: 'identity',
    start: async () => {},
    stop: async () => {},
    token: async () => '',
    substitute: (value) => value,
  };
}
