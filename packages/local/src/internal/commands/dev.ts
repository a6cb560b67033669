import { spawn } from 'node:child_process';
import { startTypeChecker, type TypeCheck, typeCheckText } from '../build/type-checker.js';
import type { Config } from '../config/config.js';
import { type Flags, loadConfig } from '../config/load.js';
import { watchSettings } from '../config/settings-watch.js';
import { StrictCounter, strictText } from '../differences/strict-count.js';
import { localError } from '../errors.js';
import { type RunningHost, startHost } from '../host/create-host.js';
import { cleanText } from '../journal/cleaner.js';
import { tables } from '../services/dynamodb/table-state.js';
import { DEV_FLAGS, parseArguments, toFlags } from './arguments.js';
import { type Around, EXIT } from './around.js';
import { clockTime, inventoryText } from './lines.js';
import { announce, findRunning, withdraw } from './running.js';

/** `sallyport dev`: runs until the developer stops it. With `--strict` it exits with 1 if an invocation would differ on AWS. */
export async function dev(args: readonly string[], around: Around): Promise<number> {
  const parsed = parseArguments(args, DEV_FLAGS);
  const flags = toFlags(parsed, DEV_FLAGS);
  const config = loadConfig(around.cwd, flags);
  if (await findRunning(config.stateFolder)) {
    throw localError(
      'local.already_running',
      'sallyport dev already runs in this project: stop it, or use its console',
    );
  }
  const settings = {
    flags,
    logs: parsed.values.logs === true,
    isCheck: parsed.values.check === true,
    types: parsed.values['no-types'] !== true,
    strict: new StrictCounter(),
  };
  let next: Next = { config, changed: undefined };
  while (typeof next !== 'number') next = await runOnce(next, settings, around);
  const found = settings.strict.count();
  if (found.invocations === 0) return next;
  around.out(`${config.json ? JSON.stringify({ type: 'strict', ...found }) : strictText(found)}\n`);
  return next === EXIT.ok ? EXIT.failed : next;
}

/** The exit code, or the settings of the next run after a change of a file. */
type Next = number | { readonly config: Config; readonly changed: string | undefined };

interface DevSettings {
  readonly flags: Flags;
  readonly logs: boolean;
  readonly isCheck: boolean;
  readonly types: boolean;
  readonly strict: StrictCounter;
}

/** Runs until the developer stops it, or until a file with settings changes. */
async function runOnce(
  { config, changed }: Exclude<Next, number>,
  { flags, logs, isCheck, types, strict }: DevSettings,
  around: Around,
): Promise<Next> {
  const host = await startSaying(config, around);
  const stopCounting = strict.follow(host.journal);
  const stopChecking = isCheck || !types ? undefined : checkTypes(host);
  try {
    announce(host);
    if (changed === undefined) printBeginning(host, around);
    else say(host, around, `restarted with the new ${changed}; queues are empty`);
    if (isCheck) return await check(host, around);
    if (!config.quiet) host.print({ json: config.json, logs }, around.out);
    if (config.open && changed === undefined) openBrowser(consoleUrl(host));
    const next = await settingsChange(host, flags, around);
    return next ?? EXIT.ok;
  } finally {
    withdraw(host);
    await stopChecking?.();
    await host.stop();
    stopCounting();
  }
}

/** A start that takes longer prints its current step. */
const SAY_AFTER_MS = 1000;

async function startSaying(config: Config, { out }: Around): Promise<RunningHost> {
  let phase = '';
  let isSlow = false;
  const say = () => {
    const line = config.json ? JSON.stringify({ type: 'waiting', for: phase }) : `waiting   for ${phase}`;
    if (phase !== '' && !config.quiet) out(`${line}\n`);
  };
  const timer = setTimeout(() => {
    isSlow = true;
    say();
  }, SAY_AFTER_MS);
  const onPhase = (next: string) => {
    phase = next;
    if (isSlow) say();
  };
  try {
    return await startHost(config, { onPhase });
  } finally {
    clearTimeout(timer);
  }
}

/** Prints type errors in the terminal and the console. */
function checkTypes({ config, journal, guard }: RunningHost): (() => Promise<void>) | undefined {
  let previous: TypeCheck | undefined;
  const onCheck = (check: TypeCheck) => {
    const text = typeCheckText(check, previous);
    previous = check;
    if (text !== undefined) journal.note({ at: Date.now(), topic: 'notice', text });
  };
  return startTypeChecker({ folder: config.folder, guard, onCheck });
}

/** Resolves with the new settings when a file with settings changes, or with `undefined` when the developer stops the run. */
function settingsChange(host: RunningHost, flags: Flags, around: Around): Promise<Exclude<Next, number> | undefined> {
  return new Promise((resolve) => {
    const stop = watchSettings(host.config, (changed) => {
      try {
        const config = loadConfig(around.cwd, flags);
        // The same addresses, so that clients and pages continue.
        const port = config.port ?? host.ports.console;
        end({ config: { ...config, port }, changed });
      } catch (error) {
        say(
          host,
          around,
          `${changed} changed, and the run continues with the old settings: ${(error as Error).message}`,
        );
      }
    });
    const end = (next?: Exclude<Next, number>) => {
      stop();
      resolve(next);
    };
    if (around.signal.aborted) end();
    else around.signal.addEventListener('abort', () => end(), { once: true });
  });
}

function say({ config }: RunningHost, { out }: Around, text: string): void {
  const at = Date.now();
  out(config.json ? `${JSON.stringify({ type: 'notice', at, text })}\n` : `${clockTime(at)}  ${text}\n`);
}

/** The URL of the console. The token is in the fragment, so it is in no request and no log. */
function consoleUrl({ ports, token }: RunningHost): string {
  return `http://127.0.0.1:${ports.console}/#token=${token}`;
}

function printBeginning(host: RunningHost, { out }: Around): void {
  const { config, state, invoker } = host;
  const inspection = host.inspection();
  if (config.json) {
    out(
      `${JSON.stringify({ type: 'started', console: `http://127.0.0.1:${host.ports.console}/`, ports: host.ports })}\n`,
    );
    return;
  }
  const code = invoker.code();
  const what = code.state === 'broken' ? 'the service does not compile' : inventoryText(inspection);
  out(`console   ${consoleUrl(host)}   ${what}\n`);
  if (config.quiet) return;
  const doors = [
    ['HTTP API', host.ports['gateway-v2']],
    ['REST API', host.ports['gateway-v1']],
    ['load balancer', host.ports['load-balancer']],
    ['function URL', host.ports['function-url']],
  ].map(([name, port]) => `${name} ${port}`);
  out(`doors     ${doors.join(', ')}\n`);
  if (config.fleet)
    out(`functions ${config.fleet.functions.length} of ${config.deployed?.file}, each starts with its first event\n`);
  out(`state     ${state.get(tables).status()}\n`);
  for (const { topic, text } of host.journal.notes()) {
    const isNews = (topic === 'notice' || code.state === 'broken') && !text.startsWith('state ');
    if (isNews) printNote(text, out);
  }
  if (process.platform === 'win32') out('On Windows environments are not frozen between invocations.\n');
}

const INDENT = '          ';

const printNote = (text: string, out: Around['out']) => text !== '' && out(`${INDENT}${cleanText(text)}\n`);

/** Calls the console once, as its page does: for tests, and for a build server. */
async function check(host: RunningHost, { out, err }: Around): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${host.ports.console}/api/state`, {
    headers: { authorization: `Bearer ${host.token}` },
    signal: AbortSignal.timeout(10_000),
  });
  const page = await fetch(`http://127.0.0.1:${host.ports.console}/`, { signal: AbortSignal.timeout(10_000) });
  const code = host.invoker.code();
  if (code.state === 'broken' || (code.state === 'ready' && code.problem !== undefined)) return EXIT.build;
  if (!response.ok || !page.ok) {
    err(`the console returned the statuses ${response.status} and ${page.status}\n`);
    return EXIT.failed;
  }
  if (!host.config.json) out(`checked   the console responds, ${inventoryText(host.inspection())}\n`);
  return EXIT.ok;
}

function openBrowser(url: string): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['cmd', ['/c', 'start', '', url]]
        : ['xdg-open', [url]];
  spawn(command as string, args as string[], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
