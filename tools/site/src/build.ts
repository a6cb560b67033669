// `npm run docs:site`: renders docs/ and the READMEs as a site with local search, into tools/site/dist, and llms.txt
// next to it. Fails for a dead link.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { renderLlms } from './llms.js';
import { OUTPUT, PAGES, ROOT, SOURCE } from './pages.js';

rmSync(SOURCE, { recursive: true, force: true });
for (const file of Object.keys(PAGES)) {
  mkdirSync(dirname(join(SOURCE, file)), { recursive: true });
  copyFileSync(join(ROOT, file), join(SOURCE, file));
}
// The pictures that a test makes; scripts/run.mjs runs it before this.
const PICTURES = 'docs/images/local';
mkdirSync(join(SOURCE, PICTURES), { recursive: true });
for (const file of readdirSync(join(ROOT, PICTURES)))
  copyFileSync(join(ROOT, PICTURES, file), join(SOURCE, PICTURES, file));
await build(join(ROOT, 'tools/site'));
writeFileSync(join(OUTPUT, 'llms.txt'), renderLlms());
