import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { fromJson, membersOf } from '@sallyport/core/internal';
import { usageError } from '../errors.js';
import type { DeployedFunction, Deployment } from './deployed.js';
import { readManifestFunctions } from './manifest.js';
import { readSam } from './sam.js';
import { readPlan } from './terraform.js';

/**
 * Reads a SAM template, the JSON of a Terraform plan, or the manifest of the constructs; recognized by its contents.
 *
 * @param path absolute
 * @param folder the project, for the name in messages
 * @throws FrameworkError `local.usage` for a file of another kind, and for a queue with two functions
 */
export function readDeployment(path: string, folder: string): Deployment {
  const file = relative(folder, path) || path;
  const text = readText(path, file);
  if (/^\s*(?:terraform|provider|resource|variable|module|data)\s+["{]/m.test(text) || path.endsWith('.tf')) {
    throw usageError(
      `${file} is Terraform code: write the plan as JSON with terraform plan -out plan && terraform show -json plan > plan.json, and name that file`,
    );
  }
  const deployment = { file, ...parse(file, text) };
  assertOneConsumer(deployment);
  return deployment;
}

function parse(file: string, text: string): Omit<Deployment, 'file'> {
  const json = membersOf(fromJson(text));
  if (json.format_version !== undefined && (json.planned_values !== undefined || json.configuration !== undefined)) {
    if (json.planned_values === undefined)
      throw usageError(`${file} has no planned_values: it must be a plan, not a state`);
    return { format: 'Terraform plan', functions: readPlan(json) };
  }
  if (json.version !== undefined && json.functions !== undefined)
    return { format: 'CDK manifest', functions: readManifestFunctions(json) };
  return { format: 'SAM template', functions: readSam(file, text) };
}

function readText(path: string, file: string): string {
  if (!existsSync(path)) throw usageError(`the file ${file} does not exist`);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
}

/**
 * Each message of a queue reaches only one of its functions, at random: two functions of one queue are a mistake.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
function assertOneConsumer({ file, functions }: Deployment): void {
  const owners = new Map<string, string>();
  for (const { name, sources } of functions) {
    for (const source of sources) {
      if (source.kind !== 'queue' || source.name === undefined) continue;
      const owner = owners.get(source.name);
      if (owner !== undefined && owner !== name) {
        throw usageError(
          `${file}: the queue "${source.name}" has two functions, "${owner}" and "${name}": each message would reach one of them; each function needs its own queue`,
        );
      }
      owners.set(source.name, name);
    }
  }
}

/**
 * The function of an entry file: the function that names it, or the only function.
 *
 * @param entry absolute
 * @throws FrameworkError `local.usage` if no function has this entry, and for a runtime that is not Node.js
 */
export function functionOf(
  { file, functions }: Deployment,
  { folder, entry }: { readonly folder: string; readonly entry: string },
): DeployedFunction {
  const isEntry = (one: string) => (isAbsolute(one) ? one : join(folder, one)) === entry;
  const named = functions.filter(({ entries }) => entries.some(isEntry));
  const found = named[0] ?? (functions.length === 1 ? functions[0] : undefined);
  if (functions.length === 0) throw usageError(`${file} has no Lambda function`);
  if (!found) {
    const known = functions.map(({ name, entries: [first] }) => (first === undefined ? name : `${name} (${first})`));
    throw usageError(
      `${file} has no function with the entry ${relative(folder, entry)}; its functions are ${known.join(', ')}`,
    );
  }
  assertNode(file, found);
  return found;
}

/** @throws FrameworkError `local.usage` for a runtime that is not Node.js */
export function assertNode(file: string, { name, runtime }: DeployedFunction): void {
  if (runtime === undefined || isNode(runtime)) return;
  throw usageError(
    `${file}: the runtime of the function "${name}" is ${runtime}, and sallyport dev runs only Node.js: name a function with a runtime such as nodejs24.x`,
  );
}

/** True for a runtime of Node.js. */
export function isNode(runtime: string): boolean {
  return /^nodejs\d+\.x$/.test(runtime);
}
