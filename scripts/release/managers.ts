import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type CommandResult, ROOT, run } from '../check/command.js';

/** The package managers of an application. */
export const APPLICATION_MANAGERS = ['npm', 'pnpm', 'yarn'] as const;
export type ApplicationManager = (typeof APPLICATION_MANAGERS)[number];

const YARN = createRequire(import.meta.url).resolve('@yarnpkg/cli-dist/bin/yarn.js');

/** A command of a package manager, for a shell. `$PWD` is the project. */
export function commandOf(manager: ApplicationManager): string {
  if (manager === 'npm') return 'npm';
  return manager === 'yarn'
    ? `'${process.execPath}' '${YARN}'`
    : `'${process.execPath}' '${join(ROOT, 'scripts', 'pnpm.mjs')}' --dir "$PWD"`;
}

/**
 * Runs a shell line in a project. Its package managers have one registry, and no settings of the user of this machine.
 *
 * @param home where they keep their caches
 */
export function runWithRegistry(project: string, line: string, url: string, home: string): Promise<CommandResult> {
  const given = Object.entries(registryVariables(url, home)).map(([name, value]) => `${name}=${value}`);
  const cleared = Object.keys(process.env).filter((name) => OF_THIS_TASK.test(name));
  return run('env', [...cleared.flatMap((name) => ['-u', name]), ...given, 'sh', '-c', line], project);
}

/** Variables of the npm that runs this task. */
const OF_THIS_TASK = /^(?:npm|pnpm|yarn)_|^NODE_(?:OPTIONS|PATH)$/i;

/** The variables of a process in a project with one registry. */
export function registryEnvironment(url: string, home: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !OF_THIS_TASK.test(name));
  return { ...Object.fromEntries(own), ...registryVariables(url, home) };
}

function registryVariables(url: string, home: string): Readonly<Record<string, string>> {
  return {
    HOME: home,
    PATH: [withoutManagers(home), ...pathOfMachine()].join(delimiter),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_cache: join(home, 'npm'),
    npm_config_registry: url,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    pnpm_config_registry: url,
    pnpm_config_store_dir: join(home, 'pnpm-store'),
    pnpm_config_pm_on_fail: 'ignore',
    YARN_NPM_REGISTRY_SERVER: url.replace(/\/$/, ''),
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_NODE_LINKER: 'node-modules',
    YARN_GLOBAL_FOLDER: join(home, 'yarn'),
  };
}

/** Without the commands of this workspace, which npm adds for its tasks: a project has its own. */
function pathOfMachine(): readonly string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
}

/** A folder for the front of `PATH`: a machine with only Node and npm, regardless of this one. */
function withoutManagers(home: string): string {
  const folder = join(home, 'bin');
  mkdirSync(folder, { recursive: true });
  for (const name of ['pnpm', 'yarn', 'corepack'])
    writeFileSync(join(folder, name), `#!/bin/sh\necho '${name}: not found' >&2\nexit 127\n`, { mode: 0o755 });
  return folder;
}
