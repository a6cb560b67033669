import type { Host } from '../host/host.js';
import { LocalIdentity } from './local-identity.js';

/** Makes the local issuer of a run. */
export function createIdentity(host: Host): LocalIdentity {
  return new LocalIdentity(host);
}
