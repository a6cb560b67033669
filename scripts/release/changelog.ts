import type { Changeset } from './changesets.js';
import type { PlannedRelease } from './plan.js';

/**
 * The entry of a release in the changelog of a package.
 *
 * @param description what the package is, for its first release
 * @param raisedBy our packages that it needs and that left its ranges: `@sallyport/core 0.2.0`
 */
export function renderEntry(
  { name, from, to }: PlannedRelease,
  changesets: readonly Changeset[],
  { description, raisedBy }: { readonly description: string; readonly raisedBy: readonly string[] },
): string {
  // A change from before the first release is of no use to a reader.
  if (from === '0.0.0') return `## ${to}\n\nThe first release. ${description}\n`;
  const texts = (isFix: boolean) =>
    changesets
      .filter(({ changes }) => changes.some((one) => one.name === name && (one.step === 'patch') === isFix))
      .map(({ text }) => `- ${text.replaceAll('\n', '\n  ')}\n`);
  const [breaks, fixes] = [texts(false), texts(true)];
  const more = raisedBy.length === 0 ? [] : [`- Needs ${raisedBy.join(', ')}: install the newest of both together.\n`];
  const sections = [
    ...(breaks.length > 0 ? [`### Changes\n\n${breaks.join('')}`] : []),
    ...(fixes.length > 0 ? [`### Fixes and additions\n\n${fixes.join('')}`] : []),
    ...(more.length > 0 ? [`### Together with\n\n${more.join('')}`] : []),
    ...(breaks.length + fixes.length + more.length === 0 ? ['The versions of this release.\n'] : []),
  ];
  return `## ${to}\n\n${sections.join('\n')}`;
}

/** A changelog with an entry before all others. */
export function addEntry(name: string, changelog: string, entry: string): string {
  const rest = changelog.replace(/^# .*\n\n?/, '');
  return `# ${name}\n\n${entry}${rest === '' ? '' : `\n${rest}`}`;
}
