import { findImportTimeReads } from './import-time.js';

const find = (text: string) => findImportTimeReads('a.ts', text);

it.each([
  ['a clock in a constant', 'const a = Date.now();', 'Date.now()'],
  ['the time of now', 'export const a = new Date();', 'new Date()'],
  ['the time of now as text', 'export const a = Date();', 'Date()'],
  ['a monotonic clock', 'const a = { b: [performance.now()] };', 'performance.now()'],
  ['a clock of Node', 'const a = process.hrtime.bigint();', 'process.hrtime.bigint()'],
  ['a random number', 'export default Math.random();', 'Math.random()'],
  ['a method named by a text', "const a = Math['random']();", "Math['random']()"],
  ['a random id', "import { randomUUID } from 'node:crypto';\nconst a = randomUUID();", 'randomUUID()', 2],
  ['random bytes by way of a namespace', 'const a = crypto.randomBytes(8);', 'crypto.randomBytes()'],
  ['an id of the generator', 'const a = randomIds.newId();', 'randomIds.newId()'],
  ['the clock of the framework', 'const a = systemClock.now();', 'systemClock.now()'],
  ['a default behind an operator', 'const a = b ?? Date.now();', 'Date.now()'],
  ['a part of a template', 'const a = `$' + '{Date.now()}`;', 'Date.now()'],
  ['a branch', 'if (b) {\n  c = Math.random();\n}', 'Math.random()', 2],
  ['a static member', 'class A {\n  static b = Math.random();\n}', 'Math.random()', 2],
  ['a static block', 'class A {\n  static {\n    b = Date.now();\n  }\n}', 'Date.now()', 3],
  ['a static member of a class expression', 'const A = class {\n  static #b = Date.now();\n};', 'Date.now()', 2],
  ['a computed name', 'class A {\n  [Math.random()] = 1;\n}', 'Math.random()', 2],
  ['an arrow that is called at once', 'const a = (() => Date.now())();', 'Date.now()'],
  ['a function that is called at once', '(function () {\n  a = Math.random();\n})();', 'Math.random()', 2],
  ['an async arrow that is called at once', 'void (async () => Date.now())();', 'Date.now()'],
  ['a function below', 'const a = make();\nfunction make() {\n  return Math.random();\n}', 'Math.random()', 3],
  ['an arrow above', 'const make = () => Date.now();\nconst a = make();', 'Date.now()', 1],
  [
    'a function of a function',
    'const a = b();\nfunction b() { return c(); }\nfunction c() { return Date.now(); }',
    'Date.now()',
    3,
  ],
  [
    'a constructor',
    'class A {\n  constructor() {\n    this.b = Date.now();\n  }\n}\nconst a = new A();',
    'Date.now()',
    3,
  ],
  ['a field of an object that is made', 'class A {\n  b = Math.random();\n}\nconst a = new A();', 'Math.random()', 2],
  ['a function given to a list', 'const a = [1].map(() => Math.random());', 'Math.random()'],
  [
    'a named function given to a list',
    'const a = Array.from({ length: 2 }, make);\nfunction make() { return Date.now(); }',
    'Date.now()',
    2,
  ],
])('finds %s', (_, text, read, line = 1) => {
  expect(find(text)).toEqual([`a.ts:${line}: ${read} runs when the module is imported`]);
});

it.each([
  ['a function', 'export function a() {\n  return Date.now();\n}'],
  ['an arrow', 'export const a = () => Math.random();'],
  ['a method', 'export const a = { b() { return Date.now(); }, get c() { return Math.random(); } };'],
  ['a method of a class', 'export class A {\n  b = Date.now();\n  static c() {\n    return Math.random();\n  }\n}'],
  ['a function that is handed on', 'const load = lazily(() => Date.now());'],
  ['a time that is given', "const a = new Date(0);\nconst b = new Date('2026-01-01');"],
  ['a type', 'export type A = ReturnType<typeof Date.now>;'],
  ['a function that is not called', 'const a = { now: Date.now };'],
  ['a function that calls itself', 'const a = b();\nfunction b(): number { return b(); }'],
])('lets %s pass', (_, text) => {
  expect(find(text)).toEqual([]);
});
