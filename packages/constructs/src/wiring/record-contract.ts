import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse } from '../internal/misuse.js';

/** The member of a template's metadata with the contract, compressed with gzip, in base64. */
const CONTRACT_METADATA = 'sallyport:contract';

/** The largest contract in a template, in bytes: CloudFormation accepts templates of 1 MB. */
const MAX_BYTES = 262_144;

/**
 * Records the contract of a service in the template of its stack, so that `sallyport contract check --against stack:<name>` compares later
 * changes with what is deployed.
 *
 * @param file the file `contract.json` of `sallyport contract`
 * @returns the digest of the contract, for the header `x-contract` of the service
 * @throws ConstructError `constructs.invalid_prop` for a file that is not a contract, or that is too large for a template
 * @example recordContract(stack, 'contract/contract.json');
 */
export function recordContract(scope: IConstruct, file: string): string {
  const expected = 'the contract.json of sallyport contract';
  let text: string;
  let contract: { readonly version?: unknown } | null;
  try {
    text = readFileSync(file, 'utf8');
    contract = JSON.parse(text) as typeof contract;
    if (contract?.version !== 1) throw new Error('another version');
  } catch (cause) {
    throw misuse(scope, { what: 'file', got: file, expected, cause }, 'recordContract');
  }
  // The level is fixed, and the header of Node has no time: an equal contract is an equal template.
  const held = gzipSync(text, { level: 9 }).toString('base64');
  if (held.length > MAX_BYTES) {
    throw misuse(
      scope,
      { what: 'file', got: file, expected: `a contract of at most ${MAX_BYTES} bytes after compression` },
      'recordContract',
    );
  }
  Stack.of(scope).addMetadata(CONTRACT_METADATA, held);
  // As `contractDigest` of `@sallyport/contract`: formatting has no part in it.
  return createHash('sha256').update(JSON.stringify(contract)).digest('hex').slice(0, 16);
}
