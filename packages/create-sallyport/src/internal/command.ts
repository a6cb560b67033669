import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { addHandler } from './add.js';
import { ADDABLE } from './additions.js';
import { parseCommand, type Request } from './arguments.js';
import { callingManager, type PackageManager } from './managers.js';
import { toNames } from './names.js';
import { createProject } from './project.js';
import { quoteForShell, refuseTarget, writeProject } from './target.js';
import { isTemplate, TEMPLATES, type TemplateName } from './templates.js';

/** The environment of the command. */
export interface Surroundings {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => unknown;
  /** Prompts the user; `undefined` without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

const CREATE_EXIT = { done: 0, failed: 2 } as const;

const HELP = `usage: npm create sallyport@latest <directory> -- [flags]

       npm create sallyport@latest -- --add <kind> <name>

Creates a Sallyport service for AWS Lambda, or adds a handler to the service in this folder.
Downloads nothing unless you pass --install.

  --template <name>             a template of --list (default api)
  --name <name>                 default: the name of the directory
  --infra cdk|none              a CDK stack, or only the bundle (default cdk)
  --package-manager npm|pnpm|yarn
                                default: the calling package manager
  --install                     install the dependencies
  --git                         git init, with one commit
  --yes                         no prompts
  --list                        the templates
  --add <kind> <name>           a handler with its schema, test, registration and source:
${Object.entries(ADDABLE)
  .map(([kind, { form }]) => `                                  ${kind.padEnd(10)}${form}`)
  .join('\n')}
  --help, --version

exit code: 0 done, 2 rejected or failed
`;

/** Runs the command and resolves to its exit code. */
export async function runCreate(args: readonly string[], around: Surroundings): Promise<number> {
  const command = parseCommand(args, around.environment.npm_config_user_agent);
  if (command.kind === 'create') return create(command.request, around);
  if (command.kind === 'add') return add(command, around);
  if (command.kind === 'usage') return fail(around, `${command.problem}\n${HELP}`);
  around.out({ help: HELP, version: `${readVersion()}\n`, list: listTemplates() }[command.kind]);
  return CREATE_EXIT.done;
}

function fail({ err }: Surroundings, problem: string): number {
  err(`create-sallyport: ${problem.trimEnd()}\n`);
  return CREATE_EXIT.failed;
}

function add({ addition, name }: { readonly addition: string; readonly name: string }, around: Surroundings): number {
  const added = addHandler(around.cwd, addition, name);
  if ('problem' in added) return fail(around, added.problem);
  const { files, install, notes } = added;
  const manager = callingManager(around.environment.npm_config_user_agent);
  const steps = [...(install.length > 0 ? [`${manager} install`] : []), `${manager} test`];
  around.out(
    [
      ...files.map((path) => `wrote ${path}`),
      ...notes,
      ...(install.length > 0 ? [`package.json now has ${install.join(', ')}`] : []),
      `Next: ${steps.join(', ')}\n`,
    ].join('\n'),
  );
  return CREATE_EXIT.done;
}

async function create(request: Request, around: Surroundings): Promise<number> {
  const { infra, packageManager } = request;
  const ask = request.yes || around.environment.CI ? undefined : around.ask;
  const directory = request.directory ?? (await ask?.('Directory: '))?.trim();
  if (!directory) return fail(around, 'the directory is missing: npm create sallyport@latest my-service');
  const template = request.template ?? (await askTemplate(ask));
  if (!isTemplate(template)) return fail(around, `unknown template "${template}"`);
  const target = resolve(around.cwd, directory);
  const names = toNames(request.name ?? basename(target));
  if (typeof names === 'string')
    return fail(around, request.name === undefined ? `${names}; pass another name with --name` : names);
  try {
    const refusal = refuseTarget(target);
    if (refusal !== undefined) return fail(around, refusal);
    const undo = writeProject(target, createProject({ names, template, infra, packageManager }));
    const problem = finish(request, target, around.environment);
    if (problem !== undefined) {
      undo();
      return fail(around, problem);
    }
  } catch (error) {
    return fail(around, (error as Error).message);
  }
  const steps = nextSteps(relative(around.cwd, target), packageManager, request.install);
  around.out(`Created ${names.app}. Next:\n\n${steps.map((step) => `  ${step}\n`).join('')}`);
  return CREATE_EXIT.done;
}

async function askTemplate(ask: Surroundings['ask']): Promise<TemplateName | string> {
  if (!ask) return 'api';
  return (await ask(`Template (${Object.keys(TEMPLATES).join(', ')}) [api]: `)).trim() || 'api';
}

/** Installs and commits if requested. Returns the message of a failed step. */
function finish({ install, git, packageManager }: Request, target: string, env: NodeJS.ProcessEnv): string | undefined {
  const steps = [
    ...(install ? [[packageManager, 'install']] : []),
    ...(git
      ? [
          ['git', 'init', '--quiet'],
          ['git', 'add', '--all'],
          ['git', 'commit', '--quiet', '-m', 'A new service'],
        ]
      : []),
  ];
  for (const [program = '', ...args] of steps) {
    const { status, error } = spawnSync(program, args, { cwd: target, env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status === 0) continue;
    return `${[program, ...args].join(' ')} failed${error ? `: ${error.message}` : ''}; the created files were removed`;
  }
  return undefined;
}

function nextSteps(path: string, manager: PackageManager, isInstalled: boolean): readonly string[] {
  const enter = path === '' ? [] : [`cd ${quoteForShell(path)}`];
  return [...enter, ...(isInstalled ? [] : [`${manager} install`]), `${manager} test`, `${manager} run check`].slice(
    0,
    3,
  );
}

function listTemplates(): string {
  return Object.entries(TEMPLATES)
    .map(([name, { shows }]) => `${name.padEnd(10)}${shows}\n`)
    .join('');
}

function readVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
