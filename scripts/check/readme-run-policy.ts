import type { NotRun } from './readme-run.js';

/** Blocks of READMEs and pages that are compiled and not run. */
export const NOT_RUN: readonly NotRun[] = [
  {
    file: 'docs/migrating.md',
    contains: 'declare const old',
    why: 'the reader brings the application that is mounted',
  },
  {
    file: 'packages/http/README.md',
    contains: 'declare const old',
    why: 'the reader brings the application that is mounted',
  },
  { file: 'docs/migrating.md', contains: 'planMigration', why: 'it reads the service of the reader' },
  { file: 'packages/migrate/README.md', contains: 'planMigration', why: 'it rewrites the service of the reader' },
  { file: 'packages/contract/README.md', contains: 'serveRuntime', why: 'it answers a runner over standard input' },
  { file: 'packages/contract/README.md', contains: 'spawnRuntime', why: 'it starts a runtime that the reader writes' },
  {
    file: 'packages/objectstore/README.md',
    contains: 'fetchVersionedArtifact',
    why: 'it reads an archive from a bucket',
  },
  { file: 'packages/objectstore/README.md', contains: 'assume', why: 'it assumes a role of an account' },
  {
    file: 'packages/bundle/README.md',
    contains: "entry: 'src/lambda.ts'",
    why: 'it bundles the service of the reader',
  },
  { file: 'packages/bundle/README.md', contains: 'startCachePlugin', why: 'it bundles the service of the reader' },
  {
    file: 'packages/durable/TESTING.md',
    why: "AWS's SDK loads a plugin by its path; packages/durable/test/testing-page.test.ts runs the blocks",
  },
  { file: 'tools/lambda-runtime/README.md', why: "it starts AWS's runtime client, as `npm run test:runtime` does" },
];
