import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@sallyport/core';
import { createAwsPort } from '../aws/port.js';
import { Builder } from '../build/builder.js';
import { Watcher } from '../build/watch.js';
import type { Config } from '../config/config.js';
import { usageError } from '../config/file.js';
import { makeStateFolder } from '../config/state-folder.js';
import { createConsole } from '../console/create.js';
import { createDoors } from '../doors/create.js';
import { createIdentity } from '../identity/create.js';
import type { Inspection } from '../inspect/inspection.js';
import { createJournal } from '../journal/ring.js';
import { toText } from '../runtime/failures.js';
import { FunctionRuntime } from '../runtime/function-runtime.js';
import { createSender } from '../send/create.js';
import { createSources } from '../sources/create.js';
import { createState } from '../state/create.js';
import { Authorizers } from './authorizers.js';
import type { AuthorizedApi, Host, Part } from './host.js';
import { findPorts } from './ports.js';

/** A started run. */
export interface RunningHost extends Host {
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
}

/**
 * Starts a run: state, ports, the first build, the doors.
 *
 * @throws FrameworkError `local.usage`, `local.port_taken`
 */
export async function startHost(config: Config, options: HostOptions = {}): Promise<RunningHost> {
  const nodeMajor = nodeMajorOf(config.node);
  makeStateFolder(config.stateFolder);
  rmSync(join(config.stateFolder, 'tmp'), { recursive: true, force: true });
  const run = new Run(config, nodeMajor, options);
  try {
    await run.start();
  } catch (error) {
    await run.stop();
    throw error;
  }
  return run.host;
}

class Run {
  readonly host: RunningHost;
  readonly #options: HostOptions;
  readonly #runtime: FunctionRuntime;
  readonly #authorizers: Authorizers;
  readonly #builder: Builder;
  readonly #watcher: Watcher;
  readonly #parts: readonly Part[];
  readonly #started: Part[] = [];
  readonly #inspectionListeners = new Set<(inspection: Inspection) => void>();
  #building: Promise<void> = Promise.resolve();
  #isStale = false;
  #isStopped = false;

  constructor(config: Config, nodeMajor: number, options: HostOptions) {
    this.#options = options;
    const now = () => Date.now();
    const journal = createJournal({ reveal: config.reveal, now });
    const notice = (text: string) => journal.note({ at: now(), topic: 'notice', text });
    const shared = { nodeMajor, journal, now, notice, variables: () => this.#variables() };
    const createAuthorizer = (own: Config) => new FunctionRuntime({ ...shared, config: own, onInspection: () => {} });
    this.#authorizers = new Authorizers(config, createAuthorizer);
    this.#runtime = new FunctionRuntime({
      ...shared,
      config,
      onInspection: (inspection) => {
        journal.note({ at: now(), topic: 'inspection', text: '' });
        for (const listener of this.#inspectionListeners) listener(inspection);
      },
    });
    this.#builder = new Builder(config);
    this.#watcher = new Watcher(() => this.#rebuild());
    const host = {
      config,
      clock: systemClock,
      keys: runKeys(config),
      token: randomBytes(24).toString('base64url'),
      ports: { ...NO_PORTS },
      journal,
      invoker: this.#runtime,
      authorizer: (api: AuthorizedApi) => this.#authorizers.get(api),
      inspection: () => this.#runtime.inspection(),
      onInspection: (listener: (inspection: Inspection) => void) => {
        this.#inspectionListeners.add(listener);
        return () => void this.#inspectionListeners.delete(listener);
      },
      notice,
      guard: (pid: number) => this.#runtime.guardian.add(pid),
      coldStart: () => this.#runtime.coldStart(),
      stop: () => this.stop(),
    } as unknown as { -readonly [M in keyof RunningHost]: RunningHost[M] };
    const identity = createIdentity(host);
    const state = createState(host);
    const sources = createSources(host);
    const doors = createDoors(host);
    Object.assign(host, { identity, state, sources, sockets: doors.sockets, sender: createSender(host) });
    const { without = [] } = options;
    const all: readonly Part[] = [
      identity,
      state,
      createAwsPort(host),
      sources,
      doors,
      createConsole(host, () => this.#variables()),
    ];
    this.#parts = all.filter(({ name }) => !without.includes(name));
    this.host = host;
  }

  async start(): Promise<void> {
    Object.assign(this.host.ports, await findPorts(this.host.config.port));
    for (const part of this.#parts) {
      await part.start();
      this.#started.push(part);
    }
    await this.#build();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watcher.close();
    await this.#building;
    await this.#runtime.stop();
    await this.#authorizers.stop();
    for (const part of this.#started.reverse()) await part.stop();
    await this.#builder.stop();
    this.#runtime.guardian.stop();
    this.#authorizers.stopGuardians();
  }

  /** One build at a time; a save during a build causes another build. */
  #rebuild(): void {
    if (this.#isStale || this.#isStopped) return;
    this.#isStale = true;
    this.#building = this.#building.then(() => {
      this.#isStale = false;
      return this.#isStopped ? undefined : this.#build();
    });
  }

  async #build(): Promise<void> {
    const { journal } = this.host;
    const outcome = await this.#builder.build();
    if (this.#options.watch ?? true) this.#watcher.files(outcome.inputs);
    if (this.#isStopped || outcome.kind === 'same') return;
    if (outcome.kind === 'built') {
      await Promise.all([this.#runtime.use(outcome.code, outcome.ms), this.#authorizers.use(outcome)]);
      journal.note({ at: Date.now(), topic: 'build', text: `built in ${Math.round(outcome.ms)} ms` });
    } else {
      this.#runtime.break(outcome.problems);
      this.#authorizers.break(outcome.problems);
      journal.note({ at: Date.now(), topic: 'build', text: outcome.problems.map(toText).join('\n') });
    }
  }

  /** Variables of the parts, then the developer's variables. */
  #variables(): Readonly<Record<string, string>> {
    const { config, identity, state } = this.host;
    const tables = state.hasTables() ? 'on' : 'off';
    const ofParts = this.#parts.map((part) => part.variables?.() ?? {});
    const passed = config.pass.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
    const own = Object.entries(config.env).map(([name, value]) => [
      name,
      identity.substitute(value.replace(/\$tables\b/g, tables)),
    ]);
    return Object.assign({}, ...ofParts, Object.fromEntries(passed), Object.fromEntries(own)) as Record<string, string>;
  }
}

const NO_PORTS = {
  console: 0,
  'gateway-v2': 0,
  'gateway-v1': 0,
  'load-balancer': 0,
  'function-url': 0,
  websocket: 0,
  graphql: 0,
  aws: 0,
};

/** Keys of this run. With `--aws` they are the developer's keys, so that the real services accept them. */
function runKeys({ aws }: Config) {
  if (aws.length === 0) {
    return {
      accessKeyId: `AKIALOCAL${randomBytes(6).toString('hex').toUpperCase()}`,
      secretAccessKey: randomBytes(30).toString('base64'),
    };
  }
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env;
  if (!accessKeyId || !secretAccessKey) {
    throw usageError(
      '--aws needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment: aws configure export-credentials --format env prints them',
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
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
