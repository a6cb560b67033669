// Copies AWS's runtime client into the package: one file of JavaScript, with its licences. As a dependency it would install the build
// tools of its native part, which is not used.
import { cpSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILES = ['index.mjs', 'LICENSE', 'NOTICE', 'THIRD-PARTY-LICENSES'];
const from = dirname(createRequire(import.meta.url).resolve('aws-lambda-ric-4/package.json'));
const to = fileURLToPath(new URL('../dist/ric', import.meta.url));

mkdirSync(to, { recursive: true });
for (const file of FILES) cpSync(join(from, file), join(to, file));
