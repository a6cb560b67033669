/** Generated projects on the sources of this workspace. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProject } from '../../src/internal/project.js';
import { TEMPLATES, type TemplateName } from '../../src/internal/templates.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Packages of generated projects, and a package of this workspace that has each. */
const PACKAGES: readonly (readonly [owner: string, names: readonly string[]])[] = [
  ['packages/create-sallyport', ['esbuild', 'tsx']],
  ['packages/constructs', ['aws-cdk-lib', 'cdk-nag', 'constructs']],
  ['examples/notes', ['@aws-sdk/client-apigatewaymanagementapi', '@aws-sdk/client-dynamodb', 'zod']],
];

const place = mkdtempSync(join(tmpdir(), 'sallyport-infra-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** The files of a project with infrastructure. */
export const filesOf = (template: TemplateName) => {
  const names = { app: 'mine', package: 'mine', class: 'Mine' };
  return createProject({ names, template, infra: 'cdk', packageManager: 'npm' });
};

function link(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}

/** Writes a project and links its packages. `change` edits its files. Returns its folder. */
export function newProject(
  template: TemplateName,
  change: (path: string, text: string) => string = (_path, text) => text,
): string {
  const project = mkdtempSync(join(place, `${template}-`));
  for (const [path, text] of filesOf(template)) {
    // The packages of this workspace run on their sources.
    const own = text.replace(
      "entry: 'src/lambda.ts',",
      "entry: 'src/lambda.ts',\n    conditions: ['@sallyport/source'],",
    );
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), change(path, path === 'infra/stack.ts' ? own : text));
  }
  for (const name of [...TEMPLATES[template].packages, 'constructs'])
    link(join(ROOT, 'packages', name), join(project, 'node_modules/@sallyport', name));
  for (const [owner, names] of PACKAGES)
    for (const name of names) link(join(ROOT, owner, 'node_modules', name), join(project, 'node_modules', name));
  return project;
}

/** Runs a file on the sources of this workspace. */
function run(cwd: string, file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const all = ['--conditions=@sallyport/source', '--import', 'tsx', file, ...args];
  const child = spawn(process.execPath, all, {
    cwd,
    env: { PATH: process.env.PATH ?? '', CDK_VALIDATION: 'false', ...env },
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((done) => {
    child.once('close', (status) => done({ status, ...texts }));
  });
}

const NAMES = Object.keys(TEMPLATES) as readonly TemplateName[];

/** Writes a project of each template, and judges all of them in one process of a script of this folder. */
export async function judgeAll<V>(
  script: string,
): Promise<Readonly<Record<TemplateName, V>> & { readonly stderr: string }> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const projects = NAMES.map((template) => newProject(template));
  // In a project, because the place of all has no packages.
  const { status, stdout, stderr } = await run(projects[0] ?? place, file, projects, {});
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`);
  const judged = JSON.parse(stdout) as readonly V[];
  const entries = NAMES.map((template, index) => [template, judged[index]]);
  return { ...(Object.fromEntries(entries) as Readonly<Record<TemplateName, V>>), stderr };
}

/** Synthesises a project. */
export async function synth(project: string, env: Readonly<Record<string, string>> = { STAGE: 'preview' }) {
  const { status, stderr } = await run(project, 'infra/app.ts', [], env);
  const text = status === 0 ? readFileSync(join(project, 'cdk.out/Mine.template.json'), 'utf8') : '{"Resources":{}}';
  return { status, stderr, template: JSON.parse(text) as { readonly Resources: Record<string, { Type: string }> } };
}
