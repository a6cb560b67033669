import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyPlan, type MigrationPlan, planMigration } from '../src/index.js';
import { type Case, loadHandler, runCase } from './support/handlers.js';
import { contentOf, copyOf, removeServices } from './support/service.js';

const SERVICES = fileURLToPath(new URL('services', import.meta.url));
/** The least share of handlers without a line for the user. A mounted handler does not count as rewritten. */
const LEAST = 0.8;

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), '.services-'));
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  removeServices();
});

/** The summary of a plan. */
function summaryOf({ handlers, manual }: MigrationPlan): object {
  return {
    handlers: handlers.map(({ text, outcome }) => `${outcome}: ${text}`),
    manual: manual.map(({ path, line, text }) => `${path}:${line} ${text}`),
  };
}

describe.each(readdirSync(SERVICES))('the service %s', (name) => {
  const folder = join(SERVICES, name);
  const before = join(folder, 'before');
  const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as Record<string, readonly Case[]>;

  async function runAll(root: string): Promise<readonly Case[]> {
    const answers: Case[] = [];
    for (const [handler, list] of Object.entries(cases)) {
      const run = loadHandler(root, handler, scratch);
      for (const one of list) answers.push(await runCase(run, one));
    }
    return answers;
  }

  it('passes its tests with the old framework', async () => {
    expect(await runAll(before)).toEqual(Object.values(cases).flat());
  });

  it('is rewritten to the committed text, and a second run finds nothing to write', () => {
    const root = copyOf(before);
    const plan = planMigration({ root });
    expect(plan.broken).toEqual([]);
    applyPlan(plan);
    expect(contentOf(root)).toEqual(contentOf(join(folder, 'after')));
    expect(planMigration({ root }).changes).toEqual([]);
  });

  it('has a summary that names every remaining line', () => {
    const plan = planMigration({ root: before });
    expect(summaryOf(plan)).toEqual(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')));
    const lines =
      Object.values(contentOf(join(folder, 'after')))
        .join('\n')
        .match(/TODO\(sallyport\)/g) ?? [];
    expect(lines).toHaveLength(plan.manual.filter(({ rule }) => rule === 'frameworks').length);
  });

  it(`has at least ${LEAST * 100} % of its handlers rewritten`, () => {
    const { handlers } = planMigration({ root: before });
    const rewritten = handlers.filter(({ outcome }) => outcome === 'rewritten');
    expect(rewritten.length / handlers.length).toBeGreaterThanOrEqual(LEAST);
  });

  it('passes its old tests after the migration', async () => {
    expect(await runAll(join(folder, 'after'))).toEqual(Object.values(cases).flat());
  });
});
