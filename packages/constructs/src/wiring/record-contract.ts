import { readFileSync } from 'node:fs';
import { contractDigest, parseContractFile, type ServiceContract } from '@sallyport/contract/service';
import type { IConstruct } from 'constructs';
import { misuse } from '../internal/misuse.js';
import { type ContractCheck, checkContract } from './internal/contract-check.js';
import { writeMetadata } from './internal/stack-contract.js';

/**
 * Records the contract of a service in the template of its stack, so that `sallyport contract check --against stack:<name>` compares later
 * changes with what is deployed. {@link Service} does this itself; this contract replaces it.
 *
 * @param file the file `contract.json` of `sallyport contract`
 * @param check compares with what is deployed, at synth
 * @returns the digest of the contract, for the header `x-contract` of the service
 * @throws ConstructError `constructs.invalid_prop` for a file that is not a contract, or that is too large for a template;
 *   `constructs.contract_broken`
 * @example recordContract(stack, 'contract/contract.json');
 */
export function recordContract(scope: IConstruct, file: string, check?: ContractCheck): string {
  const expected = 'the contract.json of sallyport contract';
  let contract: ServiceContract;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    contract = parseContractFile(text, file);
  } catch (cause) {
    throw misuse(scope, { what: 'file', got: file, expected, cause }, 'recordContract');
  }
  const problem = writeMetadata(scope, text);
  if (problem !== undefined) throw misuse(scope, { what: 'file', got: file, expected: problem }, 'recordContract');
  if (check) checkContract(scope, contract, check);
  return contractDigest(contract);
}
