// `npm run words -- [path]...`: the phrases in these files that the gate `words` rejects, and their number.
import { findInFiles } from './check/words/files.js';
import { exceptFor, judge } from './check/words/words.js';

const paths = process.argv.slice(2).map((path) => path.replace(/\/$/, ''));
const findings = judge(await findInFiles(paths), exceptFor(paths));
for (const finding of findings) process.stdout.write(`${finding}\n`);
process.stdout.write(`${findings.length} findings\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
