import { isFrameworkError } from '@sallyport/core';
import type { Command } from '@sallyport/core/internal';
import { DEV_FLAGS, type Flag, RUN_FLAGS } from './arguments.js';
import { EXIT } from './around.js';
import { explain, openapi, routes } from './ask.js';
import { cold } from './cold.js';
import { dev } from './dev.js';
import { EXECUTIONS_FLAGS, executions } from './executions.js';
import { SEND_FLAGS, send } from './send.js';
import { env, REPLAY_FLAGS, replay, reset, TOKEN_FLAGS, token } from './small.js';
import { TEST_RUN_FLAGS, testRun } from './test-run.js';
import { trace } from './trace.js';

export type { Command };

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
    usage: 'send <kind> [<target>] | <file> | -',
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
    flags: REPLAY_FLAGS,
    run: replay,
  },
  'test-run': {
    usage: 'test-run <file…>',
    does: 'sends the events of files, compares the results, and writes a JUnit report',
    flags: TEST_RUN_FLAGS,
    run: testRun,
  },
  executions: {
    usage: 'executions [<name>] | <action> [<name>] [<operation>] [<value>]',
    does: 'lists the executions of a durable function; skip, stop, kill, restart, complete, fail',
    flags: EXECUTIONS_FLAGS,
    run: executions,
  },
  trace: {
    usage: 'trace <id>',
    does: 'shows a trace of `sallyport dev` as a tree, failures first',
    flags: JSON_ONLY,
    run: trace,
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

function exitOf(error: unknown): number {
  if (!isFrameworkError(error)) return EXIT.failed;
  return error.code === 'local.build_failed' ? EXIT.build : error.code === 'app.internal' ? EXIT.failed : EXIT.usage;
}

/** The commands; an error is printed and becomes an exit code. */
export const LOCAL_COMMANDS: Readonly<Record<string, Command>> = Object.fromEntries(
  Object.entries(COMMANDS).map(([name, command]) => [name, { ...command, run: guarded(command) }]),
);

function guarded(command: Command): Command['run'] {
  return async (args, around) => {
    try {
      return await command.run(args, around);
    } catch (error) {
      around.err(`sallyport: ${error instanceof Error ? error.message : String(error)}\n`);
      return exitOf(error);
    }
  };
}
