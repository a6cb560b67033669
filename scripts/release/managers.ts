import { createRequire } from 'node:module';
import { join } from 'node:path';
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
  const variables = {
    HOME: home,
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
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  // Variables of the npm that runs this task.
  const cleared = Object.keys(process.env).filter((name) => /^(?:npm|pnpm|yarn)_|^NODE_(?:OPTIONS|PATH)$/i.test(name));
  return run('env', [...cleared.flatMap((name) => ['-u', name]), ...given, 'sh', '-c', line], project);
}
