/**
 * `node --import tsx tools/site/src/search.ts`: builds the index of the site's search without the site, searches every term
 * of `SEARCHES`, and prints the pages of the results as JSON: `{ "cold start": ["deployment", …] }`.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createMarkdownRenderer } from 'vitepress';
import { PAGES, ROOT } from './pages.js';
import { splitSections } from './search-index.js';
import { SEARCHES } from './terms.js';

interface Index {
  add(section: { id: string; title: string; titles: string[]; text: string }): void;
  search(term: string): readonly { readonly id: string }[];
}
// The library that VitePress uses, and the options that its page uses.
const MiniSearch = createRequire(createRequire(import.meta.url).resolve('vitepress/package.json'))('minisearch') as {
  new (options: object): Index;
};
const index = new MiniSearch({
  fields: ['title', 'titles', 'text'],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
});

const renderer = await createMarkdownRenderer(ROOT, { highlight: (code) => code });
for (const [file, page] of Object.entries(PAGES)) {
  const html = renderer.render(readFileSync(join(ROOT, file), 'utf8'), { path: file, relativePath: file });
  const id = page.replace(/\.md$/, '');
  for (const { anchor, titles, text } of splitSections(join(ROOT, file), html))
    index.add({
      id: anchor === '' ? id : `${id}#${anchor}`,
      text,
      title: titles.at(-1) ?? '',
      titles: titles.slice(0, -1),
    });
}
const pagesOf = (term: string) => [...new Set(index.search(term).map(({ id }) => id.split('#')[0]))].slice(0, 5);
process.stdout.write(JSON.stringify(Object.fromEntries(SEARCHES.map(([term]) => [term, pagesOf(term)]))));
