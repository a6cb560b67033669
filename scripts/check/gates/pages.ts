import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from '../../docs/pages.js';
import { ROOT, run } from '../command.js';
import { findInternalMentions, findPageFaults } from '../doc-pages.js';
import type { Gate } from '../gate.js';

const READ_BY_USERS = [
  'README.md',
  'docs',
  'examples',
  'packages/*/README.md',
  'packages/create-sallyport/templates',
  'packages/migrate/src',
];

export const pagesGate: Gate = {
  name: 'pages',
  demands:
    'pages made from data are up to date (npm run docs), and each page says what is safe by default and what it costs, with a source; none names an internal entry',
  async run() {
    const made: string[] = [];
    for (const { file, check, render } of PAGES) {
      const path = join(ROOT, file);
      const written = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const stale = written === (await render()) ? [] : ['is not what npm run docs writes'];
      made.push(...[...(await check(ROOT)), ...stale].map((finding) => `${file}: ${finding}`));
    }
    return [...made, ...writtenPages().flatMap(faultsOf), ...(await mentions())];
  },
};

/** The pages of docs/ except the list of pages. */
function writtenPages(): readonly string[] {
  return readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
}

/** Mentions of internal entries in the files that users read or copy. */
async function mentions(): Promise<readonly string[]> {
  const { stdout } = await run('git', ['ls-files', '--', ...READ_BY_USERS]);
  const files = stdout.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)));
  return files.flatMap((file) =>
    findInternalMentions(readFileSync(join(ROOT, file), 'utf8')).map((at) => `${file}:${at}`),
  );
}

function faultsOf(name: string): readonly string[] {
  return findPageFaults(readFileSync(join(ROOT, 'docs', name), 'utf8')).map((fault) => `docs/${name}: ${fault}`);
}
