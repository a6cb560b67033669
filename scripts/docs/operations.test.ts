import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP_CODES } from '../../packages/core/src/index.js';
import { ROOT } from '../check/command.js';
import { readRows } from './error-tables.js';
import { ERROR_TABLES } from './error-tables-data.js';

const PAGE = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

/** Codes and metrics with a line "what to do" on the page. */
const named = (page: string) =>
  new Set([...page.matchAll(/^\| `([\w.]+)` \| \S[^|]*\S \|$/gm)].map(([, name = '']) => name));

/** The names of the metrics that the sink for CloudWatch writes, from its sources. */
function metricNames(): readonly string[] {
  const folder = join(ROOT, 'packages/core/src/observability');
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(/\bname: '([A-Z]\w+)',\s*unit: '/g)].map(([, name = '']) => name));
}

test('every error code has a line "what to do"', () => {
  const rows = Object.values(ERROR_TABLES).flatMap((tables) => tables.flatMap((table) => readRows(table)));
  const codes = [...rows.map(({ code }) => code), ...Object.keys(APP_CODES)];
  expect(codes.length).toBeGreaterThan(150);
  const lines = named(PAGE);
  expect(codes.filter((code) => !lines.has(code))).toEqual([]);
});

test('every metric has a line "what to do"', () => {
  const names = metricNames();
  expect(names).toEqual(expect.arrayContaining(['RequestErrors', 'BatchFailures']));
  const lines = named(PAGE);
  expect(names.filter((name) => !lines.has(name))).toEqual([]);
});

test('a code without a line is missing', () => {
  expect(named('| `app.new` |  |\n| `app.old` | Wait. |\n')).toEqual(new Set(['app.old']));
});

test('every kind of alarm has its section', async () => {
  const { TITLES } = await import('../../packages/constructs/src/function/internal/watched.js');
  const anchors = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
  expect(Object.keys(TITLES).filter((part) => !anchors.includes(part))).toEqual([]);
});
