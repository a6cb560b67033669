import { type Members, stringOf } from '@sallyport/core/internal';
import { type DeployedFunction, entriesOf } from './deployed.js';
import { createPlan } from './plan.js';
import { planDoors } from './terraform-doors.js';
import { planSources } from './terraform-sources.js';

/**
 * Reads the functions of a Terraform plan, with their sources and doors.
 *
 * @param plan the output of `terraform show -json <plan file>`
 * @see https://developer.hashicorp.com/terraform/internals/json-format
 */
export function readPlan(plan: Members): readonly DeployedFunction[] {
  const read = createPlan(plan);
  return read.ofType('aws_lambda_function').map((one) => {
    const { handler, runtime, timeout, memory_size: memory, package_type: type, function_name: named } = one.values;
    const [, stem = '', name] = /^(.*)\.([\w$]+)$/.exec(stringOf(handler)) ?? [];
    return {
      name: one.address,
      ...(typeof named === 'string' && { functionName: named }),
      entries: stem === '' ? [] : entriesOf(stem),
      ...(name !== undefined && { handler: name }),
      ...(type === 'Image' ? { runtime: 'a container image' } : typeof runtime === 'string' && { runtime }),
      ...(typeof timeout === 'number' && { timeoutMs: timeout * 1000 }),
      ...(typeof memory === 'number' && { memoryMb: memory }),
      sources: planSources(read, one),
      doors: planDoors(read, one),
    };
  });
}
