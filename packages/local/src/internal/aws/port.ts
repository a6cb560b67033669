import type { Host, Part } from '../host/host.js';

/** Makes the port that answers the AWS calls of the function. */
export function createAwsPort(_host: Host): Part {
  return { name: 'AWS port', variables: () => ({}), start: async () => {}, stop: async () => {} };
}
