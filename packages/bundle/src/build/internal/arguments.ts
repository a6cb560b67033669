import { parseArgs } from 'node:util';
import type { CommandFlag } from '@sallyport/core/internal';
import type { BundleOptions } from '../../bundle/bundle-function.js';
import type { StartCacheOptions } from '../../cache/start-cache.js';
import { bundleError } from '../../errors.js';
import type { OptionalPart } from '../../leave-out/parts.js';

const boolean = (help: string): CommandFlag => ({ type: 'boolean', help });
const string = (help: string): CommandFlag => ({ type: 'text', help });
const stringList = (help: string): CommandFlag => ({ type: 'text', multiple: true, help });

/** The flags of `sallyport build`. */
export const BUILD_FLAGS: Readonly<Record<string, CommandFlag>> = {
  outdir: string('the folder of the bundle (default dist)'),
  target: string('the Node version of the function (default node22)'),
  external: stringList('a package that is not bundled'),
  condition: stringList('an export condition of packages'),
  'leave-out': stringList(
    'a part of the framework that is not bundled, or "unused": parts that the application does not use',
  ),
  'no-tools': boolean('leave out the code for developers: explain and OpenAPI documents'),
  'start-cache': boolean('make a start cache: compiled code for a faster first answer'),
  'in-image': boolean("make it with AWS's image of the target, for a deployment; needs a container tool"),
  image: stringList("make it with this image, such as an older one of AWS's"),
  node: stringList('make it with this Node executable, for runs on this machine (default: the current one)'),
  memory: { type: 'number', multiple: true, help: 'memory of the function in MB, 128 to 10240 (default 256)' },
  architecture: string('x64 or arm64: the instruction set of the function'),
  env: stringList('NAME=value: a variable that the application reads while it is loaded'),
  handler: string('the name of the exported handler (default handler)'),
  verify: boolean('build nothing; check that the bundle in --outdir is unchanged since its build'),
  json: boolean('print one JSON object'),
};

/** The parsed arguments of `sallyport build`. */
export interface BuildArguments extends Omit<BundleOptions, 'startCache'> {
  readonly startCache: { readonly isWanted: boolean; readonly options: StartCacheOptions };
  readonly verify: boolean;
  readonly json: boolean;
}

/** @throws FrameworkError `bundle.usage` for an unknown flag, a missing value and a value of the wrong type */
export function parseBuildArguments(args: readonly string[]): BuildArguments {
  const { positionals, values } = parse(args);
  if (positionals.length > 1) throw usage(`name one entry file (got ${positionals.join(' ')})`);
  const one = (name: string) => values[name] as string | undefined;
  const many = (name: string) => values[name] as readonly string[] | undefined;
  const [external, conditions, images, node, target] = [
    many('external'),
    many('condition'),
    many('image'),
    many('node'),
    one('target'),
  ];
  const [architecture, handler, memory, env] = [one('architecture'), one('handler'), many('memory'), many('env')];
  const leaveOut = many('leave-out');
  const isWanted = values['start-cache'] === true || values['in-image'] === true || images !== undefined;
  const options: StartCacheOptions = {
    inImage: values['in-image'] === true || images !== undefined,
    ...(images && { images }),
    ...(node && { node }),
    ...(memory && { memory: memory.map((value) => toNumber('--memory', value)) }),
    ...(architecture !== undefined && { architecture: architecture as 'x64' | 'arm64' }),
    ...(handler !== undefined && { handler }),
    ...(env && { environment: Object.fromEntries(env.map(toVariable)) }),
  };
  return {
    entry: positionals[0] ?? 'src/lambda.ts',
    outdir: one('outdir') ?? 'dist',
    ...(target !== undefined && { target }),
    ...(external && { external }),
    ...(conditions && { conditions }),
    ...(leaveOut && { leaveOut: leaveOut as readonly OptionalPart[] }),
    tools: values['no-tools'] !== true,
    ...(handler !== undefined && { handler }),
    ...(options.environment && { environment: options.environment }),
    startCache: { isWanted, options },
    verify: values.verify === true,
    json: values.json === true,
  };
}

function parse(args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(BUILD_FLAGS).map(([name, { type, multiple = false }]) => [
      name,
      { type: type === 'boolean' ? ('boolean' as const) : ('string' as const), multiple },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw usage((error as Error).message);
  }
}

function toNumber(flag: string, value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number)) throw usage(`${flag} must be a number (got "${value}")`);
  return number;
}

function toVariable(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw usage('--env must be NAME=value');
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

function usage(problem: string) {
  return bundleError('bundle.usage', problem);
}
