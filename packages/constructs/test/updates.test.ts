/**
 * Every rename, addition, removal and order of the registrations of the examples, deployed to the model of CloudFormation over the unchanged example, and back.
 * The examples are synthesised in separate processes: some 130 syntheses.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HttpApi, RestApi } from '../src/index.js';
import { Account, type Deployable } from './lab/deployment/account.js';
import type { Verdicts } from './lab/updates/verdicts.js';
import { newFn } from './support/function.js';
import { newStack, templateOf } from './support/synth.js';

async function judge(example: string): Promise<Verdicts> {
  const script = `../../packages/constructs/test/lab/updates/${example}.ts`;
  const cwd = new URL(`../../../examples/${example}/`, import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ['../../scripts/synth.mjs', script], {
    cwd,
    maxBuffer: 16_000_000,
  });
  return JSON.parse(stdout) as Verdicts;
}

describe.each([
  // At least so many edits, of which so many change the template: a new order changes nothing.
  ['notes', 70, 60],
  ['sandbox', 50, 2],
] as const)('the example %s', (example, edits, changed) => {
  let result: Verdicts;
  beforeAll(async () => {
    result = await judge(example);
  });

  it('can be updated to every edit of its registrations and back, and loses no source, policy or data', () => {
    expect(result.verdicts.filter(({ problems, refused }) => problems.length > 0 || refused !== undefined)).toEqual([]);
    expect(result.verdicts.length).toBeGreaterThanOrEqual(edits);
    expect(result.verdicts.filter((one) => one.changed).length).toBeGreaterThanOrEqual(changed);
  });

  it('can be created again after its removal, although it leaves its data and its image', () => {
    expect(result.again).toEqual([]);
  });
});

const PATHS = ['/notes', '/notes/{id}', '/notes/{id}/files/{name}', '/notes/{id}/files/{name}/{rest+}'];
const renamed = (path: string) => path.replace('{id}', '{note}').replace('{rest+}', '{all+}');

it.each([
  ['HttpApi', (stack: ReturnType<typeof newStack>) => new HttpApi(stack, 'Api', { fn: newFn(stack) })],
  ['RestApi', (stack: ReturnType<typeof newStack>) => new RestApi(stack, 'Api', { fn: newFn(stack) })],
] as const)(
  'a renamed parameter changes no resource of %s, and routes may name one position differently',
  (_name, make) => {
    const of = (paths: readonly string[]) => {
      const stack = newStack();
      const api = make(stack);
      for (const method of ['GET', 'PUT']) api.addRoutes(paths.map((path) => ({ method, path })));
      return templateOf(stack) as unknown as Deployable;
    };
    const account = new Account();
    expect(account.deploy('Test', of(PATHS))).toEqual({ failure: undefined, lost: [], replaced: [] });
    expect(of(PATHS.map(renamed)).Resources).toEqual(of(PATHS).Resources);
    const mixed = of([...PATHS, '/notes/{other}/tags', '/notes/{id}/tags/{tag}']);
    expect(account.deploy('Test', mixed).failure).toBeUndefined();
  },
);
