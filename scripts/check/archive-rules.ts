/** What the gate `packaging` reads of an archive. */
export interface Archive {
  /** Paths relative to the package. */
  readonly files: readonly string[];
  /** The `package.json` inside, with `catalog:` and `workspace:` already replaced by versions. */
  readonly manifest: PublishedManifest;
}

export interface PublishedManifest {
  readonly license?: string;
  readonly keywords?: readonly string[];
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const EXACT = /^\d/;

/** What is wrong with the files and the manifest of an archive that would be published, a sentence each. */
export function findArchiveFaults({ files, manifest }: Archive): readonly string[] {
  const faults: string[] = [];
  if (!files.includes('LICENSE')) faults.push('the archive holds no LICENSE');
  for (const file of files.filter((name) => name.endsWith('.tsbuildinfo'))) faults.push(`${file} is in the archive`);
  if (manifest.license !== 'Apache-2.0') faults.push('`license` is not Apache-2.0');
  if (!manifest.keywords?.length) faults.push('`keywords` is empty');
  if (manifest.publishConfig?.access !== 'public') faults.push('`publishConfig.access` is not public');
  if (manifest.publishConfig?.provenance !== true) faults.push('`publishConfig.provenance` is not true');
  for (const [name, range] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (EXACT.test(range))
      faults.push(
        `${name} is pinned to ${range}: give its catalog entry a range, so that users can take a mended version`,
      );
  }
  return faults;
}
