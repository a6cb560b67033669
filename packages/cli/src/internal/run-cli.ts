import { readFileSync } from 'node:fs';
import { didYouMean } from '@sallyport/core/internal';
import { type Around, type Command, EXIT } from './command.js';
import { createLoad, type Load } from './load.js';
import { OWNERS, type Owner } from './owners.js';

/** Runs the command line. Resolves to the exit code. @param load loads the commands of a package; default: from the project */
export async function runCli(args: readonly string[], around: Around, load?: Load): Promise<number> {
  const [first, ...rest] = args;
  const asksHelp = first === '--help' || first === 'help';
  const name = asksHelp ? rest[0] : first;
  if (name === undefined) {
    around.out(help());
    return first === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version') {
    around.out(`${version()}\n`);
    return 0;
  }
  const owner = OWNERS.find(({ commands }) => Object.hasOwn(commands, name));
  if (!owner) {
    const known = OWNERS.flatMap(({ commands }) => Object.keys(commands));
    around.err(`sallyport: the command ${name} does not exist${didYouMean(name, known)}\n\n${list()}`);
    return EXIT.usage;
  }
  const commands = await (load ?? createLoad(around.cwd))(owner);
  const command = commands?.find(({ usage }) => usage.split(' ')[0] === name);
  if (!command) {
    around.err(`sallyport: ${missing(name, owner, commands)}\n`);
    return EXIT.usage;
  }
  if (asksHelp || rest.includes('--help')) {
    around.out(helpOf(command));
    return 0;
  }
  return command.run(rest, around);
}

function missing(name: string, { package: owner }: Owner, commands: readonly Command[] | undefined): string {
  if (commands) return `the installed version of ${owner} does not have the command ${name}: update it`;
  return `the command ${name} is in ${owner}, which is not installed in this project: npm install --save-dev ${owner}`;
}

function help(): string {
  return `Commands for Sallyport services on AWS Lambda.\n\n${list()}\nsallyport <command> --help lists its flags.\nexit code: 0 success, 1 the function failed or a check found something, 2 invalid command line or settings, 3 the service does not build or load\n`;
}

/** The commands by their packages. */
function list(): string {
  return OWNERS.map(({ package: owner, commands }) => {
    const lines = Object.entries(commands).map(([name, does]) => `  sallyport ${name.padEnd(10)}${does}\n`);
    return `${owner} (npm install --save-dev ${owner})\n${lines.join('')}`;
  }).join('\n');
}

function helpOf({ usage, does, flags }: Command): string {
  const lines = Object.entries(flags).map(([name, { type, multiple, help: text }]) => {
    const value = type === 'boolean' ? '' : type === 'number' ? ' <number>' : ' <text>';
    return `  --${`${name}${value}`.padEnd(29)}${text}${multiple ? ' (repeatable)' : ''}\n`;
  });
  return `usage: sallyport ${usage}\n\n${does}\n\n${lines.join('')}`;
}

function version(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}
