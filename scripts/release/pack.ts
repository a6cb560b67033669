// `npm run pack [-- folder]`: the archives that a release would publish, to try them before the release. Default folder:
// archives/.
import { relative, resolve } from 'node:path';
import { packAll } from './archives.js';

const destination = resolve(process.argv[2] ?? 'archives');
for (const { archive } of await packAll(destination)) process.stdout.write(`${relative(process.cwd(), archive)}\n`);
