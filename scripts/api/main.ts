// `npm run api [-- --count]`: every public name by entry, one a line, to compare two states; or the counts alone.
import { fileURLToPath } from 'node:url';
import { INTERNAL_ENTRY } from '../check/workspace.js';
import { publicNames } from './names.js';

const names = publicNames(fileURLToPath(new URL('../..', import.meta.url)));
const entries = new Set(names.map(({ entry }) => entry));
if (process.argv.includes('--count')) {
  for (const entry of entries)
    process.stdout.write(`${String(names.filter((one) => one.entry === entry).length).padStart(5)}  ${entry}\n`);
} else for (const { entry, name, isType } of names) process.stdout.write(`${entry} ${isType ? 'type ' : ''}${name}\n`);
const isInternal = (entry: string) => entry.endsWith(INTERNAL_ENTRY.slice(1));
const front = names.filter(({ entry }) => !isInternal(entry));
const fronts = [...entries].filter((entry) => !isInternal(entry));
process.stderr.write(
  `${front.length} public names, ${new Set(front.map(({ name }) => name)).size} of them different, through ${fronts.length} entries; ${names.length - front.length} internal names through ${entries.size - fronts.length}\n`,
);
