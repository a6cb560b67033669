import type { PublicName } from './names.js';

/** The public names of each package at its last release. `npm run release:version` writes them. */
export interface ReleasedApi {
  readonly [packageName: string]: { readonly version: string; readonly names: readonly string[] };
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
 * Names of the last release that are gone although the next one does not break the package. `internal` entries count: our packages of
 * another version import them. A value that is only a type now is gone as a value.
 *
 * @param breaking the packages that leave the range of their last version
 */
export function findBreaks(
  released: ReleasedApi,
  names: readonly PublicName[],
  breaking: ReadonlySet<string>,
): readonly string[] {
  const now = new Set(names.flatMap((one) => [textOf(one), textOf({ ...one, isType: true })]));
  return Object.entries(released).flatMap(([name, { version, names: before }]) =>
    breaking.has(name)
      ? []
      : before
          .filter((text) => !now.has(text))
          .map(
            (text) =>
              `${text} of ${name} ${version} is gone: a break, which needs a changeset "${name}: ${stepOf(version)}"`,
          ),
  );
}

function stepOf(version: string): string {
  return version.startsWith('0.') ? 'minor' : 'major';
}

/** The names of every package, as the next release has them. */
export function releasedApi(versions: ReadonlyMap<string, string>, names: readonly PublicName[]): ReleasedApi {
  return Object.fromEntries(
    [...versions].map(([name, version]) => [
      name,
      { version, names: names.filter(({ entry }) => packageOf(entry) === name).map(textOf) },
    ]),
  );
}
