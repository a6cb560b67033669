import { ClientError } from '../errors.js';

/** Rethrows the failure of an optional peer's import with the remedy. */
export function missingPeer(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new ClientError('client.invalid_request', `the package ${name} is missing: npm install ${name}`, { cause });
  };
}
