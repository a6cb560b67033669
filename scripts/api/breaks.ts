import { isAddition } from './additions.js';
import type { PublicName } from './names.js';
import type { Signatures } from './signatures.js';

/** The public names of each package at its last release, with their declarations. `npm run release:version` writes them. */
export interface ReleasedApi {
  readonly [packageName: string]: { readonly version: string; readonly names: Signatures };
}

/** The changes of a release for its users. */
export interface ApiChanges {
  /** Changes that no changeset states as a break, one sentence each. */
  readonly breaks: readonly string[];
  /** Names whose declarations have optional members or overloads more. */
  readonly additions: readonly string[];
}

/** `@sallyport/http/openapi toOpenApi`, or with `type ` before the name. */
function textOf({ entry, name, isType }: PublicName): string {
  return `${entry} ${isType ? 'type ' : ''}${name}`;
}

/** The package of an entry: `@sallyport/http` of `@sallyport/http/openapi`. */
function packageOf(entry: string): string {
  return entry.split('/', entry.startsWith('@') ? 2 : 1).join('/');
}

/**
 * Compares the public API with the last release: names that are gone and declarations that are different, although the next release
 * does not break the package. `internal` entries count: our packages of another version import them. A value that is only a type now is gone
 * as a value.
 *
 * @param breaking the packages that leave the range of their last version
 */
export function compareApi(
  released: ReleasedApi,
  names: readonly PublicName[],
  signatures: Signatures,
  breaking: ReadonlySet<string>,
): ApiChanges {
  const now = new Set(names.flatMap((one) => [textOf(one), textOf({ ...one, isType: true })]));
  const additions: string[] = [];
  const breaks = Object.entries(released).flatMap(([name, { version, names: before }]) => {
    if (breaking.has(name)) return [];
    const remedy = `a break, which needs a changeset "${name}: ${stepOf(version)}"`;
    return Object.entries(before).flatMap(([text, old]) => {
      const isHidden = text.includes(' ~');
      if (!isHidden && !now.has(text)) return [`${text} of ${name} ${version} is gone: ${remedy}`];
      const declared = signatures[text.replace(' type ', ' ')];
      if (declared === undefined || declared === old) return [];
      if (isAddition(old, declared)) {
        additions.push(`${text} has more: ${declared}`);
        return [];
      }
      return [`${text} of ${name} ${version} is different: ${remedy}\n  old: ${old}\n  new: ${declared}`];
    });
  });
  return { breaks, additions };
}

function stepOf(version: string): string {
  return version.startsWith('0.') ? 'minor' : 'major';
}

/** The API of every package, as the next release has it. */
export function releasedApi(
  versions: ReadonlyMap<string, string>,
  names: readonly PublicName[],
  signatures: Signatures,
): ReleasedApi {
  const hidden = Object.keys(signatures).filter((text) => text.includes(' ~'));
  return Object.fromEntries(
    [...versions].map(([name, version]) => {
      const own = names.filter(({ entry }) => packageOf(entry) === name).map(textOf);
      const below = hidden.filter((text) => text.startsWith(`${name} ~`));
      const rows = [...own, ...below].map((text) => [text, signatures[text.replace(' type ', ' ')] ?? '']);
      return [name, { version, names: Object.fromEntries(rows) }];
    }),
  );
}
