import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTextOf } from './internal/loader.js';

/** The digests of a bundle's files, next to them. No function reads it. */
const MANIFEST = 'start.json';

interface Manifest {
  readonly version: 1;
  /** SHA-256 of the string passed to the compiler. */
  readonly text: string;
  /** SHA-256 of each file, by its name. */
  readonly files: Readonly<Record<string, string>>;
}

const isCache = (name: string) => /^start-.+\.cache$/.test(name);

/** Writes the digests of the loader, the application and the caches. */
export function writeManifest(folder: string, text: string): void {
  const names = ['app.js', 'index.js', 'package.json', ...readdirSync(folder).filter(isCache)].sort();
  const files = Object.fromEntries(names.map((name) => [name, digestOf(join(folder, name))]));
  const manifest: Manifest = { version: 1, text, files };
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/**
 * Compares a bundle with the digests of its build. Run it after the last tool that edits bundles: V8 does not check a cache, so a changed
 * bit can stop the process, and for changed code of the same length V8 would run the old code.
 *
 * @param folder the folder of a bundle with a start cache
 * @returns one sentence for each finding; an empty list if the bundle is unchanged since its build
 * @example
 * const findings = verifyBundle('dist');
 * if (findings.length > 0) throw new Error(findings.join('\n'));
 */
export function verifyBundle(folder: string): readonly string[] {
  const manifest = readManifest(folder);
  if (typeof manifest === 'string') return [manifest];
  const { text, files } = manifest;
  const changed = Object.entries(files).flatMap(([name, digest]) => {
    const file = join(folder, name);
    if (!existsSync(file)) return [`${name} is missing`];
    return digestOf(file) === digest ? [] : [`${name} was changed after the build`];
  });
  const surplus = readdirSync(folder).filter((name) => isCache(name) && !Object.hasOwn(files, name));
  const foreign = Object.keys(files).filter((name) => isCache(name) && !name.startsWith(`start-${text}-`));
  return [
    ...changed,
    ...surplus.map((name) => `${name} is not of this build`),
    ...foreign.map((name) => `${name} is the cache of another text`),
    ...textFindings(folder, text),
  ];
}

function textFindings(folder: string, text: string): readonly string[] {
  if (!existsSync(join(folder, 'app.js')) || !existsSync(join(folder, 'index.js'))) return [];
  const { hash, encoding } = startTextOf(readFileSync(join(folder, 'app.js')));
  const loader = readFileSync(join(folder, 'index.js'), 'utf8');
  return [
    ...(hash === text && loader.includes(`start-${hash}-`)
      ? []
      : ['app.js is not the text whose hash index.js contains']),
    ...(loader.includes(`readFileSync(file, '${encoding}')`) ? [] : [`index.js does not read app.js as ${encoding}`]),
  ];
}

function readManifest(folder: string): Manifest | string {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Partial<Manifest> | null;
    const isValid = manifest?.version === 1 && typeof manifest.text === 'string' && typeof manifest.files === 'object';
    return isValid ? (manifest as Manifest) : `${MANIFEST} is not of this version`;
  } catch {
    return `${MANIFEST} is missing or not readable: ${folder} is not a bundle with a start cache`;
  }
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
