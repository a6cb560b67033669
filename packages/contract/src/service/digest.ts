import { createHash } from 'node:crypto';
import type { ServiceContract } from './contract.js';
import { canonicalText } from './internal/canonical.js';
import { PLACES } from './internal/places.js';

/** Characters of a digest: enough to distinguish contracts, and short in a header. */
const LENGTH = 16;

/**
 * The digest of what a contract promises to its callers, in lower-case hexadecimal: equal operations, messages and schemas have equal digests. It
 * does not depend on the name of the service, which is the stack's in a template and the package's in a published contract, or on the functions
 * that serve the operations. The value of the header `x-contract`.
 */
export function contractDigest(contract: ServiceContract): string {
  const promised = Object.entries(PLACES).map(([kind, entriesOf]) => {
    const entries = Object.entries(entriesOf(contract)).map(([name, { function: _function, ...entry }]) => [
      name,
      entry,
    ]);
    return [kind, Object.fromEntries(entries)];
  });
  const { schemas, socket } = contract;
  const text = canonicalText({ ...Object.fromEntries(promised), schemas, envelope: socket.envelope });
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}
