// `npm run api [-- --count]`: every public name by entry, one a line, to compare two states; or the counts alone.
import { fileURLToPath } from 'node:url';
import { publicNames } from './names.js';

const names = publicNames(fileURLToPath(new URL('../..', import.meta.url)));
const entries = new Set(names.map(({ entry }) => entry));
if (process.argv.includes('--count')) {
  for (const entry of entries)
    process.stdout.write(`${String(names.filter((one) => one.entry === entry).length).padStart(5)}  ${entry}\n`);
} else for (const { entry, name, isType } of names) process.stdout.write(`${entry} ${isType ? 'type ' : ''}${name}\n`);
process.stderr.write(
  `${names.length} names, ${new Set(names.map(({ name }) => name)).size} of them different, through ${entries.size} entries\n`,
);
