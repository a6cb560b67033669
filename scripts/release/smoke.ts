import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer } from './answers.js';
import { type ApplicationManager, commandOf, runWithRegistry } from './managers.js';

/** A project to make and to run. */
export interface Smoke {
  readonly template: string;
  readonly manager: ApplicationManager;
}

const NODE = process.versions.node;

/**
 * Does with one kind of project what its user does: creates it from the registry, installs, then runs the lines of its workflow on a machine
 * with only Node and npm; starts it, and passes its bundle one event of each kind.
 *
 * @throws Error with the output of the step that failed
 */
export async function smoke({ template, manager }: Smoke, place: string, url: string): Promise<string> {
  mkdirSync(place, { recursive: true });
  const home = join(place, 'home');
  mkdirSync(home, { recursive: true });
  const project = join(place, 'my-service');
  const sh = async (line: string, folder: string = project) => {
    const result = await runWithRegistry(folder, line, url, home);
    if (result.status !== 0) throw new Error(`${line}\n${result.output}`);
    return result.output;
  };
  await sh(CREATE[manager](template), place);
  await sh(`${commandOf(manager)} install`);
  const lines = workflowLines(readFileSync(join(project, '.github/workflows/ci.yml'), 'utf8'));
  for (const line of lines) await sh(line);
  await sh('CI=1 npx sallyport dev --check');
  const alone = join(place, 'alone');
  cpSync(builtIn(project), alone, { recursive: true });
  await answer(join(alone, 'index.mjs'), template, NODE);
  return `created, installed, ${lines.length} lines of its workflow, dev, and its events`;
}

const CREATE: Readonly<Record<ApplicationManager, (template: string) => string>> = {
  npm: (template) => `npm create --yes sallyport@latest my-service -- --yes --template ${template}`,
  pnpm: (template) => `${commandOf('pnpm')} create sallyport my-service --yes --template ${template}`,
  yarn: (template) =>
    `${commandOf('yarn')} dlx create-sallyport my-service --yes --template ${template} --package-manager yarn`,
};

/** The shell lines of a workflow that do not need an account. */
function workflowLines(workflow: string): readonly string[] {
  const lines = [...workflow.matchAll(/^ {6}- run: (.*)$/gm)].map(([, line = '']) => line);
  return lines.filter((line) => !line.includes('$STACKS'));
}

/** The last output of `check`. */
function builtIn(project: string): string {
  const folder = join(project, 'dist');
  if (!existsSync(join(folder, 'index.mjs'))) throw new Error(`${folder} holds no index.mjs`);
  return folder;
}
