/** The pages that compare Sallyport with another tool: each statement has a source, and figures come from the README. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
/** Cells without a link: the tool has no such part. */
const ABSENT =
  /^(?:not (?:a utility|part of it)|your (?:code|events|middleware, or an authorizer|framework, for example Hono)|none|this project|CloudFormation)$/;

describe.each(['hono', 'middy', 'powertools', 'sst'])('the comparison with %s', (name) => {
  const page = readFileSync(join(ROOT, `docs/compare-${name}.md`), 'utf8');
  const rows = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map((row) => row.slice(1, 4));

  it('has a source of the other tool in each row, and a page of ours', () => {
    expect(rows.length).toBeGreaterThanOrEqual(8);
    const their = rows.filter(([, cell = '']) => !/\]\(https:\/\//.test(cell) && !ABSENT.test(cell));
    const ours = rows.filter(([, , cell = '']) => !/\]\([^)h][^)]*\.md/.test(cell) && !ABSENT.test(cell));
    expect([their, ours]).toEqual([[], []]);
  });

  it('names the strengths of the other tool, and when to choose it', () => {
    expect(page).toMatch(/^Better in [A-Z]/m);
    expect(page).toMatch(/^\*\*Choose (?!Sallyport)/m);
  });

  it('has only figures of the README', () => {
    const figures = [...page.matchAll(/\d[\d.]* (?:ms|KB)/g)].map(([figure]) => figure);
    expect(figures.filter((figure) => !README.includes(figure))).toEqual([]);
  });
});
