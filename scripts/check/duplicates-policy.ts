import type { ExplainedPair } from './duplicates.js';
import type { RepeatedHelper } from './helpers.js';

// Files that share more than ten lines for a reason. Other shared code is moved to a package that both use.
export const EXPLAINED: readonly ExplainedPair[] = [
  {
    files: ['packages/contract/src/fixtures/surface-name.ts', 'packages/triggers/src/catalogue/table.ts'],
    why: '`npm run docs` makes both from the catalogue of triggers, and neither package depends on the other',
  },
  {
    files: ['packages/dispatch/src/container/container.ts', 'packages/streams/src/router/event-router.ts'],
    why: 'the container offers the registrations of the router as its own methods, each with its TSDoc and types; the body is one call',
  },
  {
    files: ['packages/http/src/surface/route-group.ts', 'packages/secure/src/routes.ts'],
    why: 'the methods of a group of each container, with its own types of handler and options; the body is one call',
  },
  {
    files: ['packages/core/src/runtime/invocation.ts', 'packages/dispatch/test/table.test.ts'],
    why: 'expected values: a test that reads them from the source cannot fail',
  },
  {
    files: ['examples/from-hono/src/step-2.ts', 'examples/from-hono/src/step-3.ts'],
    why: 'each step of the guide is the whole file, as its reader has it then',
  },
  {
    files: ['packages/triggers/test/aws-events.ts', 'packages/triggers/test/aws-events.ts'],
    why: 'events as AWS documents them, each read as one literal',
  },
];

// Helpers that three packages declare for a reason. Other helpers are moved to packages/core/src/values.
export const REPEATED: readonly RepeatedHelper[] = [
  { name: 'VERSION', why: 'each package has its own version; they are equal only before the first release' },
  { name: 'MAX_CALLS', why: 'the length of the list of one fake; a longer list of another would not be wrong' },
];
