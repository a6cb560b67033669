import { join, posix, relative } from 'node:path';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { EXAMPLES, GUIDE, OUTPUT, PACKAGES, PAGES, ROOT, SOURCE } from '../src/pages.js';
import { splitSections } from '../src/search-index.js';

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];

export default defineConfig({
  title: 'Sallyport',
  description: 'A TypeScript framework for AWS Lambda: one guarded entrypoint for every trigger.',
  lang: 'en',
  srcDir: SOURCE,
  outDir: OUTPUT,
  cacheDir: join(ROOT, 'node_modules/.cache/vitepress'),
  rewrites: PAGES,
  themeConfig: {
    search: { provider: 'local', options: { miniSearch: { _splitIntoSections: splitSections } } },
    nav: [{ text: 'Start here', link: '/start' }],
    sidebar: [
      { text: 'Guide', items: [...GUIDE] },
      { text: 'Packages', items: [...PACKAGES] },
      { text: 'Examples', items: [...EXAMPLES] },
    ],
    outline: [2, 3],
  },
  markdown: {
    // Both have the contrast that WCAG AA requires.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: unlinkSources,
  },
});

/** Replaces a link to a file that is not a page, such as a source or a fixture, by its text. */
function unlinkSources(md: MarkdownIt): void {
  md.core.ruler.push('unlink-sources', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let unlinked = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open')
          unlinked = !leadsSomewhere(env as { path?: string }, token.attrGet('href') ?? '');
        if (!unlinked || (token.type !== 'link_open' && token.type !== 'link_close')) continue;
        if (token.type === 'link_close') unlinked = false;
        token.type = token.type === 'link_open' ? 'span_open' : 'span_close';
        token.tag = 'span';
        token.attrs = null;
      }
    }
  });
}

function leadsSomewhere({ path = '' }: { readonly path?: string }, href: string): boolean {
  if (/^(?:https?:|#|mailto:)/.test(href)) return true;
  const [target = ''] = href.split('#');
  const file = posix.join(posix.dirname(relative(SOURCE, path)), target);
  return file in PAGES;
}
