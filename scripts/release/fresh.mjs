// The `prepack` script of every published package. Without a build that belongs to the sources an archive has no code, or old code,
// and a version that is published cannot be published again.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { targetsOf } from '../check/exports.mjs';

/** Built files that neither an export nor a command names. */
const BUILT_ELSEWHERE = { '@sallyport/local': ['dist/console', 'dist/ric'] };

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/**
 * The reasons against packing a package, one sentence each.
 *
 * @param {string} folder an absolute path
 * @param {string} agent `npm_config_user_agent` of the program that packs: `pnpm/12.21.0 …`
 * @returns {readonly string[]}
 */
export function findPackFaults(folder, agent) {
  const manifest = readJson(join(folder, 'package.json'));
  return [
    ...(agent.startsWith('pnpm/') ? [] : ['pack with pnpm: no other program replaces `workspace:` and `catalog:`']),
    ...describeMissing(findMissingFiles(folder, manifest)),
    ...staleSources(folder),
    ...staleVersion(folder, manifest),
    ...staleVersions(folder),
  ];
}

/**
 * The files that a package promises and that are not built.
 *
 * @param {string} folder an absolute path
 * @param {{ readonly name: string, readonly exports?: object, readonly bin?: object }} manifest
 * @returns {readonly string[]} paths from the folder
 */
export function findMissingFiles(folder, manifest) {
  const promised = [...targetsOf(manifest).map(([, file]) => file), ...(BUILT_ELSEWHERE[manifest.name] ?? [])];
  return [...new Set(promised)].filter((file) => !existsSync(join(folder, file)));
}

function describeMissing([first, ...others]) {
  if (first === undefined) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return [`${first}${more} is not there: npm run build`];
}

/** `tsc -b` writes the hash of every source that it compiled. */
function staleSources(folder) {
  const record = join(folder, 'dist', '.tsbuildinfo');
  if (!existsSync(record)) return ['dist/.tsbuildinfo is not there: npm run build'];
  const { fileNames, fileInfos } = readJson(record);
  const compiled = new Map(
    fileNames.map((name, index) => [
      resolve(folder, 'dist', name),
      typeof fileInfos[index] === 'string' ? fileInfos[index] : fileInfos[index].version,
    ]),
  );
  const sources = readdirSync(join(folder, 'src'), { recursive: true })
    .map((name) => join(folder, 'src', name))
    .filter((file) => file.endsWith('.ts'));
  const changed = sources.filter((file) => compiled.get(file) !== hashOf(file));
  const removed = [...compiled.keys()].filter((file) => file.startsWith(join(folder, 'src')) && !existsSync(file));
  return [...changed, ...removed]
    .slice(0, 3)
    .map((file) => `${relative(folder, file)} is not what dist was built from: npm run build`);
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file, 'utf8')).digest('hex');
}

function staleVersion(folder, { version }) {
  const file = join(folder, 'src', 'internal', 'version.ts');
  if (!existsSync(file) || readFileSync(file, 'utf8').includes(`'${version}'`)) return [];
  return [`src/internal/version.ts does not state ${version}: npm run docs`];
}

/** The versions that a new project receives are the versions of the packages next to this one. */
function staleVersions(folder) {
  const file = join(folder, 'versions.json');
  if (!existsSync(file)) return [];
  const packages = dirname(folder);
  return Object.entries(readJson(file).own).flatMap(([name, range]) => {
    const manifest = join(packages, basename(name), 'package.json');
    const { version } = existsSync(manifest) ? readJson(manifest) : {};
    return range === `^${version}` ? [] : [`versions.json has ${name} ${range}, not ^${version}: npm run docs`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = findPackFaults(process.cwd(), process.env.npm_config_user_agent ?? '');
  for (const fault of faults) process.stderr.write(`${basename(process.cwd())}: ${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
