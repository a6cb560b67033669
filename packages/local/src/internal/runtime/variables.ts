import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REGION, toArn } from '../aws/names.js';
import type { Config } from '../config/config.js';

/** The package's own folder, from its sources and from its build. */
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));

/** A file that is preloaded into environments. */
export const childFile = (name: string): string => join(PACKAGE, 'child', name);

/** AWS's runtime client: copied by the build; from the development dependency in a checkout that was not built. */
export function runtimeClient(): string {
  const copied = join(PACKAGE, 'dist', 'ric', 'index.mjs');
  if (existsSync(copied)) return copied;
  return join(createRequire(import.meta.url).resolve('aws-lambda-ric-4/package.json'), '..', 'index.mjs');
}

/**
 * The flags that Lambda's bootstrap passes to Node, computed as it computes them: at 256 MB 12 and 231. And source maps, so that stacks of
 * any handler and of Node itself have the places of the sources.
 */
export function nodeFlags(memoryMb: number, nodeMajor: number): readonly string[] {
  const young = Math.floor(memoryMb / 10);
  return [
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${Math.floor(young / 2)}`,
    `--max-old-space-size=${memoryMb - young}`,
    ...(nodeMajor < 24 ? ['--no-experimental-require-module'] : []),
    ...(nodeMajor === 22 ? ['--no-experimental-detect-module'] : []),
    '--enable-source-maps',
  ];
}

/** The values that differ between environments. */
export interface Place {
  readonly api: string;
  readonly taskRoot: string;
  readonly temporary: string;
  readonly logStream: string;
  readonly nodeMajor: number;
}

/** The variables that Lambda sets. Of the developer's shell only `PATH` is passed. */
export function lambdaVariables(config: Config, place: Place): Record<string, string> {
  const { name, memoryMb, managedInstances, concurrency } = config;
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    TMPDIR: place.temporary,
    LAMBDA_TASK_ROOT: place.taskRoot,
    LAMBDA_RUNTIME_DIR: '/var/runtime',
    _HANDLER: `index.${config.handler}`,
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${place.nodeMajor}.x`,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_LAMBDA_RUNTIME_API: place.api,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: place.logStream,
    AWS_EC2_METADATA_DISABLED: 'true',
    // The function must not use the developer's profiles.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    ...(managedInstances === undefined
      ? { _LAMBDA_TELEMETRY_LOG_FD: '3' }
      : { AWS_LAMBDA_MAX_CONCURRENCY: String(concurrency), AWS_LAMBDA_NODEJS_WORKER_COUNT: String(managedInstances) }),
  };
}

/**
 * The ARN of an invocation.
 *
 * @param alias the invoked alias. Default: the alias of the front doors if the function's variable names one, because a run has no aliases
 */
export function invokedArn(
  name: string,
  variables: Readonly<Record<string, string>>,
  alias = doorsAlias(variables.FRAMEWORK_DOORS),
): string {
  return toArn('lambda', `function:${name}${alias === undefined ? '' : `:${alias}`}`);
}

function doorsAlias(variable = '{}'): string | undefined {
  try {
    const { qualifier } = JSON.parse(variable) as { readonly qualifier?: unknown };
    return typeof qualifier === 'string' ? qualifier : undefined;
  } catch {
    // The application rejects the invalid variable at its construction.
    return undefined;
  }
}
