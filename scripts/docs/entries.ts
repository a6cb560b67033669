import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { readWorkspace, sourceEntries } from '../check/workspace.js';

/** The exports of the published packages, for the migration helper. */
export function renderEntries(): string {
  const entries = readWorkspace(ROOT, ['packages'])
    .filter(({ manifest }) => manifest.private !== true && manifest.name.startsWith('@sallyport/'))
    .flatMap(({ manifest }) => [...sourceEntries(manifest).keys()].map((subpath) => join(manifest.name, subpath)))
    .sort();
  return `// Made by \`npm run docs\` from the packages of the workspace.

/** Every entry of every package: the possible targets of an import. */
export const ENTRIES: readonly string[] = [
${entries.map((entry) => `  '${entry}',\n`).join('')}];
`;
}
