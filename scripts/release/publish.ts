import { readFileSync } from 'node:fs';
import { run } from '../check/command.js';
import { integrityOf } from './registry.js';

/** An archive to publish. */
export interface Publication {
  readonly name: string;
  readonly version: string;
  /** Path of the `.tgz`. */
  readonly archive: string;
  /** The names of our packages that it needs. */
  readonly needs: readonly string[];
}

/** The outcome for an archive; `there`: it was published before, with the same bytes. */
export type Published = readonly [specifier: string, outcome: 'published' | 'there'];

/** Publishes one archive with npm. */
export type Publisher = (archive: string) => Promise<void>;

/**
 * Publishes archives so that after a failure in the middle every published package can be installed: needed packages first, and the command that
 * names the versions of all last. Run it again after a failure: it skips what the registry has.
 *
 * @param registry its address, with `/` at the end
 * @throws Error if the registry has other bytes of a version, before anything is published; or what the publisher throws
 */
export async function publishAll(
  publications: readonly Publication[],
  registry: string,
  publish: Publisher,
): Promise<readonly Published[]> {
  const ordered = inOrder(publications);
  const missing = new Set<string>();
  for (const one of ordered) if (!(await isThere(one, registry))) missing.add(one.name);
  const outcomes: Published[] = [];
  for (const { name, version, archive } of ordered) {
    if (missing.has(name)) await publish(archive);
    outcomes.push([`${name}@${version}`, missing.has(name) ? 'published' : 'there']);
  }
  return outcomes;
}

const LAST = 'create-sallyport';

function inOrder(publications: readonly Publication[]): readonly Publication[] {
  const byName = new Map(publications.map((one) => [one.name, one]));
  const ordered = new Set<Publication>();
  const visit = (one: Publication) => {
    if (ordered.has(one)) return;
    for (const need of one.needs) {
      const needed = byName.get(need);
      if (needed) visit(needed);
    }
    ordered.add(one);
  };
  for (const one of publications) if (one.name !== LAST) visit(one);
  for (const one of publications) visit(one);
  return [...ordered];
}

async function isThere({ name, version, archive }: Publication, registry: string): Promise<boolean> {
  const url = `${registry}${name.replace('/', '%2f')}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (response.status === 404) return false;
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const { versions = {} } = (await response.json()) as {
    versions?: Readonly<Record<string, { readonly dist: { readonly integrity: string } }>>;
  };
  const found = versions[version]?.dist.integrity;
  if (found === undefined) return false;
  if (found === integrityOf(readFileSync(archive))) return true;
  throw new Error(
    `${name}@${version} is published with other bytes: raise its version, a version is never published again`,
  );
}

/**
 * Publishes with npm, which signs in with a token of the user, or by the identity of a workflow (trusted publishing). The
 * bytes of the archive are not packed again.
 */
export function npmPublisher(registry: string, flags: readonly string[], folder: string): Publisher {
  return async (archive) => {
    const args = ['publish', archive, '--access', 'public', '--ignore-scripts', `--registry=${registry}`, ...flags];
    const { status, output } = await run('npm', args, folder);
    if (status !== 0) throw new Error(`npm publish ${archive} ended with ${status}\n${output}`);
  };
}

/** Flags for a registry that accepts any token. npm sends nothing without a token. */
export function anyToken(registry: string): readonly string[] {
  const setting = `${registry.replace(/^https?:/, '')}:_authToken`;
  return [`--${setting}=none`, '--no-provenance'];
}
