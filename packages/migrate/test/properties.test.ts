import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { applyPlan, formatPatch, type Mapping, planMigration } from '../src/index.js';
import { contentOf, makeService, removeServices } from './support/service.js';

afterEach(removeServices);

const MAPPING: Mapping = {
  version: 1,
  modules: {
    legacy: {
      names: {
        createApp: { module: '@sallyport/dispatch/app' },
        AppError: { module: '@sallyport/core', name: 'FrameworkError' },
      },
    },
  },
  environment: { OLD: 'NEW' },
};

const line = fc.constantFrom(
  `import { createApp, AppError } from 'legacy';`,
  `import type { AppError as E } from "legacy"`,
  `export { AppError } from 'legacy';`,
  `const app = createApp({ tier: 'p2' });`,
  `app.getStrict('/a', f, { authRequired: true }).post('/b', g);`,
  `app.queue('q', f);`,
  'process.env.OLD;',
  `const text = 'legacy'; // createApp from 'legacy'`,
  `class A { app = createApp(); }`,
  'ctx.get(`legacy.`);',
  '',
);
const foreign = fc.constantFrom(
  `import { createApp } from 'other';`,
  `app.get('/a');`,
  '// legacy',
  '<p/>;',
  '@d class B {}',
  'let x = {',
);
const textOf = (part: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(part, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, end, last]) => lines.join(end) + (last ? end : ''));
const tree = (part: fc.Arbitrary<string>) =>
  fc.dictionary(fc.constantFrom('a.ts', 'b/c.tsx', 'd.js', 'e f.mts'), textOf(part), { minKeys: 1 });

it('changes nothing where no rule applies', () => {
  fc.assert(
    fc.property(tree(foreign), (files) => {
      expect(planMigration({ root: makeService(files), mapping: MAPPING }).changes).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

it('changes nothing a second time, and its diff makes the same tree', () => {
  fc.assert(
    fc.property(tree(line), (files) => {
      const root = makeService(files);
      const plan = planMigration({ root, mapping: MAPPING });
      const patched = makeService(files);
      if (plan.changes.length > 0) spawnSync('git', ['apply', '-'], { cwd: patched, input: formatPatch(plan) });
      applyPlan(plan);
      expect(contentOf(patched)).toEqual(contentOf(root));
      expect(planMigration({ root, mapping: MAPPING }).changes).toEqual([]);
    }),
    { numRuns: 25 },
  );
});
