import { findCopyChecks, judgeCopyChecks } from './copies-rules.js';

const find = (text: string, more: Readonly<Record<string, string>> = {}) =>
  findCopyChecks(new Map(Object.entries({ 'a.ts': text, ...more })))
    .filter(({ file }) => file === 'a.ts')
    .map(({ name }) => name);

it.each([
  ['a registry', 'const KNOWN = new WeakSet<object>();', 'KNOWN'],
  [
    'an exported registry with a type',
    'export const CORES: Cores = new WeakMap<object, Map<string, Core>>();',
    'CORES',
  ],
  ['a map that is filled later', 'const seen = new Map<string, number>();', 'seen'],
  ['a pure registry', 'const X = /* @__PURE__ */ new Set<string>();', 'X'],
  ['an AsyncLocalStorage', 'const storage = new AsyncLocalStorage<Context>();', 'storage'],
  ['a registry of a class', 'class A {\n  static readonly #made = new WeakSet<A>();\n}', '#made'],
  ['a symbol', "export const VERDICT: unique symbol = Symbol('sallyport.verdict');", 'VERDICT'],
  ['a symbol in a type', 'declare const VALUE: unique symbol;', 'VALUE'],
  ['a private check', 'const is = (x: object) => #effect in x;', '#effect'],
  ['an instance of a class', 'class Transport {}\nif (x instanceof Transport) y();', 'Transport'],
  ['a shared key without a version', "const KEY = Symbol.for('sallyport.content');", 'sallyport.content'],
  ['a shared key of another scheme', "const KEY = Symbol.for('framework.inspect');", 'framework.inspect'],
])('finds %s', (_, text, name) => {
  expect(find(text)).toEqual([name]);
});

it('finds an instance of a class that another file or package declares, also under another name', () => {
  const more = { 'b.ts': 'export class Items {}' };
  expect(find("import { Items } from './b.js';\nx instanceof Items;", more)).toEqual(['Items']);
  expect(find("import { Items as Rows } from '@sallyport/b';\nx instanceof Rows;", more)).toEqual(['Rows']);
});

it.each([
  ['a branded class', "class A {\n  static {\n    brandError(A, 'sallyport.A');\n  }\n}\nx instanceof A;"],
  ['a class of the platform', 'x instanceof Uint8Array'],
  ['a class of a library', "class Queue {}\nimport { Queue } from 'aws-cdk-lib/aws-sqs';\nx instanceof Queue;"],
  ['a table', "const NAMES = new Set(['a', 'b']);"],
  ['a registry of an object', 'class A {\n  readonly #slots = new WeakMap();\n}'],
  ['a registry of a call', 'function f() {\n  const met = new Map();\n}'],
  ['a versioned key', "const KEY = Symbol.for('sallyport.appsync.transport/1');"],
  ['a key of the platform', "const KEY = Symbol.for('nodejs.util.inspect.custom');"],
  ['an example', '/** if (x instanceof A) … */\nclass A {}'],
])('lets %s pass', (_, text) => {
  expect(find(text)).toEqual([]);
});

it('requires a reason for each finding, and a finding for each reason', () => {
  const [found] = findCopyChecks(new Map([['a.ts', 'const KNOWN = new WeakSet();']]));
  const findings = found ? [found] : [];
  const reason = { file: 'a.ts', name: 'KNOWN', why: 'postures' };
  expect(judgeCopyChecks(findings, [reason])).toEqual([]);
  expect(judgeCopyChecks(findings, [])).toEqual([expect.stringMatching(/^a\.ts: KNOWN: a WeakSet of this copy/)]);
  expect(judgeCopyChecks([], [reason])).toEqual(['a.ts: KNOWN: copies-policy.ts gives a reason for what is not there']);
});
