import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { INTERNAL_ENTRY, readWorkspace, sourceEntries } from '../check/workspace.js';

/** The public entries of the published packages, for the migration helper. */
export function renderEntries(): string {
  const entries = readWorkspace(ROOT, ['packages'])
    .filter(({ manifest }) => manifest.private !== true && manifest.name.startsWith('@sallyport/'))
    .flatMap(({ manifest }) =>
      [...sourceEntries(manifest).keys()]
        .filter((subpath) => subpath !== INTERNAL_ENTRY)
        .map((subpath) => join(manifest.name, subpath)),
    )
    .sort();
  return `// Made by \`npm run docs\` from the packages of the workspace.

/** Every public entry of every package: the possible targets of an import. */
export const ENTRIES: readonly string[] = [
${entries.map((entry) => `  '${entry}',\n`).join('')}];
`;
}
