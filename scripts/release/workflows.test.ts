import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { MANAGERS } from '../../packages/create-sallyport/src/internal/managers.js';
import { toNames } from '../../packages/create-sallyport/src/internal/names.js';
import { createProject } from '../../packages/create-sallyport/src/internal/project.js';
import { CACHE, ROOT } from '../check/command.js';

const FOLDER = join(ROOT, '.github/workflows');

type FindProblems = (name: string, content: string) => Promise<readonly string[]>;

/** GitHub's own parser of workflows. Node rejects its imports of JSON, so it is bundled first. */
async function loadParser(): Promise<FindProblems> {
  const outfile = join(CACHE, 'workflow-parser.mjs');
  mkdirSync(CACHE, { recursive: true });
  const contents = `
    import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
    export const findProblems = async (name, content) => {
      const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
      if (value) await convertWorkflowTemplate(context, value);
      return context.errors.getErrors().map(({ message }) => message);
    };`;
  await build({
    stdin: { contents, resolveDir: ROOT },
    ...{ outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const { findProblems } = (await import(outfile)) as { findProblems: FindProblems };
  return findProblems;
}

let findProblems: FindProblems;
beforeAll(async () => {
  findProblems = await loadParser();
});

it('the linter finds a wrong key, a job that does not exist and an unknown function', async () => {
  const workflow = (job: string) => `name: x\non: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n${job}`;
  const steps = '    steps:\n      - run: echo\n';
  const problems = [steps, `    step: []\n${steps}`, `    needs: b\n${steps}`, `    if: begins('a')\n${steps}`].map(
    (job) => findProblems('x.yml', workflow(job)),
  );
  expect((await Promise.all(problems)).map((found) => found.length > 0)).toEqual([false, true, true, true]);
});

const WORKFLOWS = readdirSync(FOLDER);

it.each(WORKFLOWS)('the workflow %s is valid', async (name) => {
  expect(await findProblems(name, readFileSync(join(FOLDER, name), 'utf8'))).toEqual([]);
});

it.each(MANAGERS)('the workflow of a project with %s is valid', async (packageManager) => {
  const names = toNames('my-service');
  if (typeof names === 'string') throw new Error(names);
  const files = createProject({ names, template: 'full', infra: 'cdk', packageManager });
  expect(await findProblems('ci.yml', files.get('.github/workflows/ci.yml') ?? '')).toEqual([]);
});

it('only the release may write, and only its publication has an identity', () => {
  const rights = WORKFLOWS.map((name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    return [name, [...text.matchAll(/[\w-]+: write/g)].map(([right]) => right)];
  });
  expect(Object.fromEntries(rights)).toEqual({
    'release.yml': ['contents: write', 'pull-requests: write', 'contents: write', 'id-token: write'],
    'test.yml': [],
  });
});

it('a release has one tag and one page of notes, with the number of create-sallyport', () => {
  const text = readFileSync(join(FOLDER, 'release.yml'), 'utf8');
  expect([...text.matchAll(/\b(?:git tag|gh release create) (\S+)/g)].map(([, tag]) => tag)).toEqual([
    '"v$VERSION"',
    '"v$VERSION"',
  ]);
  expect(text).toMatch(/VERSION: \$\{\{ steps\.version\.outputs\.version \}\}/);
  expect(text).toContain("require('./packages/create-sallyport/package.json').version");
});

it('every action is pinned to a commit, with its version as a comment, and to the same one everywhere', () => {
  const files = [
    ...WORKFLOWS.map((name) => join(FOLDER, name)),
    join(ROOT, 'packages/create-sallyport/templates/base/_github/workflows/ci.yml'),
    join(ROOT, 'docs/deploy-ci.md'),
  ];
  const used = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\buses: (.*)$/gm)].map(([, action = '']) => action),
  );
  expect(used.filter((action) => !/^[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  const names = [...new Set(used)].map((action) => action.split('@')[0]).sort();
  expect(names).toEqual([
    'actions/checkout',
    'actions/setup-node',
    'actions/upload-artifact',
    'aws-actions/configure-aws-credentials',
  ]);
});
