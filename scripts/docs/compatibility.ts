import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { renderVersions } from './versions.js';

export const RELEASES = 'docs/releases.md';

const MARKED = /<!-- compatibility -->[\s\S]*?<!-- \/compatibility -->/;

/** The page with the table of which package needs which between its marks. */
export function renderCompatibility(): string {
  const { own, beside } = JSON.parse(renderVersions()) as {
    readonly own: Readonly<Record<string, string>>;
    readonly beside: Readonly<Record<string, readonly string[]>>;
  };
  const short = (name: string) => name.replace('@sallyport/', '');
  const rows = Object.entries(own).map(([name, range]) => {
    const needs = (beside[name] ?? []).map((peer) => `\`${short(peer)}\` ${own[peer]}`).join(', ');
    return `| \`${short(name)}\` | ${range.replace('^', '')} | ${needs || 'none'} |`;
  });
  const table = ['| package | version | needs |', '|---|---|---|', ...rows].join('\n');
  return readFileSync(join(ROOT, RELEASES), 'utf8').replace(
    MARKED,
    () => `<!-- compatibility -->\n${table}\n<!-- /compatibility -->`,
  );
}

/** Faults of the page; empty if it has the marks. */
export function checkCompatibility(): readonly string[] {
  return MARKED.test(readFileSync(join(ROOT, RELEASES), 'utf8')) ? [] : ['no marks for the table of compatibility'];
}
