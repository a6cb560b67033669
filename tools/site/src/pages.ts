import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Folder of the site's Markdown files during the build, under the same names as in the repository. */
export const SOURCE = join(ROOT, 'tools/site/pages');
export const OUTPUT = join(ROOT, 'tools/site/dist');

export interface SiteLink {
  readonly text: string;
  readonly link: string;
  /** The content of the page, in one sentence. */
  readonly answers: string;
}

/** The guide, in the order of the list in docs/README.md. */
export const GUIDE: readonly SiteLink[] = [
  ...readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8').matchAll(/^\| \[([^\]]+)\]\((\w[\w-]*)\.md\) \| (.+) \|$/gm),
].map(([, text = '', page = '', answers = '']) => ({ text, link: `/${page}`, answers }));

export const PACKAGES: readonly SiteLink[] = linksOf('packages');

export const EXAMPLES: readonly SiteLink[] = linksOf('examples');

/** All files that are pages, with their addresses. A file that is not listed is not part of the site. */
export const PAGES: Readonly<Record<string, string>> = {
  'docs/README.md': 'index.md',
  ...Object.fromEntries(
    readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .map((name) => [`docs/${name}`, name]),
  ),
  ...Object.fromEntries(PACKAGES.map(({ text, link }) => [`packages/${text}/README.md`, `${link.slice(1)}.md`])),
  ...Object.fromEntries(EXAMPLES.map(({ text, link }) => [`examples/${text}/README.md`, `${link.slice(1)}.md`])),
  'contract-fixtures/README.md': 'contract-fixtures.md',
};

/** A link for each package of a folder, with the sentence of its package.json. */
function linksOf(folder: string): readonly SiteLink[] {
  return readdirSync(join(ROOT, folder)).map((name) => {
    const manifest = readFileSync(join(ROOT, folder, name, 'package.json'), 'utf8');
    const { description } = JSON.parse(manifest) as { readonly description: string };
    return { text: name, link: `/${folder}/${name}`, answers: description };
  });
}
