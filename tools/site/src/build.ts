// `npm run docs:site`: renders docs/ and the READMEs as a site with local search, into tools/site/dist, and llms.txt
// beside it. A dead link ends it.
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
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
cpSync(join(ROOT, 'docs/images'), join(SOURCE, 'docs/images'), { recursive: true });
await build(join(ROOT, 'tools/site'));
writeFileSync(join(OUTPUT, 'llms.txt'), renderLlms());
