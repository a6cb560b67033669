import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CommandResult, ROOT, run } from '../check/command.js';
import { mapConcurrently } from '../check/concurrently.js';
import type { Manifest } from '../check/workspace.js';
import type { PackedPackage } from './archives.js';

/** The packages outside the workspace that generated projects use, as the workspace has installed them. */
const INSTALLED = join(ROOT, 'packages', 'create-sallyport', 'node_modules');

/** Unpacks archives where a project finds them: `<folder>/<name of the package>`. */
export async function unpack(packed: readonly PackedPackage[], folder: string): Promise<void> {
  await mapConcurrently(packed, 2, async ({ manifest, archive }) => {
    const place = join(folder, manifest.name);
    mkdirSync(place, { recursive: true });
    const { status, output } = await run('tar', ['-xzf', archive, '-C', place, '--strip-components=1']);
    if (status !== 0) throw new Error(output);
  });
}

/**
 * Creates a project with the command of the archives and installs its dependencies: ours from the archives, all others from the workspace.
 * Does not use a registry.
 *
 * @param archives where {@link unpack} has put them
 * @returns the folder of the project
 */
export async function generate(archives: string, place: string, flags: readonly string[]): Promise<string> {
  const command = join(archives, 'create-sallyport', 'dist', 'internal', 'main.js');
  const made = await run(process.execPath, [command, 'my-service', '--yes', ...flags], place);
  if (made.status !== 0) throw new Error(made.output);
  const project = join(place, 'my-service');
  const modules = join(project, 'node_modules');
  cpSync(join(archives, '@sallyport'), join(modules, '@sallyport'), { recursive: true });
  const installed = namesIn(INSTALLED).filter((name) => !name.startsWith('@sallyport/'));
  for (const name of installed) link(join(INSTALLED, name), join(modules, name));
  for (const name of readdirSync(join(archives, '@sallyport'))) {
    for (const needed of librariesOf(join(archives, '@sallyport', name))) {
      if (!existsSync(join(modules, needed)))
        link(join(ROOT, 'packages', name, 'node_modules', needed), join(modules, needed));
    }
  }
  return project;
}

/** Packages in a folder `node_modules`, including scoped packages. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((one) => `${name}/${one}`) : [name],
  );
}

/** The dependencies of our package other than our packages. */
function librariesOf(folder: string): readonly string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return Object.keys(dependencies).filter((name) => !name.startsWith('@sallyport/'));
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Runs a command of a project offline: in a separate network namespace if the machine allows it, else with proxies that lead nowhere. */
export async function runOffline(project: string, command: string): Promise<CommandResult> {
  const closed = 'HTTPS_PROXY=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 npm_config_offline=true';
  const line = `env -u NODE_OPTIONS -u NODE_PATH ${closed} ${command}`;
  const alone = await run('unshare', ['--net', 'true']).then(
    ({ status }) => status === 0,
    () => false,
  );
  return alone ? run('unshare', ['--net', 'sh', '-c', line], project) : run('sh', ['-c', line], project);
}
