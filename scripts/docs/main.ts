// `npm run docs`: writes the generated pages of docs/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../check/command.js';
import { PAGES } from './pages.js';

for (const { file, check, render } of PAGES) {
  const findings = await check(ROOT);
  for (const finding of findings) process.stderr.write(`${file}: ${finding}\n`);
  if (findings.length > 0) {
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(join(ROOT, file)), { recursive: true });
  writeFileSync(join(ROOT, file), await render());
  process.stdout.write(`${file}\n`);
}
