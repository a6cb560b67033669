import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from '../../docs/pages.js';
import { ROOT } from '../command.js';
import { findPageFaults } from '../doc-pages.js';
import type { Gate } from '../gate.js';

export const pagesGate: Gate = {
  name: 'pages',
  demands:
    'pages made from data are up to date (npm run docs), and each page says what is safe by default and what it costs, with a source',
  async run() {
    const made: string[] = [];
    for (const { file, check, render } of PAGES) {
      const path = join(ROOT, file);
      const written = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const stale = written === (await render()) ? [] : ['is not what npm run docs writes'];
      made.push(...[...(await check(ROOT)), ...stale].map((finding) => `${file}: ${finding}`));
    }
    return [...made, ...writtenPages().flatMap(faultsOf)];
  },
};

/** The pages of docs/ except the list of pages. */
function writtenPages(): readonly string[] {
  return readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
}

function faultsOf(name: string): readonly string[] {
  return findPageFaults(readFileSync(join(ROOT, 'docs', name), 'utf8')).map((fault) => `docs/${name}: ${fault}`);
}
