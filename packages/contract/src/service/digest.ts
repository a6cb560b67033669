import { createHash } from 'node:crypto';
import type { ServiceContract } from './contract.js';

/** Characters of a digest: enough to distinguish contracts, and short in a header. */
const LENGTH = 16;

/** The digest of a contract in lower-case hexadecimal: equal contracts have equal digests. The value of the header `x-contract`. */
export function contractDigest(contract: ServiceContract): string {
  return createHash('sha256').update(JSON.stringify(contract)).digest('hex').slice(0, LENGTH);
}
