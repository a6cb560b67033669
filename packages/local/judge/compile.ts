import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const resolve = createRequire(import.meta.url).resolve;
const ADDON = 'rapid-client.node';

/**
 * Copies AWS's runtime client into a folder and compiles its native part there, from the sources in its package. Requires
 * cmake, make and g++, no network, and about two minutes. An existing addon is not compiled again.
 *
 * @returns path of the client's JavaScript, next to the addon
 * @throws Error with the end of the compiler's output
 */
export function compileClient(folder: string): string {
  const client = join(folder, 'index.mjs');
  if (existsSync(join(folder, ADDON))) return client;
  mkdirSync(folder, { recursive: true });
  const installed = realpathSync(dirname(resolve('aws-lambda-ric-4/package.json')));
  cpSync(installed, folder, { recursive: true, filter: (path) => path !== join(installed, 'node_modules') });
  // The package's own script for curl and the C++ runtime. Its second script requires node-gyp, for one file.
  run('sh', ['scripts/preinstall.sh'], folder);
  run(process.env.CXX ?? 'g++', compilerArguments(), folder);
  return client;
}

function compilerArguments(): readonly string[] {
  const headers = join(dirname(realpathSync(process.execPath)), '..', 'include', 'node');
  if (!existsSync(join(headers, 'node_api.h'))) throw new Error(`Node's headers are not in ${headers}`);
  return [
    ...['-std=gnu++20', '-shared', '-fPIC', '-O1', '-fvisibility=hidden', '-DNODE_GYP_MODULE_NAME=rapid_client'],
    ...[`-I${headers}`, `-I${dirname(resolve('node-addon-api/package.json'))}`, '-Ideps/artifacts/include'],
    ...['src/native/rapid-client.cc', 'deps/artifacts/lib/libaws-lambda-runtime.a', 'deps/artifacts/lib/libcurl.a'],
    ...['-pthread', '-o', ADDON],
  ];
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status === 0) return;
  const end = `${stdout ?? ''}${stderr ?? ''}`.split('\n').slice(-20).join('\n');
  throw new Error(`${command} ${args[0]} failed: ${error?.message ?? `exit code ${status}`}\n${end}`);
}
