/** The index of the site's search: sections of pages, and the words of other frameworks as a section of their page. */
import { TERMS } from './terms.js';

export interface SearchSection {
  readonly anchor: string;
  /** The titles of the headings around the section, and its own title at the end. */
  readonly titles: string[];
  readonly text: string;
}

const HEADING = /<h([1-6])[^>]*>(.*?<a[^>]* href="#([^"]*)"[^>]*>.*?<\/a>)<\/h\1>/gis;

/** Splits a rendered page at its headings. The first section has the words of {@link TERMS} as title, and leads to the page. */
export function* splitSections(file: string, html: string): Generator<SearchSection> {
  const parts = html.split(HEADING);
  const titles: string[] = [];
  const terms = TERMS[/\/docs\/([\w-]+)\.md$/.exec(file)?.[1] ?? ''];
  if (terms)
    yield { anchor: '', titles: [textOf(parts[2] ?? ''), `also: ${terms.join(', ')}`], text: terms.join('. ') };
  // Of each heading: its level, its content, its anchor, and the text below it.
  for (let at = 1; at < parts.length; at += 4) {
    const level = Number(parts[at]) - 1;
    titles.length = level;
    titles[level] = textOf(parts[at + 1] ?? '');
    const text = textOf(parts[at + 3] ?? '');
    yield { anchor: parts[at + 2] ?? '', titles: titles.filter(Boolean), text };
  }
}

function textOf(html: string): string {
  return html
    .replaceAll(/<a class="header-anchor"[^>]*>.*?<\/a>/gis, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim();
}
