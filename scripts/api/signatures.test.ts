import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compareApi, releasedApi } from './breaks.js';
import { publicNames } from './names.js';
import { readSignatures } from './signatures.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-api-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A package `@sallyport/core` with one entry, `route`, `limit`, `App` and `Options`, built from other files. */
const BUILT: Readonly<Record<string, string>> = {
  'dist/index.d.ts': `export { route } from './route.js';
    export { LIMIT as limit } from '#limit';
    export * from './app.js';
    export type { Options } from './options.js';`,
  'dist/route.d.ts': `import type { Options } from './options.js';
    /** Adds a route. */
    export declare function route(path: string, options?: Options): void;`,
  'dist/limit.d.ts': 'export declare const LIMIT = 3;',
  'dist/app.d.ts': `import { Base } from './base.js';
    export declare class App extends Base { #private; get(path: string): void; }
    export type Method = 'GET' | 'PUT';`,
  'dist/base.d.ts': 'export declare class Base { readonly name: string; }',
  'dist/options.d.ts': `type Level = 1 | 2;
    export interface Options { readonly level: Level; /** In seconds. */ readonly age?: number; }`,
};

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, 'packages/core', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The package with some built files in place of others. */
function read(files: Readonly<Record<string, string>> = {}) {
  write({
    'package.json': JSON.stringify({
      name: '@sallyport/core',
      exports: { '.': { '@sallyport/source': './src/index.ts', default: './dist/index.js' } },
      imports: { '#limit': { '@sallyport/source': './src/limit.ts', default: './dist/limit.js' } },
    }),
    'src/index.ts': `export { route } from './route.js'; export { limit } from '#limit'; export { App } from './app.js';
      export type { Method } from './app.js'; export type { Options } from './options.js';`,
    ...BUILT,
    ...files,
  });
  return readSignatures(root);
}

it('reads the declaration of each public name, and of the types that only these name', () => {
  expect(read()).toEqual({
    '@sallyport/core App': 'class App extends Base { #private; get(path: string): void; }',
    '@sallyport/core Method': "type Method = 'GET' | 'PUT'",
    '@sallyport/core Options': 'interface Options { readonly age?: number; readonly level: Level; }',
    '@sallyport/core limit': 'LIMIT = 3',
    '@sallyport/core route': 'function route(path: string, options?: Options): void',
    '@sallyport/core ~Base': 'class Base { readonly name: string; }',
    '@sallyport/core ~Level': 'type Level = 1 | 2',
  });
});

const HEAD = `import type { Options } from './options.js';\n`;
const LEVEL = 'type Level = 1 | 2;\n';

it.each<[string, Readonly<Record<string, string>>, readonly string[], readonly string[]]>([
  [
    'another order of members, and another comment',
    {
      'dist/options.d.ts': `${LEVEL}export interface Options { /** Else. */ readonly age?: number; readonly level: Level; }`,
    },
    [],
    [],
  ],
  [
    'another order of a union',
    { 'dist/app.d.ts': (BUILT['dist/app.d.ts'] ?? '').replace("'GET' | 'PUT'", "'PUT' | 'GET'") },
    [],
    [],
  ],
  ['another file', { 'dist/index.d.ts': `${BUILT['dist/index.d.ts']}\nexport {};` }, [], []],
  [
    'a parameter of another type',
    { 'dist/route.d.ts': `${HEAD}export declare function route(path: RegExp, options?: Options): void;` },
    ['route'],
    [],
  ],
  [
    'a required parameter',
    { 'dist/route.d.ts': 'export declare function route(path: string, options: {}): void;' },
    ['route'],
    [],
  ],
  [
    'an optional parameter at the end',
    {
      'dist/route.d.ts': `${HEAD}export declare function route(path: string, options?: Options, more?: number): void;`,
    },
    [],
    ['route'],
  ],
  [
    'another result',
    { 'dist/route.d.ts': `${HEAD}export declare function route(path: string, options?: Options): number;` },
    ['route'],
    [],
  ],
  [
    'an overload',
    { 'dist/route.d.ts': `${BUILT['dist/route.d.ts']}\nexport declare function route(path: RegExp): void;` },
    [],
    ['route'],
  ],
  [
    'an optional member',
    {
      'dist/options.d.ts': `${LEVEL}export interface Options { readonly level: Level; readonly age?: number; more?: 1; }`,
    },
    [],
    ['type Options'],
  ],
  [
    'a required member',
    {
      'dist/options.d.ts': `${LEVEL}export interface Options { readonly level: Level; readonly age?: number; more: 1; }`,
    },
    ['type Options'],
    [],
  ],
  [
    'a removed member',
    { 'dist/options.d.ts': `${LEVEL}export interface Options { readonly level: Level; }` },
    ['type Options'],
    [],
  ],
  [
    'a member that is required now',
    { 'dist/options.d.ts': `${LEVEL}export interface Options { readonly level: Level; readonly age: number; }` },
    ['type Options'],
    [],
  ],
  [
    'a narrower union',
    { 'dist/app.d.ts': (BUILT['dist/app.d.ts'] ?? '').replace(" | 'PUT'", '') },
    ['type Method'],
    [],
  ],
  [
    'a method of a class',
    { 'dist/app.d.ts': (BUILT['dist/app.d.ts'] ?? '').replace('get(', 'put(): void; get(') },
    [],
    ['App'],
  ],
  ['another constant', { 'dist/limit.d.ts': 'export declare const LIMIT = 4;' }, ['limit'], []],
  [
    'a type that is not exported',
    { 'dist/options.d.ts': (BUILT['dist/options.d.ts'] ?? '').replace('1 | 2', '1') },
    ['~Level'],
    [],
  ],
  [
    'a class below a class',
    { 'dist/base.d.ts': 'export declare class Base { readonly name: number; }' },
    ['~Base'],
    [],
  ],
])('a patch with %s', (_case, files, breaks, additions) => {
  const before = read();
  const released = releasedApi(new Map([['@sallyport/core', '0.1.0']]), publicNames(root), before);
  const found = compareApi(released, publicNames(root), read(files), new Set());
  const nameIn = (line: string) => /^@sallyport\/core (.*?) (?:of|has) /.exec(line)?.[1];
  expect([found.breaks.map(nameIn), found.additions.map(nameIn)]).toEqual([breaks, additions]);
});

it('the finding about a changed declaration has the old and the new one, unless a changeset states a break', () => {
  const before = read();
  const released = releasedApi(new Map([['@sallyport/core', '0.1.0']]), publicNames(root), before);
  const after = read({ 'dist/limit.d.ts': 'export declare const LIMIT: 3 | 4;' });
  expect(compareApi(released, publicNames(root), after, new Set()).breaks).toEqual([
    [
      '@sallyport/core limit of @sallyport/core 0.1.0 is different: a break, which needs a changeset "@sallyport/core: minor"',
      '  old: LIMIT = 3',
      '  new: LIMIT: 3 | 4',
    ].join('\n'),
  ]);
  expect(compareApi(released, publicNames(root), after, new Set(['@sallyport/core'])).breaks).toEqual([]);
});
