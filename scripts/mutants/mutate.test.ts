import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { findMutants, instrument, type Mutant } from './mutate.js';

const show = ({ operator, line, replacement }: Mutant) => `${line} ${operator}: ${replacement}`;

it.each([
  ['a comparison', 'export const f = (a: number) => a < 1;', ['1 <: a <= 1', '1 <: a >= 1']],
  ['an equality', 'export const f = (a: unknown) => a !== undefined;', ['1 !==: a === undefined']],
  ['a boolean', 'export const options = { consistent: true };', ['1 boolean: false']],
  ['a negation', 'export const f = (a: boolean) => !a;', ['1 not: a']],
  ['a default', 'export const f = (a?: number) => a ?? 3;', ['1 fallback: a']],
  [
    'a guard',
    "export function f(a: string) {\n  if (a === '') throw new Error('blank');\n}",
    ['2 condition: true', '2 condition: false', "2 ===: a !== ''"],
  ],
  ['a call whose result is not used', "socket.on('error', () => undefined);", ['1 remove: ']],
  ['a call that is awaited', 'await store.put(row);', ['1 remove: ']],
  ['an assignment', 'this.count = 0;', ['1 remove: ']],
])('finds %s', (_, text, expected) => {
  expect(findMutants('a.ts', text).map(show)).toEqual(expected);
});

it.each([
  ['a literal type', 'export type A = { readonly ok: true };'],
  ['an import', "import type { A } from './a.js';"],
  ['an interface', 'export interface A { readonly b: false }'],
  ['a call of super', 'class A extends B { constructor() { super(); } }'],
])('leaves %s alone', (_, text) => {
  expect(findMutants('a.ts', text)).toEqual([]);
});

describe('an instrumented file', () => {
  const TEXT = `const seen: string[] = [];
function f(a: number, b?: number): string {
  if (a < 10 && b !== 3) seen.push('small');
  return (a > 1 ? 'many' : 'one') + seen.length;
}
f(given, 2)`;
  const mutants = findMutants('a.ts', TEXT).map((mutant, index) => ({ ...mutant, id: String(index) }));
  const { outputText } = ts.transpileModule(instrument(TEXT, mutants), {});
  const run = (given: number, env: object, reached?: Set<string>): unknown =>
    runInNewContext(outputText.replace('f(given, 2);', 'var result = f(given, 2);').concat('; result'), {
      ...{ given, process: { env } },
      ...(reached && { __reachedMutants: reached }),
    });
  const idOf = (operator: string, replacement: string) =>
    mutants.find((mutant) => mutant.operator === operator && mutant.replacement === replacement)?.id;

  it('does what the original does without the variable, and reports which mutants it reached', () => {
    const reached = new Set<string>();
    expect(run(1, {}, reached)).toBe('one1');
    expect(run(20, {})).toBe('many0');
    expect(reached.size).toBe(mutants.length);
  });

  it.each([
    ['&&', 'a < 10 || b !== 3', 20, 'many1'],
    ['<', 'a <= 10', 10, 'many1'],
    ['!==', 'b === 3', 1, 'one0'],
    ['remove', '', 1, 'one0'],
    ['condition', 'false', 1, 'one0'],
    ['>', 'a >= 1', 1, 'many1'],
  ])('has the mutant %s (%s) when the variable names it', (operator, replacement, given, expected) => {
    expect(run(given, { SALLYPORT_MUTANT: idOf(operator, replacement) })).toBe(expected);
  });
});
