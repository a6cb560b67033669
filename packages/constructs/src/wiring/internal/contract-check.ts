import { existsSync, readFileSync } from 'node:fs';
import {
  type Allowed,
  compareContracts,
  type Finding,
  parseAllowed,
  readContracts,
  type ServiceContract,
} from '@sallyport/contract/service';
import { isFrameworkError } from '@sallyport/core';
import { Annotations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse } from '../../internal/misuse.js';

/** The comparison of a contract with what is deployed, at synth. */
export interface ContractCheck {
  /**
   * Paths of what is deployed: a `contract.json`, the template of a deployed stack, or a folder with such files, such as the cloud assembly of
   * the last release.
   */
  readonly against: readonly string[];
  /**
   * The file of accepted findings, with a reason for each.
   *
   * @default contract.allow.json
   */
  readonly allow?: string;
}

/** True for the shape of a {@link ContractCheck}. */
export function isContractCheck(value: unknown): value is ContractCheck {
  const { against, allow } = (value ?? {}) as Partial<ContractCheck>;
  const isText = (one: unknown) => typeof one === 'string' && one !== '';
  return Array.isArray(against) && against.every(isText) && (allow === undefined || isText(allow));
}

/**
 * Compares a contract with what is deployed: a change that breaks fails at synth, any other finding is a warning.
 *
 * @throws ConstructError `constructs.contract_broken` with every change that breaks; `constructs.invalid_prop` for a path that has no contract
 */
export function checkContract(at: IConstruct, next: ServiceContract, check: ContractCheck): void {
  const { against, allow = 'contract.allow.json' } = check;
  const read = <T>(path: string, run: () => T): T => {
    try {
      return run();
    } catch (error) {
      if (!isFrameworkError(error)) throw error;
      throw misuse(at, { what: 'contract', got: path, expected: `a contract: ${error.message}`, cause: error });
    }
  };
  const old = against.flatMap((path) => read(path, () => readContracts(path, path)));
  const allowed: Allowed = existsSync(allow)
    ? read(allow, () => parseAllowed(readFileSync(allow, 'utf8'), allow))
    : new Map();
  const found = new Map<string, Finding>();
  for (const { contract } of old) for (const one of compareContracts(contract, next)) found.set(one.id, one);
  const open = [...found.values()].filter(({ id }) => !allowed.has(id));
  for (const one of open)
    if (one.level === 'warns') Annotations.of(at).addWarningV2(`Sallyport::Contract:${one.id}`, textOf(one));
  const breaking = open.filter(({ level }) => level === 'breaks');
  if (breaking.length === 0) return;
  throw misuse(at, {
    what: `the contract breaks what is deployed: ${breaking.map(textOf).join('; ')}`,
    expected: `no change that breaks, or a reason for each id in ${allow}`,
    code: 'constructs.contract_broken',
  });
}

const textOf = ({ id, who, old, new: now, remedy }: Finding) => `${who}: ${id} (before ${old}, now ${now}): ${remedy}`;
