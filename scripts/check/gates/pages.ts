import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from '../../docs/pages.js';
import { ROOT } from '../command.js';
import type { Gate } from '../gate.js';

export const pagesGate: Gate = {
  name: 'pages',
  demands: 'pages made from data are up to date, and what they cite exists (npm run docs)',
  async run() {
    return PAGES.flatMap(({ file, check, render }) => {
      const path = join(ROOT, file);
      const written = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const stale = written === render() ? [] : ['is not what npm run docs writes'];
      return [...check(ROOT), ...stale].map((finding) => `${file}: ${finding}`);
    });
  },
};
