/** The supported package managers. */
export const MANAGERS = ['npm', 'pnpm', 'yarn'] as const;

export type PackageManager = (typeof MANAGERS)[number];

interface Ways {
  /** Installs the dependencies of the lock file on a build server that has only Node and npm. */
  readonly ciInstall: string;
  /** Runs a script there; followed by its name. */
  readonly ciRun: string;
  /** Settings of the project for this package manager, by path. */
  readonly settings: Readonly<Record<string, string>>;
}

const PNPM = 'npx --yes pnpm@12';
const YARN = 'npx --yes --package=@yarnpkg/cli-dist@4 yarn';

export const WAYS: Readonly<Record<PackageManager, Ways>> = {
  npm: { ciInstall: 'npm ci', ciRun: 'npm run', settings: {} },
  pnpm: {
    ciInstall: `${PNPM} install --frozen-lockfile`,
    ciRun: `${PNPM} run`,
    settings: {
      // With this file the project is a separate workspace, even inside another.
      'pnpm-workspace.yaml': [
        '# The only package with an install script.',
        'allowBuilds:',
        '  esbuild: true',
        '# Versions of Sallyport that do not fit together are an error, not a warning.',
        'strictPeerDependencies: true',
        '# The release that made this project may be from today.',
        'minimumReleaseAgeExclude:',
        "  - '@sallyport/*'",
        '',
      ].join('\n'),
    },
  },
  yarn: {
    ciInstall: `${YARN} install --immutable`,
    ciRun: `${YARN} run`,
    settings: {
      '.yarnrc.yml': [
        'nodeLinker: node-modules',
        '# The release that made this project may be from today.',
        'npmPreapprovedPackages:',
        '  - "@sallyport/*"',
        '',
      ].join('\n'),
      // With this file the project is separate, even inside another.
      'yarn.lock': '',
    },
  },
};

/**
 * The package manager that calls a command.
 *
 * @param agent `npm_config_user_agent`: `pnpm/12.21.0 npm/? node/v20.20.2`
 */
export function callingManager(agent = ''): PackageManager {
  return MANAGERS.find((name) => agent.startsWith(`${name}/`)) ?? 'npm';
}
