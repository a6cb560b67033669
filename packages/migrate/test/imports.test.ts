import { type Mapping, planMigration } from '../src/index.js';
import { makeService, migrateText, removeServices } from './support/service.js';

const MAPPING: Mapping = {
  version: 1,
  modules: {
    legacy: {
      default: null,
      names: {
        createApp: { module: '@sallyport/dispatch/app' },
        AppError: { module: '@sallyport/core', name: 'FrameworkError' },
        Ctx: { module: '@sallyport/core', name: 'Context' },
        json: { module: '@sallyport/http' },
        text: { module: '@sallyport/http' },
        once: { manual: 'use withIdempotency of @sallyport/jobs' },
      },
    },
    'legacy/jobs': { module: '@sallyport/jobs' },
    'legacy/limits': { module: '@sallyport/ratelimit', names: { Old: { module: '@sallyport/core' } } },
    single: { names: { json: { module: '@sallyport/http' } } },
    standard: { default: { module: '@sallyport/secure', name: 'SecureApp' } },
  },
  environment: { LEGACY_TABLE: 'FRAMEWORK_JOBS_TABLE_NAME' },
  metadataPrefix: { 'legacy.': 'framework.' },
};

afterAll(removeServices);

/** A sentence, the text before, the text after, and the manual steps. */
const CASES: readonly (readonly [string, string, string, ...string[]])[] = [
  ['one name', `import { json } from 'legacy';`, `import { json } from '@sallyport/http';`],
  ['double quotes and no semicolon', `import { json } from "legacy"\n`, `import { json } from "@sallyport/http"\n`],
  [
    'names of several modules, and a new name',
    `import { createApp, AppError } from 'legacy';`,
    `import { createApp } from '@sallyport/dispatch/app';\nimport { FrameworkError as AppError } from '@sallyport/core';`,
  ],
  ['an alias', `import { AppError as E } from 'legacy';`, `import { FrameworkError as E } from '@sallyport/core';`],
  [
    'an alias that is the new name',
    `import { AppError as FrameworkError } from 'legacy';`,
    `import { FrameworkError } from '@sallyport/core';`,
  ],
  [
    'a type import',
    `import type { Ctx, json } from 'legacy';`,
    `import type { Context as Ctx } from '@sallyport/core';\nimport type { json } from '@sallyport/http';`,
  ],
  [
    'a type among values',
    `import { type Ctx, json } from 'legacy';`,
    `import { type Context as Ctx } from '@sallyport/core';\nimport { json } from '@sallyport/http';`,
  ],
  [
    'several lines, with a comment',
    `import {\n  json, // for answers\n  text,\n  AppError,\n} from 'legacy';\n`,
    `// for answers\nimport {\n  json,\n  text,\n} from '@sallyport/http';\nimport { FrameworkError as AppError } from '@sallyport/core';\n`,
  ],
  [
    'CRLF',
    `import { json, AppError } from 'legacy';\r\nlet a;\r\n`,
    `import { json } from '@sallyport/http';\r\nimport { FrameworkError as AppError } from '@sallyport/core';\r\nlet a;\r\n`,
  ],
  ['a byte order mark', `\uFEFFimport { json } from 'legacy';`, `\uFEFFimport { json } from '@sallyport/http';`],
  [
    'a shebang',
    `#!/usr/bin/env node\nimport { json } from 'legacy';`,
    `#!/usr/bin/env node\nimport { json } from '@sallyport/http';`,
  ],
  ['a whole module', `import * as jobs from 'legacy/jobs';`, `import * as jobs from '@sallyport/jobs';`],
  [
    'a sub-path of a whole module',
    `import { JOBS_TABLE_SCHEMA } from 'legacy/jobs/schema';`,
    `import { JOBS_TABLE_SCHEMA } from '@sallyport/jobs/schema';`,
  ],
  [
    'a name beside a whole module',
    `import { Old, other } from 'legacy/limits';`,
    `import { Old } from '@sallyport/core';\nimport { other } from '@sallyport/ratelimit';`,
  ],
  [
    'a namespace whose names all go to one module',
    `import * as s from 'single';`,
    `import * as s from '@sallyport/http';`,
  ],
  [
    'a default import with a name now',
    `import App from 'standard';`,
    `import { SecureApp as App } from '@sallyport/secure';`,
  ],
  ['an import for its side effects', `import 'legacy/jobs';`, `import '@sallyport/jobs';`],
  [
    'an attribute',
    `import { json, AppError } from 'legacy' with { type: 'js' };`,
    `import { json } from '@sallyport/http' with { type: 'js' };\nimport { FrameworkError as AppError } from '@sallyport/core' with { type: 'js' };`,
  ],
  [
    'an import of the target that is there',
    `import { html } from '@sallyport/http';\nimport { json, AppError } from 'legacy';`,
    `import { html, json } from '@sallyport/http';\nimport { FrameworkError as AppError } from '@sallyport/core';`,
  ],
  [
    'an import of the target in several lines',
    `import {\n  html,\n} from '@sallyport/http';\nimport { json } from 'legacy';\nlet a;`,
    `import {\n  html,\n  json,\n} from '@sallyport/http';\nlet a;`,
  ],
  [
    'a type import of the target, which takes no value',
    `import type { Handler } from '@sallyport/http';\nimport { json } from 'legacy';`,
    `import type { Handler } from '@sallyport/http';\nimport { json } from '@sallyport/http';`,
  ],
  [
    'an import of the target behind an import for its side effects: the order of loading stays',
    `import { json } from 'legacy';\nimport './setup.js';\nimport { html } from '@sallyport/http';`,
    `import { json } from '@sallyport/http';\nimport './setup.js';\nimport { html } from '@sallyport/http';`,
  ],
  [
    'an export',
    `export { AppError, json as toJson } from 'legacy';`,
    `export { FrameworkError as AppError } from '@sallyport/core';\nexport { json as toJson } from '@sallyport/http';`,
  ],
  [
    'an export of types',
    `export type { Ctx } from 'legacy';`,
    `export type { Context as Ctx } from '@sallyport/core';`,
  ],
  ['an export of all', `export * from 'legacy/jobs';`, `export * from '@sallyport/jobs';`],
  ['import = require', `import jobs = require('legacy/jobs');`, `import jobs = require('@sallyport/jobs');`],
  ['a dynamic import', `const { json } = await import('legacy');`, `const { json } = await import('@sallyport/http');`],
  [
    'a dynamic import of several modules',
    `const { json, AppError: E } = await import('legacy');`,
    `const { json } = await import('@sallyport/http');\nconst { FrameworkError: E } = await import('@sallyport/core');`,
  ],
  [
    'require()',
    `const { AppError } = require('legacy');`,
    `const { FrameworkError: AppError } = require('@sallyport/core');`,
  ],
  ['a mock of jest', `jest.mock('legacy/jobs', () => ({}));`, `jest.mock('@sallyport/jobs', () => ({}));`],
  ['a mock of vitest', `vi.mock("legacy/jobs");`, `vi.mock("@sallyport/jobs");`],
  [
    'a reference to types',
    `/// <reference types="legacy/jobs" />\nlet a;`,
    `/// <reference types="@sallyport/jobs" />\nlet a;`,
  ],
  ['a type by import()', `let a: import('legacy').Ctx<string>;`, `let a: import('@sallyport/core').Context<string>;`],
  [
    'a JSDoc type',
    `/** @type {import('legacy').Ctx} */\nlet a;`,
    `/** @type {import('@sallyport/core').Context} */\nlet a;`,
  ],
  [
    'a variable',
    `process.env.LEGACY_TABLE + process.env["LEGACY_TABLE"];`,
    `process.env.FRAMEWORK_JOBS_TABLE_NAME + process.env["FRAMEWORK_JOBS_TABLE_NAME"];`,
  ],
  [
    'a variable taken apart',
    `const { LEGACY_TABLE, PATH } = process.env;`,
    `const { FRAMEWORK_JOBS_TABLE_NAME: LEGACY_TABLE, PATH } = process.env;`,
  ],
  [
    'a key of the context',
    `ctx.set('legacy.user', ctx.get("legacy.id"));`,
    `ctx.set('framework.user', ctx.get("framework.id"));`,
  ],
  // Unchanged.
  [
    'a name that only begins alike',
    `import { json } from 'legacy-tools';\nimport 'legacytools';`,
    `import { json } from 'legacy-tools';\nimport 'legacytools';`,
  ],
  [
    'texts, comments and templates',
    "// legacy\nconst a = 'legacy', b = `legacy`; /* 'legacy/jobs' */\nlog('legacy.user');",
    "// legacy\nconst a = 'legacy', b = `legacy`; /* 'legacy/jobs' */\nlog('legacy.user');",
  ],
  [
    'a require of its own',
    `function f(require: (n: string) => unknown) { return require('legacy/jobs'); }`,
    `function f(require: (n: string) => unknown) { return require('legacy/jobs'); }`,
  ],
  [
    'a process of its own',
    `const process = { env: { LEGACY_TABLE: 1 } }; process.env.LEGACY_TABLE;`,
    `const process = { env: { LEGACY_TABLE: 1 } }; process.env.LEGACY_TABLE;`,
  ],
  [
    'a local name that shadows an import',
    `import { json } from 'legacy';\nfunction f(json: string) { return json; }`,
    `import { json } from '@sallyport/http';\nfunction f(json: string) { return json; }`,
  ],
  ['a map that is no context', `cache.get('legacy.user');`, `cache.get('legacy.user');`],
  // Manual steps.
  [
    'a namespace of several modules',
    `import * as fw from 'legacy';`,
    `import * as fw from 'legacy';`,
    `1:21 namespace import of 'legacy' meets renamed exports`,
  ],
  [
    'a default import without successor',
    `import fw, { json } from 'legacy';`,
    `import fw from 'legacy';\nimport { json } from '@sallyport/http';`,
    `1:8 the default import of 'legacy' has no successor`,
  ],
  [
    'a name that is not mapped',
    `import { json, other } from 'legacy';`,
    `import { other } from 'legacy';\nimport { json } from '@sallyport/http';`,
    `1:16 other of 'legacy' is not in the mapping`,
  ],
  [
    'a name with a sentence',
    `import { once } from 'legacy';`,
    `import { once } from 'legacy';`,
    '1:10 use withIdempotency of @sallyport/jobs',
  ],
  [
    'a sub-path that nobody mapped',
    `import { a } from 'legacy/internal';`,
    `import { a } from 'legacy/internal';`,
    `1:10 a of 'legacy/internal' is not in the mapping`,
  ],
  [
    'a sub-path that does not exist',
    `import { a } from 'legacy/jobs/inner';`,
    `import { a } from 'legacy/jobs/inner';`,
    `1:10 'legacy/jobs/inner' would become '@sallyport/jobs/inner', which does not exist`,
  ],
  [
    'a computed name',
    'await import(`legacy/` + name);',
    'await import(`legacy/` + name);',
    `1:14 import() with a computed name that holds 'legacy'`,
  ],
  [
    'an import for side effects of several modules',
    `import 'legacy';`,
    `import 'legacy';`,
    `1:8 import without names of 'legacy' meets renamed exports`,
  ],
  [
    'a module that is known from the documentation',
    `import middy from '@middy/core';`,
    `import middy from '@middy/core';`,
    `1:8 '@middy/core': a middy chain becomes a route with a posture and middlewares; see docs/migrating.md of Sallyport`,
  ],
];

it.each(CASES)('imports: %s', (_name, before, after, ...manual) => {
  expect(migrateText(before, ['imports'], MAPPING)).toEqual({ after, manual });
  expect(migrateText(after, ['imports'], MAPPING).after).toBe(after);
});

it.each(['a.ts', 'a.tsx', 'a.mts', 'a.cts', 'a.js', 'a.mjs', 'a.cjs', 'a.jsx'])('reads %s', (path) => {
  expect(migrateText(`import { json } from 'legacy';`, ['imports'], MAPPING, path).after).toBe(
    `import { json } from '@sallyport/http';`,
  );
});

it.each(['a.d.ts', 'a.d.mts', 'dist/a.js', 'node_modules/x/a.js', 'coverage/a.js', 'cdk.out/a.js', 'a.css', 'a.json'])(
  'does not read %s',
  (path) => {
    const root = makeService({ [path]: `import { json } from 'legacy';` });
    expect(planMigration({ root, mapping: MAPPING, rules: ['imports'] })).toMatchObject({ changes: [], broken: [] });
  },
);

it.each([
  ['a decorator', `@logged class A { @bound accessor a = 1; }`],
  ['satisfies and using', `using a = b() satisfies C; export {};`],
  ['generics of arrow functions in tsx', `const f = <T,>(a: T) => <p>{a}</p>;`],
  [
    'enums, namespaces and overloads',
    `declare namespace N { enum E { A } function f(): void; function f(a: 1): void; }`,
  ],
])('reads modern syntax: %s', (_name, text) => {
  expect(migrateText(`import { json } from 'legacy';\n${text}`, ['imports'], MAPPING, 'a.tsx')).toEqual({
    after: `import { json } from '@sallyport/http';\n${text}`,
    manual: [],
  });
});
