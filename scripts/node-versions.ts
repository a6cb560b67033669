import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { CACHE, ROOT } from './check/command.js';

/** The oldest version that `engines` allows, then the newest of each line in the npm registry. */
const VERSIONS = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'];

/** The versions whose binaries were fetched before, by {@link nodeBinary}. */
export function installedNodes(): readonly { readonly version: string; readonly node: string }[] {
  return VERSIONS.map((version) => ({ version, node: pathOf(version) })).filter(({ node }) => existsSync(node));
}

function pathOf(version: string): string {
  return join(CACHE, `node-${version}`, 'node_modules', 'node', 'bin', 'node');
}

/** Path of a Node binary. It is fetched from the npm registry on first use. */
export function nodeBinary(version: string): string {
  const home = join(CACHE, `node-${version}`);
  const binary = pathOf(version);
  if (!existsSync(binary)) {
    mkdirSync(home, { recursive: true });
    const install = ['install', '--prefix', home, '--no-save', '--no-audit', '--no-fund', `node@${version}`];
    const { status } = spawnSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error(`node@${version} could not be installed`);
  }
  return binary;
}

/**
 * Runs jest on each version of Node that we support, one after the other, and reports the results at the end. The exit code of
 * this process is 1 if one failed.
 *
 * @param variables environment variables of the tests, in addition to this process's variables
 */
export function testOnEachNode(
  jestArguments: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): void {
  const jest = ['--experimental-vm-modules', '--no-warnings', join(ROOT, 'node_modules/jest/bin/jest.js')];
  const failed = VERSIONS.filter((version) => {
    process.stdout.write(`\nNode ${version}\n`);
    const node = nodeBinary(version);
    // Processes that tests start by the name `node` use this version too.
    const env = { ...process.env, ...variables, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
    return spawnSync(node, [...jest, ...jestArguments], { cwd: ROOT, stdio: 'inherit', env }).status !== 0;
  });
  process.stdout.write(
    failed.length === 0 ? `\nall of ${VERSIONS.join(', ')} pass\n` : `\nfailed on ${failed.join(', ')}\n`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}
