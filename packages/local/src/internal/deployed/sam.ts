import { join } from 'node:path';
import { isObject, type Members, membersOf, stringOf } from '@sallyport/core/internal';
import { usageError } from '../errors.js';
import { type DeployedFunction, entriesOf } from './deployed.js';
import { createValues, parseTemplate } from './intrinsics.js';
import { samDoors } from './sam-doors.js';
import { samSources } from './sam-sources.js';
import type { Sam, SamFunction } from './sam-template.js';

const FUNCTION_TYPES = ['AWS::Serverless::Function', 'AWS::Lambda::Function'];

/**
 * Reads the functions of a SAM or CloudFormation template, with their sources and doors.
 *
 * @param file as messages name the file
 * @throws FrameworkError `local.usage` for a file that is not a template
 * @see https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-function.html
 */
export function readSam(file: string, text: string): readonly DeployedFunction[] {
  const template = membersOf(parseTemplate(file, text));
  if (!isObject(template.Resources)) {
    throw usageError(`${file} must have Resources: name a SAM template, a Terraform plan as JSON, or a CDK manifest`);
  }
  const values = createValues(template);
  const sam: Sam = { resources: template.Resources, globals: membersOf(template.Globals), values };
  const functions = Object.entries(sam.resources).flatMap(([id, resource]) => functionOf(sam, id, resource) ?? []);
  return functions.map((one) => deployed(sam, one));
}

function functionOf({ globals }: Sam, id: string, resource: unknown): SamFunction | undefined {
  const { Type, Properties } = membersOf(resource);
  if (!FUNCTION_TYPES.includes(stringOf(Type))) return undefined;
  const own = membersOf(Properties);
  const shared = Type === 'AWS::Serverless::Function' ? membersOf(globals.Function) : {};
  const metadata = membersOf(membersOf(resource).Metadata);
  const events = Object.entries(membersOf(own.Events)).map(([name, event]) => {
    const { Type: type, Properties: properties } = membersOf(event);
    return { id: name, type: stringOf(type), properties: membersOf(properties) };
  });
  return { id, properties: { ...shared, ...own, Metadata: metadata }, events };
}

function deployed(sam: Sam, one: SamFunction): DeployedFunction {
  const { id, properties } = one;
  const { literal } = sam.values;
  const [runtime, timeout, memory] = [properties.Runtime, properties.Timeout, properties.MemorySize].map(literal);
  const functionName = literal(properties.FunctionName);
  const isImage = literal(properties.PackageType) === 'Image';
  const { entries, handler } = entryOf(sam, properties);
  return {
    name: id,
    ...(typeof functionName === 'string' && { functionName }),
    entries,
    ...(handler !== undefined && { handler }),
    ...(isImage ? { runtime: 'a container image' } : typeof runtime === 'string' && { runtime }),
    ...knownNumber('timeoutMs', properties.Timeout === undefined ? LAMBDA_TIMEOUT_S : timeout, 1000),
    ...knownNumber('memoryMb', properties.MemorySize === undefined ? LAMBDA_MEMORY_MB : memory, 1),
    ...knownNumber('durableSeconds', literal(membersOf(properties.DurableConfig).ExecutionTimeout), 1),
    sources: samSources(sam, one),
    doors: samDoors(sam, one),
  };
}

/** A function without these settings has 3 seconds and 128 MB: https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html */
const [LAMBDA_TIMEOUT_S, LAMBDA_MEMORY_MB] = [3, 128];

function knownNumber(
  name: 'timeoutMs' | 'memoryMb' | 'durableSeconds',
  value: unknown,
  factor: number,
): Partial<DeployedFunction> {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number > 0 ? { [name]: number * factor } : {};
}

/** `src/lambda.handler` with `CodeUri: .` is the export `handler` of `src/lambda.ts`; esbuild's metadata name the file. */
function entryOf(
  { values }: Sam,
  { CodeUri, Handler, Metadata }: Members,
): Pick<DeployedFunction, 'entries' | 'handler'> {
  const folder = stringOf(values.literal(CodeUri));
  const [, stem = '', handler] = /^(.*)\.([\w$]+)$/.exec(stringOf(values.literal(Handler))) ?? [];
  const { EntryPoints } = membersOf(membersOf(Metadata).BuildProperties);
  const built = (Array.isArray(EntryPoints) ? EntryPoints : []).filter((one) => typeof one === 'string');
  const entries = built.length > 0 ? built.map((one) => join(folder, one)) : entriesOf(join(folder, stem));
  return { entries: stem === '' && built.length === 0 ? [] : entries, ...(handler !== undefined && { handler }) };
}
