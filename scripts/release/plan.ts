/** The increase of a version: `patch` keeps every range, the breaking step (before 1.0 `minor`, then `major`) leaves it. */
export type Step = 'patch' | 'minor' | 'major';

/** A published package before a release. */
export interface ReleasedPackage {
  readonly name: string;
  readonly version: string;
  /** The names of our packages that it needs at run time, as dependencies or peers. */
  readonly needs: readonly string[];
}

/** The step that a changeset states for one package. */
export interface Change {
  readonly name: string;
  readonly step: Step;
}

export interface PlannedRelease {
  readonly name: string;
  readonly step: Step;
  readonly from: string;
  readonly to: string;
}

/** In every release: these name the versions of all others. */
const IN_EVERY_RELEASE: readonly string[] = ['create-sallyport', '@sallyport/migrate'];

const ORDER: readonly Step[] = ['patch', 'minor', 'major'];

/**
 * The versions of a release. A package whose range its dependents leave raises each of them, and their dependents, by the breaking step of
 * its version: an `npm update` then installs all of them, or keeps all.
 *
 * @throws Error for an unknown package, or a `major` before 1.0: a changeset does not raise a package to 1.0.0
 */
export function planReleases(
  packages: readonly ReleasedPackage[],
  changes: readonly Change[],
): readonly PlannedRelease[] {
  const byName = new Map(packages.map((one) => [one.name, one]));
  const steps = new Map<string, Step>();
  const raise = (name: string, step: Step) => {
    const one = byName.get(name);
    if (!one) throw new Error(`a changeset names ${name}, which is not published`);
    if (step === 'major' && isBeforeOne(one.version))
      throw new Error(`a changeset raises ${name} ${one.version} by "major": before 1.0 a break is "minor"`);
    const before = steps.get(name);
    if (before !== undefined && ORDER.indexOf(before) >= ORDER.indexOf(step)) return;
    steps.set(name, step);
    if (step !== breakingStep(one.version)) return;
    for (const dependent of packages)
      if (dependent.needs.includes(name)) raise(dependent.name, breakingStep(dependent.version));
  };
  for (const { name, step } of changes) raise(name, step);
  if (steps.size > 0)
    for (const name of IN_EVERY_RELEASE) if (byName.has(name)) raise(name, stepOfSet(name, steps, byName));
  return packages.flatMap(({ name, version }) => {
    const step = steps.get(name);
    return step === undefined ? [] : [{ name, step, from: version, to: raised(version, step) }];
  });
}

/** The number of the set breaks when anything in it breaks. */
function stepOfSet(set: string, steps: ReadonlyMap<string, Step>, byName: ReadonlyMap<string, ReleasedPackage>): Step {
  const versionOf = (name: string) => byName.get(name)?.version ?? '';
  const breaks = [...steps].some(([name, step]) => step === breakingStep(versionOf(name)));
  return breaks ? breakingStep(versionOf(set)) : 'patch';
}

/** The step that leaves a caret range on the version. */
export function breakingStep(version: string): Step {
  return isBeforeOne(version) ? 'minor' : 'major';
}

function isBeforeOne(version: string): boolean {
  return version.startsWith('0.');
}

function raised(version: string, step: Step): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (step === 'major') return `${major + 1}.0.0`;
  return step === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}
