import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FullClock, systemClock } from '@sallyport/core';
import { AWS_PORT, awsVariables, createAwsPort } from '../aws/port.js';
import { BuildLoop, type NewBuild } from '../build/build-loop.js';
import type { Config } from '../config/config.js';
import { consoleToken, makeStateFolder } from '../config/state-folder.js';
import { type ConsolePart, createConsole, historyFolder } from '../console/create.js';
import { sayAssumptions } from '../differences/assumptions.js';
import { createDoors } from '../doors/create.js';
import { usageError } from '../errors.js';
import { Executions } from '../executions/executions.js';
import { MAX_RECORDS } from '../history/history.js';
import { lastStored } from '../history/store.js';
import type { Identity } from '../identity/identity.js';
import { LocalIdentity } from '../identity/local-identity.js';
import { createFailures } from '../journal/failure.js';
import type { Journal } from '../journal/journal.js';
import { createJournal } from '../journal/ring.js';
import { toText } from '../runtime/failures.js';
import { type Guardian, startGuardian } from '../runtime/guardian.js';
import { createSender } from '../send/create.js';
import { tables } from '../services/dynamodb/table-state.js';
import { LocalSources } from '../sources/local-sources.js';
import { LocalState } from '../state/local-state.js';
import type { State } from '../state/state.js';
import { TraceReceivers } from '../traces/receivers.js';
import type { Part, RunBase } from './base.js';
import { Fleet } from './fleet.js';
import { Functions } from './functions.js';
import type { Host } from './host.js';
import { createKeys } from './keys.js';
import { findPorts } from './ports.js';

/** A started run. */
export interface RunningHost extends Host, Pick<ConsolePart, 'print'> {
  /** Starts one environment and stops it. @returns the milliseconds of its init phase. @throws InitFailure */
  coldStart(): Promise<number>;
  /** Stops all processes, doors and watchers. */
  stop(): Promise<void>;
}

/** Settings of a run for commands and tests, not for `sallyport.json`. */
export interface HostOptions {
  /** True if saves are watched; default `true`. */
  readonly watch?: boolean;
  /** Parts that are not started: for example, `sallyport explain` needs no doors. */
  readonly without?: readonly string[];
  /** Called with what the start waits for next. */
  readonly onPhase?: (phase: string) => void;
  /** The clock of doors and sources; default: `systemClock`. The limits of the function itself are in real time. */
  readonly clock?: FullClock;
}

/**
 * Starts a run: identity, state, sources, doors, the console, and the first build. Each part is created from the parts before it.
 *
 * @throws FrameworkError `local.usage`, `local.port_taken`
 */
export async function startHost(config: Config, options: HostOptions = {}): Promise<RunningHost> {
  const { watch = true, without = [], onPhase = () => {}, clock = systemClock } = options;
  const nodeMajor = nodeMajorOf(config.node);
  const keys = createKeys(config);
  const ports = { ...(await findPorts(config.port)) };
  makeStateFolder(config.stateFolder);
  rmSync(join(config.stateFolder, 'tmp'), { recursive: true, force: true });
  const token = consoleToken(config.stateFolder);
  const lastId = lastStored(historyFolder(config), MAX_RECORDS);
  const journal = createJournal({ reveal: config.reveal, now, failuresOf: createFailures(config.folder), lastId });
  const notice = (text: string) => journal.note({ at: now(), topic: 'notice', text });
  const guardian = startGuardian();
  const guard = (pid: number) => guardian.add(pid);
  const base: RunBase = { config, clock, keys, token, ports, journal, guard, notice };
  const { host, functions, fleet, page, parts } = createParts(base, { guardian, nodeMajor, without, watch });
  for (const text of [...(config.fleet?.notices ?? []), ...(config.deployed?.notices ?? [])]) notice(text);
  if (!without.includes('doors')) sayAssumptions(host);
  const onBuild = (outcome: NewBuild) => useBuild(outcome, functions, journal);
  const builds = fleet ?? new BuildLoop({ config, watch, onBuild });
  const started: Part[] = [];
  const stop = async () => {
    await builds.stop();
    await functions?.stop();
    for (const part of started.splice(0).reverse()) await part.stop();
    guardian.stop();
  };
  try {
    for (const part of parts) {
      onPhase(`the ${part.name}`);
      await part.start();
      started.push(part);
    }
    onPhase('the first build; dependencies are bundled once for each lock file');
    await builds.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...host, print: page.print, coldStart: async () => functions?.coldStart() ?? 0, stop };
}

const now = () => Date.now();

interface PartOptions {
  readonly guardian: Guardian;
  readonly nodeMajor: number;
  readonly without: readonly string[];
  readonly watch: boolean;
}

/** Creates the parts of a run, each from the parts before it, and lists them in the order of their start. */
function createParts(base: RunBase, { guardian, nodeMajor, without, watch }: PartOptions) {
  const { config, journal, notice, clock } = base;
  const identity = new LocalIdentity(base);
  const state = new LocalState(base, process.env);
  const address = without.includes(AWS_PORT) ? {} : awsVariables(base);
  const traces = new TraceReceivers(base);
  const variables = () => ({
    ...state.variables(),
    ...address,
    ...traces.variables(),
    ...(config.durable !== undefined && !config.fleet && { FRAMEWORK_DURABLE: '1' }),
    ...developerVariables(config, identity, state),
  });
  const runtime = { config, nodeMajor, journal, guardian, clock, now, notice, variables };
  const fleet = config.fleet && new Fleet({ ...runtime, watch }, config.fleet.functions);
  const functions = fleet ? undefined : new Functions(runtime);
  const { access } = fleet ?? functions ?? new Functions(runtime);
  const isDurable = fleet ? fleet.durable.length > 0 : config.durable !== undefined;
  const executions = isDurable
    ? new Executions({
        ...base,
        invoker: access.invoker,
        now,
        clock: () => sources.run.clock,
        ...(fleet && { functions: fleet.durable }),
      })
    : undefined;
  // A run of several functions selects the function of an event first.
  if (fleet && executions) fleet.useExecutions(executions);
  const invoker = executions && !fleet ? executions : access.invoker;
  const inner = { ...base, ...access, invoker, ...(executions && { executions }), identity, state };
  const sources: LocalSources = new LocalSources(inner);
  const doors = createDoors(inner);
  const { sockets } = doors;
  const host: Host = { ...inner, sources, sockets, sender: createSender({ ...inner, sources }) };
  const port = createAwsPort({ ...inner, sources, sockets });
  const page = createConsole(host, variables);
  const all: readonly Part[] = [
    identity,
    state,
    port,
    traces,
    sources,
    doors,
    ...(executions ? [executions] : []),
    page,
  ];
  return { host, functions, fleet, page, parts: all.filter(({ name }) => !without.includes(name)) };
}

async function useBuild(outcome: NewBuild, functions: Functions | undefined, journal: Journal): Promise<void> {
  if (outcome.kind === 'built') await functions?.use(outcome);
  else functions?.break(outcome.problems);
  const text =
    outcome.kind === 'built' ? `built in ${Math.round(outcome.ms)} ms` : outcome.problems.map(toText).join('\n');
  journal.note({ at: now(), topic: 'build', text });
}

/** Variables of the developer's shell and settings, with the addresses and the secret of this run. */
function developerVariables({ pass, env }: Config, identity: Identity, state: State): Record<string, string> {
  const passed = pass.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const hasTables = state.get(tables).hasTables() ? 'on' : 'off';
  const own = Object.entries(env).map(([name, value]): [string, string] => [
    name,
    identity.substitute(value.replace(/\$tables\b/g, hasTables)),
  ]);
  return Object.fromEntries([...passed, ...own]);
}

/** @throws FrameworkError if the command is not Node, or an older version than Lambda runs */
function nodeMajorOf(node: string): number {
  if (node === process.execPath) return Number(process.versions.node.split('.')[0]);
  try {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 });
    return Number(/^v(\d+)/.exec(version)?.[1]);
  } catch {
    throw usageError(`--node ${node} cannot be run`);
  }
}
