import { readFileSync } from 'node:fs';
import type { Infra } from './arguments.js';
import type { PackageManager } from './managers.js';
import type { Names } from './names.js';
import type { Template } from './templates.js';

/** `versions.json`: the dependencies of a generated project, with the versions of this release. */
export interface Versions {
  readonly node: string;
  /** The version of the CDK's command line, which is not installed but run by `npx`. */
  readonly cdkCommand: string;
  /** Sallyport packages: carets, so that an update installs fixes of all of them. */
  readonly own: Readonly<Record<string, string>>;
  /** The peers of each Sallyport package. npm and pnpm install peers automatically, yarn does not. */
  readonly beside: Readonly<Record<string, readonly string[]>>;
  /** Every other package. */
  readonly others: Readonly<Record<string, string>>;
}

export function readVersions(): Versions {
  return JSON.parse(readFileSync(new URL('../../versions.json', import.meta.url), 'utf8')) as Versions;
}

/** The `package.json` of a project. */
export function createManifest(names: Names, template: Template, infra: Infra, manager: PackageManager): object {
  const versions = readVersions();
  const run = `${manager} run`;
  const own = template.packages.map((name) => `@sallyport/${name}`);
  const tools = ['@biomejs/biome', '@types/node', 'esbuild', 'tsx', 'typescript', 'vitest'];
  const cdk = infra === 'cdk' ? ['@sallyport/constructs', 'aws-cdk-lib', 'constructs'] : [];
  const complete = (list: readonly string[]) => (manager === 'yarn' ? withOthers(list, versions) : list);
  const runtime = complete(own);
  const development = complete([
    '@sallyport/bundle',
    '@sallyport/cli',
    '@sallyport/local',
    '@sallyport/testkit',
    ...cdk,
  ]);
  const pick = (list: readonly string[]) =>
    Object.fromEntries([...list].sort().map((name) => [name, versionOf(name, versions)]));
  return {
    name: names.package,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: versions.node },
    scripts: {
      test: 'vitest run',
      typecheck: 'tsc --noEmit',
      lint: 'biome check --error-on-warnings .',
      format: 'biome check --write .',
      build: 'node --import tsx scripts/build.ts',
      dev: 'sallyport dev',
      contract: 'sallyport contract',
      ...(infra === 'cdk' && {
        synth: 'node --import tsx infra/app.ts',
        deploy: `npx --yes aws-cdk@${versions.cdkCommand} deploy`,
        destroy: `npx --yes aws-cdk@${versions.cdkCommand} destroy`,
      }),
      check: ['typecheck', 'lint', 'test', infra === 'cdk' ? 'synth' : 'build']
        .map((name) => `${run} ${name}`)
        .join(' && '),
    },
    dependencies: pick([...runtime, ...template.libraries]),
    devDependencies: pick([
      // `contract check` in CI reads the templates of deployed stacks.
      '@aws-sdk/client-cloudformation',
      ...development.filter((name) => !runtime.includes(name)),
      ...tools,
    ]),
  };
}

/** Packages with their peers, and the peers of those. */
export function withOthers(names: readonly string[], { beside }: Versions): readonly string[] {
  const all = new Set(names);
  for (const name of all) for (const other of beside[name] ?? []) all.add(other);
  return [...all];
}

function versionOf(name: string, { own, others }: Versions): string {
  const version = own[name] ?? others[name];
  if (version !== undefined) return version;
  throw new Error(
    `versions.json lists no version of ${name}: add it to scripts/docs/versions.ts, then run npm run docs`,
  );
}
