import { readFileSync } from 'node:fs';
import { isFrameworkError } from '@sallyport/core';
import { didYouMean } from '../config/nearest.js';
import { usageError } from '../errors.js';
import { DEV_FLAGS, type Flag, RUN_FLAGS } from './arguments.js';
import { type Around, EXIT } from './around.js';
import { explain, openapi, routes } from './ask.js';
import { cold } from './cold.js';
import { dev } from './dev.js';
import { SEND_FLAGS, send } from './send.js';
import { env, replay, reset, TOKEN_FLAGS, token } from './small.js';

interface Command {
  readonly usage: string;
  readonly does: string;
  readonly flags: Readonly<Record<string, Flag>>;
  run(args: readonly string[], around: Around): Promise<number>;
}

const JSON_ONLY = { json: RUN_FLAGS.json as Flag };

/** All commands, in the order of the help. */
const COMMANDS: Readonly<Record<string, Command>> = {
  dev: {
    usage: 'dev [entry]',
    does: 'runs the function, and shows it at http://127.0.0.1:4700',
    flags: DEV_FLAGS,
    run: dev,
  },
  send: {
    usage: 'send <kind> <target> | <file> | -',
    does: 'sends an event to the function of `sallyport dev`',
    flags: SEND_FLAGS,
    run: send,
  },
  explain: { usage: 'explain <file> | -', does: 'shows how an event is classified', flags: RUN_FLAGS, run: explain },
  routes: { usage: 'routes', does: 'lists operations and event handlers', flags: RUN_FLAGS, run: routes },
  openapi: { usage: 'openapi', does: 'prints the OpenAPI document', flags: RUN_FLAGS, run: openapi },
  replay: {
    usage: 'replay <file…>',
    does: 'sends recordings again, and compares the responses',
    flags: JSON_ONLY,
    run: replay,
  },
  token: { usage: 'token --sub <name>', does: 'prints a token of the local issuer', flags: TOKEN_FLAGS, run: token },
  env: {
    usage: 'env',
    does: 'prints variables for your AWS clients: eval "$(sallyport env)"',
    flags: JSON_ONLY,
    run: env,
  },
  cold: {
    usage: 'cold [entry]',
    does: 'builds as for a deployment, and measures 20 cold starts',
    flags: RUN_FLAGS,
    run: cold,
  },
  reset: { usage: 'reset', does: 'empties tables, buckets and queues', flags: JSON_ONLY, run: reset },
};

/** Runs the command line and resolves to its exit code. */
export async function runCommand(args: readonly string[], around: Around): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === 'help') {
    around.out(help());
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version') {
    around.out(`${version()}\n`);
    return EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (!command) throw usageError(`the command ${name} does not exist${didYouMean(name, Object.keys(COMMANDS))}`);
    if (rest.includes('--help')) {
      around.out(helpOf(command));
      return EXIT.ok;
    }
    return await command.run(rest, around);
  } catch (error) {
    around.err(`sallyport: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitOf(error);
  }
}

function exitOf(error: unknown): number {
  if (!isFrameworkError(error)) return EXIT.failed;
  return error.code === 'local.build_failed' ? EXIT.build : error.code === 'app.internal' ? EXIT.failed : EXIT.usage;
}

function help(): string {
  const lines = Object.values(COMMANDS).map(({ usage, does }) => `  sallyport ${usage.padEnd(36)}${does}\n`);
  return `Runs a Lambda function on this machine as Lambda would.\n\n${lines.join('')}\nsallyport <command> --help lists its flags.\nThe default entry is src/lambda.ts. Settings are read from sallyport.json; flags take precedence.\nexit code: 0 success, 1 the function failed or a replay differs, 2 invalid command line or settings, or a port in use, 3 the service does not build or load\n`;
}

function helpOf({ usage, does, flags }: Command): string {
  const lines = Object.entries(flags).map(([name, { type, multiple, help: text }]) => {
    const value = type === 'boolean' ? '' : type === 'number' ? ' <number>' : ' <text>';
    return `  --${`${name}${value}`.padEnd(29)}${text}${multiple ? ' (repeatable)' : ''}\n`;
  });
  return `usage: sallyport ${usage}\n\n${does}\n\n${lines.join('')}`;
}

function version(): string {
  const manifest = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
