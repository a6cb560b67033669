import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { readWorkspace } from '../check/workspace.js';

/** Packages outside the workspace that a generated project may depend on. */
const OTHERS = [
  '@aws-sdk/client-apigatewaymanagementapi',
  '@aws-sdk/client-cloudformation',
  '@aws-sdk/client-dynamodb',
  '@biomejs/biome',
  '@types/node',
  'aws-cdk-lib',
  'constructs',
  'esbuild',
  'tsx',
  'typescript',
  'vitest',
  'zod',
];

/** The version of the CDK's command line that supports this version of its library; `npx` fetches it only for a deployment. */
const CDK_COMMAND = '2.1148.1';

/** The dependencies of a generated project: carets on the versions of the workspace and of the catalog. */
export function renderVersions(): string {
  const own = readWorkspace(ROOT, ['packages'])
    .filter(({ manifest }) => manifest.private !== true && manifest.name.startsWith('@sallyport/'))
    .map(({ folder, manifest }): [string, string] => [manifest.name, `^${versionOf(folder)}`]);
  const catalog = readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8');
  const others = OTHERS.map((name): [string, string] => {
    const [, range] = new RegExp(`^  "?${name}"?: (\\S+)$`, 'm').exec(catalog) ?? [];
    if (range === undefined) throw new Error(`${name} is not in the catalog`);
    return [name, range.startsWith('^') ? range : `^${range}`];
  });
  const versions = {
    node: '>=20.19',
    cdkCommand: CDK_COMMAND,
    own: Object.fromEntries(own),
    beside: Object.fromEntries(own.map(([name]) => [name, peersOf(name)])),
    others: Object.fromEntries(others),
  };
  return `${foldLists(JSON.stringify(versions, null, 2))}\n`;
}

/** JSON with each list on one line if the line is short enough for the formatter. */
function foldLists(json: string): string {
  return json.replaceAll(
    /^( *"[^"]*": )\[\s+([^\]]*?)\s+\](,?)$/gm,
    (whole, key: string, items: string, end: string) => {
      const line = `${key}[${items.replaceAll(/\s+/g, ' ')}]${end}`;
      return line.length > 120 ? whole : line;
    },
  );
}

/** Our packages that one of them has as peers. */
function peersOf(name: string): readonly string[] {
  const { manifest } = readWorkspace(ROOT, ['packages']).find((one) => one.manifest.name === name) ?? {};
  return Object.keys(manifest?.peerDependencies ?? {}).filter(
    (peer) => peer.startsWith('@sallyport/') && manifest?.peerDependenciesMeta?.[peer]?.optional !== true,
  );
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as { version: string }).version;
}

const VERSION_FILE = '/src/internal/version.ts';

/** The files in which packages state their version, for the names of two copies. */
export function versionFiles(): readonly string[] {
  const files = readWorkspace(ROOT, ['packages']).map(({ folder }) => `${folder}${VERSION_FILE}`);
  return files.filter((file) => existsSync(join(ROOT, file)));
}

/** The contents of such a file. */
export function renderVersion(file: string): string {
  const version = versionOf(file.slice(0, -VERSION_FILE.length));
  return `/** The version of this package. \`npm run docs\` writes this file. */\nexport const VERSION = '${version}';\n`;
}

/** `release-set.ts` of the migration command: the ranges of this release, by its number. */
export function renderReleaseSet(): string {
  const { own } = JSON.parse(renderVersions()) as { readonly own: Readonly<Record<string, string>> };
  const release = versionOf('packages/create-sallyport').split('.').slice(0, 2).join('.');
  const ranges = Object.entries(own).map(([name, range]) => `    '${name}': '${range}',\n`);
  return [
    '// Made by `npm run docs` from the versions of the workspace.\n',
    "import type { ReleaseSet } from './upgrades.js';\n\n",
    `export const RELEASE_SET: ReleaseSet = {\n  release: '${release}',\n  ranges: {\n${ranges.join('')}  },\n};\n`,
  ].join('');
}
