import {
  CONTRACT_METADATA,
  contractInTemplate,
  type DescribedService,
  joinContracts,
  packContract,
  parseContractFile,
  type ServiceContract,
  toContract,
} from '@sallyport/contract/service';
import { isFrameworkError } from '@sallyport/core';
import { Annotations, Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** The largest contract in a template, in bytes: CloudFormation accepts templates of 1 MB. */
const MAX_BYTES = 262_144;

/** Writes a contract into the metadata of the stack's template, or returns what is expected of a contract that is too large. */
export function writeMetadata(scope: IConstruct, text: string): string | undefined {
  const held = packContract(text);
  if (held.length > MAX_BYTES) return `a contract of at most ${MAX_BYTES} bytes after compression`;
  Stack.of(scope).addMetadata(CONTRACT_METADATA, held);
  return undefined;
}

/**
 * Adds the functions of a service to the contract of their stack. Services that register the same operation have no common contract: that is a
 * warning, because they can have separate APIs.
 *
 * @returns the contract of the stack; `undefined` after a warning
 */
export function recordFunctions(
  scope: IConstruct,
  described: readonly DescribedService[],
): ServiceContract | undefined {
  const stack = Stack.of(scope);
  const warn = (problem: string) => {
    const text = `The template has no contract of this service: ${problem}.`;
    Annotations.of(scope).addWarningV2('Sallyport::NoContract', text);
    return undefined;
  };
  try {
    const own = toContract(stack.stackName, described);
    const before = contractInTemplate(JSON.stringify({ Metadata: stack.templateOptions.metadata }), stack.stackName);
    const contract =
      before === undefined
        ? own
        : joinContracts(stack.stackName, [
            { place: stack.stackName, contract: parseContractFile(before, stack.stackName) },
            { place: scope.node.path, contract: own },
          ]);
    const problem = writeMetadata(scope, JSON.stringify(contract));
    return problem === undefined ? contract : warn(`expected ${problem}`);
  } catch (error) {
    if (!isFrameworkError(error)) throw error;
    return warn(error.message);
  }
}
