/** Every wrong usage of both examinations has a place in the tests, or is named as described nowhere. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../check/command.js';
import { WRONG_USAGES } from '../lab/newcomer/wrong-usages.js';
import { DESCRIBED, HARMLESS, INVALID, MISSING_PACKAGES, NOWHERE_DESCRIBED, ONLY_A_WORD } from './wrong-usages.js';

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

it('all 113 are accounted for', () => {
  const first = new Set([...WRONG_USAGES.map(({ no }) => no), ...MISSING_PACKAGES.map(({ id }) => Number(id))]);
  expect([...first].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
  const ids = [...DESCRIBED.map(({ id }) => id), ...NOWHERE_DESCRIBED, ...HARMLESS, ...ONLY_A_WORD, ...INVALID];
  expect([new Set(ids).size, ids.length]).toEqual([63, 63]);
});

it('each of the first fifty is reported by the compiler, an error, an answer or the log, or works', () => {
  const silent = WRONG_USAGES.filter(
    ({ types, throws, answers, gives, logs }) => !(types || throws || answers || gives || logs),
  );
  expect(silent).toEqual([]);
});

it.each([...DESCRIBED, ...MISSING_PACKAGES])('$id: $usage', ({ test, text }) => {
  expect(textOf(test)).toContain(text);
});
