import { type Exports, targetsOf } from './exports.mjs';

/** The data of an archive for the gate `packaging`. */
export interface Archive {
  /** Paths relative to the package. */
  readonly files: readonly string[];
  /** The `package.json` inside, with `catalog:` and `workspace:` already replaced by versions. */
  readonly manifest: PublishedManifest;
}

type ImportTarget = string | { readonly [condition: string]: ImportTarget };

export interface PublishedManifest {
  readonly version?: string;
  readonly license?: string;
  readonly description?: string;
  readonly type?: string;
  readonly engines?: { readonly node?: string };
  readonly sideEffects?: boolean;
  readonly exports?: Exports;
  /** Imports of the package itself: a file, or one for each condition. */
  readonly imports?: Readonly<Record<string, ImportTarget>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly keywords?: readonly string[];
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The version of a package before its first release, which writes its first CHANGELOG.md. */
const UNRELEASED = '0.0.0';
const EXACT = /^\d/;
const UNRESOLVED = /^(?:workspace|catalog|link|file):/;

/** The problems of the files and the manifest of an archive that would be published, one sentence for each. */
export function findArchiveFaults({ files, manifest }: Archive): readonly string[] {
  const faults: string[] = [];
  for (const name of ['LICENSE', 'README.md']) {
    if (!files.includes(name)) faults.push(`the archive holds no ${name}`);
  }
  if (manifest.version !== UNRELEASED && !files.includes('CHANGELOG.md'))
    faults.push('the archive holds no CHANGELOG.md');
  for (const file of files.filter((name) => name.endsWith('.tsbuildinfo'))) faults.push(`${file} is in the archive`);
  if (manifest.license !== 'Apache-2.0') faults.push('`license` is not Apache-2.0');
  if (!manifest.description) faults.push('`description` is empty');
  if (manifest.type !== 'module') faults.push('`type` is not module');
  if (!manifest.engines?.node) faults.push('`engines.node` is missing');
  if (manifest.sideEffects !== false) faults.push('`sideEffects` is not false, so bundlers keep what nobody uses');
  faults.push(...missingTargets(files, manifest), ...missingSources(files));
  if (!manifest.keywords?.length) faults.push('`keywords` is empty');
  if (manifest.publishConfig?.access !== 'public') faults.push('`publishConfig.access` is not public');
  if (manifest.publishConfig?.provenance !== true) faults.push('`publishConfig.provenance` is not true');
  for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (UNRESOLVED.test(range)) faults.push(`${name} is wanted as ${range}, which only this workspace understands`);
    if (EXACT.test(range))
      faults.push(
        `${name} is pinned to ${range}: give its catalog entry a range, so that users can install a fixed version`,
      );
  }
  return faults;
}

function filesOfImport(target: ImportTarget): readonly string[] {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOfImport);
}

/** Entries, own imports and commands whose file is not in the archive. */
function missingTargets(files: readonly string[], manifest: PublishedManifest): readonly string[] {
  const imports = Object.entries(manifest.imports ?? {}).flatMap(([name, target]) =>
    filesOfImport(target).map((file) => [name, file] as const),
  );
  return [...targetsOf(manifest), ...imports]
    .filter(([, file]) => !files.includes(file.replace(/^\.\//, '')))
    .map(([name, file]) => `${name} is ${file}, which is not in the archive`);
}

/** Source maps, which debuggers and stack traces follow, whose file is not in the archive. */
function missingSources(files: readonly string[]): readonly string[] {
  const there = new Set(files);
  return files.flatMap((file) => {
    const [, stem] = /^dist\/(.*?)(?:\.d\.ts|\.js)\.map$/.exec(file) ?? [];
    if (stem === undefined || there.has(`src/${stem}.ts`) || there.has(`src/${stem}.tsx`)) return [];
    return [`${file} maps to src/${stem}.ts, which is not in the archive`];
  });
}
