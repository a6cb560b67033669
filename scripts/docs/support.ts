import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';

export const SECURITY = 'SECURITY.md';

/** The months for which the number before the newest one has security fixes. */
const FIXED_MONTHS = 12;
/** The least time from the deprecation of a name to its removal. */
const DEPRECATED = { numbers: 'two further numbers', months: 6 } as const;

/** Deprecated names, each with the file whose comment states the same number and date. */
const DEPRECATIONS = [
  {
    name: '`createApp` of `@sallyport/dispatch/app`',
    file: 'packages/dispatch/src/container/app.ts',
    instead: '[`SecureApp`](../packages/secure/README.md); `npx @sallyport/migrate` rewrites it',
    number: '0.4',
    date: '2027-07-01',
  },
] as const;

const SCHEDULE = 'https://github.com/nodejs/release#release-schedule';

/** The lines of Node.js, with the end of our support and of Node.js. */
const NODE_LINES = [
  { line: 20, until: '2027-02-28', own: `ended on [2026-04-30](${SCHEDULE})` },
  { line: 22, until: '2027-10-31', own: 'ends on 2027-04-30' },
  { line: 24, until: '2028-10-31', own: 'ends on 2028-04-30' },
] as const;

/** The generated parts, by the name of their marks. */
const PARTS: Readonly<Record<string, () => readonly string[]>> = {
  periods: () => [
    '| what | how long |',
    '|---|---|',
    '| the newest number | fixes and security fixes |',
    `| the number before it | security fixes, for ${FIXED_MONTHS} months after the newer number |`,
    '| older numbers | none: upgrade |',
    `| a deprecated name | ${DEPRECATED.numbers} and at least ${DEPRECATED.months} months; its documentation comment and the changelog name the number and the date of its removal |`,
    '| a break | has its renames in `@sallyport/migrate` in the same release, and an entry in the changelog that names what to do by hand |',
  ],
  deprecated: () => [
    '| name | use instead | removed in |',
    '|---|---|---|',
    ...DEPRECATIONS.map(
      ({ name, instead, number, date }) => `| ${name} | ${instead} | ${number}, not before ${date} |`,
    ),
  ],
  node: () => [
    '| line | supported until | why |',
    '|---|---|---|',
    ...NODE_LINES.map(({ line, until, own }) => `| ${line} | ${until} | its own support ${own} |`),
  ],
  'security-fixes': () => [
    '| number of the release, as in [Releases and support](docs/releases.md) | security fixes |',
    '| --- | --- |',
    '| the newest | yes |',
    `| the one before it | yes, for ${FIXED_MONTHS} months after the newer one |`,
    '| older ones | no: upgrade |',
  ],
};

const marked = (part: string) => new RegExp(`<!-- ${part} -->[\\s\\S]*?<!-- /${part} -->`);

/** A page with the periods and dates of this file between its marks. */
export function renderSupport(page: string): string {
  return Object.entries(PARTS).reduce(
    (text, [part, lines]) =>
      text.replace(marked(part), () => `<!-- ${part} -->\n${lines().join('\n')}\n<!-- /${part} -->`),
    page,
  );
}

/** Faults of the pages: missing marks, and a documentation comment that states another removal. */
export function checkSupport(file: string, parts: readonly string[]): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const missing = parts.filter((part) => !marked(part).test(text)).map((part) => `no marks <!-- ${part} -->`);
  const other = DEPRECATIONS.filter(({ file: source, number, date }) => {
    const comment = `Removed in release ${number}, not before ${date}.`;
    return !readFileSync(join(ROOT, source), 'utf8').includes(comment);
  }).map(({ file: source, number, date }) => `the comment in ${source} does not name ${number} and ${date}`);
  return [...missing, ...other];
}
