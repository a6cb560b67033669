import type { ServerResponse } from 'node:http';
import type { Host } from '../host/host.js';
import { FaultLog } from './faults.js';
import type { GuardOptions } from './listener.js';
import { POLICIES } from './policies.js';

/** The guard of one listener of a run. */
export function guardOf(host: Host, listener: keyof typeof POLICIES): GuardOptions<ServerResponse> {
  const policy = POLICIES[listener];
  const faults = new FaultLog(host);
  return {
    policy,
    allowHosts: host.config.allowHosts,
    onFault: (error) => faults.report(policy.name, error),
  };
}
