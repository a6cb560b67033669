import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { BuildLoop, type NewBuild } from '../build/build-loop.js';
import type { Config, FleetFunction } from '../config/config.js';
import type { DurableFunction, Executions } from '../executions/executions.js';
import type { Inspection } from '../inspect/inspection.js';
import { NOTHING_KNOWN } from '../inspect/to-inspection.js';
import { startTrace } from '../journal/trace.js';
import { toText } from '../runtime/failures.js';
import { FunctionRuntime, type FunctionRuntimeInit } from '../runtime/function-runtime.js';
import type { CodeState, EnvironmentView, Failed, InvokeOptions, InvokeOutcome, Invoker } from '../runtime/invoker.js';
import { describeFunction, uniqueByName } from './fleet-describe.js';
import { FleetFilters } from './fleet-filter.js';
import { joinDocuments } from './fleet-openapi.js';
import { joinOutcomes } from './fleet-outcome.js';
import { functionsFor } from './fleet-route.js';
import type { FunctionAccess } from './host.js';

/** A function of the run, and its process and builds once an event has reached it. */
interface Member {
  readonly one: FleetFunction;
  readonly config: Config;
  runtime: FunctionRuntime | undefined;
  builds: BuildLoop | undefined;
  /** Resolves when the first build runs, or is broken. */
  ready: Promise<void>;
}

type FleetInit = Omit<FunctionRuntimeInit, 'onInspection'> & { readonly watch: boolean };

/** Several functions of one project. Each is built and started with its first event. */
export class Fleet implements Invoker {
  readonly access: FunctionAccess;
  readonly #init: FleetInit;
  readonly #members: readonly Member[];
  readonly #functions: readonly FleetFunction[];
  readonly #filters: FleetFilters;
  readonly #startedAt: number;
  readonly #onInspection: () => void;
  #executions: Executions | undefined;
  #isStopped = false;

  constructor(init: FleetInit, functions: readonly FleetFunction[]) {
    this.#init = init;
    this.#functions = functions;
    this.#filters = new FleetFilters(functions);
    this.#startedAt = init.now();
    this.#members = functions.map((one) => ({
      one,
      config: configOf(init.config, one),
      runtime: undefined,
      builds: undefined,
      ready: Promise.resolve(),
    }));
    const listeners = new Set<(inspection: Inspection) => void>();
    let inspection = this.#describe();
    this.#onInspection = () => {
      inspection = this.#describe();
      init.journal.note({ at: init.now(), topic: 'inspection', text: '' });
      for (const listener of listeners) listener(inspection);
    };
    this.access = {
      invoker: this,
      authorizer: () => undefined,
      inspection: () => inspection,
      onInspection(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  }

  /** The durable functions of the run. */
  get durable(): readonly DurableFunction[] {
    return this.#functions.flatMap(({ name, deployed: { durableSeconds: seconds } }) =>
      seconds === undefined ? [] : [{ name, seconds }],
    );
  }

  /** Events of durable functions start executions, which invoke this run with an envelope and the name of the function. */
  useExecutions(executions: Executions): void {
    this.#executions = executions;
  }

  /** Nothing is built before the first event. */
  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#members.flatMap(({ builds, runtime }) => [builds?.stop(), runtime?.stop()]));
  }

  /** Invokes each function that the event reaches, with the records that its filters match. */
  async invoke(event: unknown, options: InvokeOptions): Promise<InvokeOutcome> {
    const named = this.#functions.find(({ name }) => name === options.origin.function);
    if (named && options.origin.execution !== undefined) return this.#run(named, event, options);
    const reached = named ? [named] : functionsFor(this.#functions, event, options.origin);
    if (reached.length === 0) return this.#unknown(event, options);
    const [first, ...others] = reached.flatMap((one) => {
      const own = this.#filters.apply(one, event, options.origin);
      return own ? [this.#invokeOne(one, own.event, withRecords(options, own.kept))] : [];
    });
    if (first === undefined) return this.#filtered(event, options);
    return joinOutcomes(await Promise.all([first, ...others]));
  }

  #invokeOne(one: FleetFunction, event: unknown, options: InvokeOptions): Promise<InvokeOutcome> {
    const durable = this.#executions?.find(one.name);
    if (!this.#executions || !durable) return this.#run(one, event, options);
    return this.#executions.invoke(event, options, durable);
  }

  async #run(one: FleetFunction, event: unknown, options: InvokeOptions): Promise<InvokeOutcome> {
    const member = this.#members.find((candidate) => candidate.one === one) as Member;
    const runtime = this.#start(member);
    // A second environment would start if the event waited in the runtime while the first one loads.
    await member.ready;
    const { stream, ...rest } = options;
    const sink = runtime.inspection().streaming ? stream : undefined;
    sink?.expect?.();
    const origin = { ...options.origin, function: one.name };
    return runtime.invoke(event, { ...rest, origin, ...(sink && { stream: sink }) });
  }

  /** The runtime of a function; its first use starts the first build, for which the event waits. */
  #start(member: Member): FunctionRuntime {
    if (member.runtime) return member.runtime;
    const { config, one } = member;
    const { journal, now, watch } = this.#init;
    const variables = () => ({
      ...this.#init.variables(),
      ...(one.deployed.durableSeconds !== undefined && { FRAMEWORK_DURABLE: '1' }),
    });
    const runtime = new FunctionRuntime({ ...this.#init, config, variables, onInspection: this.#onInspection });
    member.runtime = runtime;
    const folder = join(this.#init.config.stateFolder, 'build', one.name);
    const note = (text: string) => journal.note({ at: now(), topic: 'build', text: `${one.name}  ${text}` });
    const onBuild = async (outcome: NewBuild) => {
      if (outcome.kind === 'broken') runtime.break(outcome.problems);
      else await runtime.use(outcome.code, outcome.ms);
      note(
        outcome.kind === 'broken' ? outcome.problems.map(toText).join('\n') : `built in ${Math.round(outcome.ms)} ms`,
      );
    };
    // The state folder is shared, so that functions share bundled dependencies.
    const shared = { ...config, stateFolder: this.#init.config.stateFolder };
    member.builds = new BuildLoop({ config: shared, folder, watch, onBuild });
    note('starts: its first event waits for the build');
    if (!this.#isStopped) {
      runtime.prepare();
      member.ready = member.builds.start();
    }
    return runtime;
  }

  /** Adds the record of an event that reaches no function. */
  #record(event: unknown, { origin, traceId }: InvokeOptions) {
    const { journal, now } = this.#init;
    const requestId = randomUUID();
    const { root, segment, parent } = startTrace(traceId, now());
    return { id: journal.open({ requestId, traceId: root, segment, parent, origin, event }), requestId };
  }

  /** Records an event whose records match the filters of no function. */
  #filtered(event: unknown, options: InvokeOptions): InvokeOutcome {
    const record = this.#record(event, options);
    this.#init.journal.update(record.id, { status: 'ok', summary: 'filtered' });
    return { ok: true, ...record, streamed: false, answer: undefined };
  }

  /** Records an event that belongs to no function. */
  #unknown(event: unknown, options: InvokeOptions): Failed {
    const { origin } = options;
    const record = this.#record(event, options);
    const names = this.#functions.map(({ name }) => name).join(', ');
    const error = {
      errorType: 'local.unknown_function',
      errorMessage: `no function has the ${origin.kind} "${origin.target}" among its sources and routes; the functions are ${names}`,
    };
    this.#init.journal.update(record.id, { status: 'failed', error, summary: error.errorType });
    return { ok: false, ...record, reason: 'init', error };
  }

  code(): CodeState {
    const states = this.#members.flatMap(({ runtime }) => (runtime ? [runtime.code()] : []));
    const broken = states.find(({ state }) => state === 'broken');
    return broken ?? { state: 'ready', builtAt: this.#startedAt, buildMs: 0 };
  }

  environments(): readonly EnvironmentView[] {
    return this.#members.flatMap(({ one, runtime }) =>
      (runtime?.environments() ?? []).map((view) => ({ ...view, id: `${one.name} ${view.id}` })),
    );
  }

  /** Routes and sources of the file, with the description of each started function. */
  #describe(): Inspection {
    const described = this.#members.map(({ one, runtime }) => describeFunction(one, runtime?.inspection()));
    const routes = uniqueByName(described.flatMap((one) => one.routes));
    const triggers = described.flatMap((one) => one.triggers);
    const mcp = [...new Set(described.flatMap((one) => one.mcp))];
    return {
      ...NOTHING_KNOWN,
      isOurs: true,
      routes,
      triggers,
      mcp,
      openapi: async () => {
        const started = this.#members.flatMap(({ one, runtime }) => (runtime ? [{ name: one.name, runtime }] : []));
        const documents = started.map(async ({ name, runtime }) => ({
          name,
          document: await runtime.inspection().openapi(),
        }));
        return joinDocuments(await Promise.all(documents));
      },
      contract: async () => {
        // Functions of one file have the same registrations.
        const started = new Map(this.#members.flatMap(({ one, runtime }) => (runtime ? [[one.entry, runtime]] : [])));
        return (await Promise.all([...started.values()].map((runtime) => runtime.inspection().contract()))).flat();
      },
      explain: async (event, context) => {
        const [one] = functionsFor(this.#functions, event, { kind: '', target: '' });
        const member = this.#members.find((candidate) => candidate.one === one);
        return member?.runtime?.inspection().explain(event, context) ?? null;
      },
    };
  }
}

/** The options of an invocation with a part of the records of an event. */
function withRecords(options: InvokeOptions, kept: readonly number[] | undefined): InvokeOptions {
  const { recordIds } = options.origin;
  if (kept === undefined || recordIds === undefined) return options;
  return { ...options, origin: { ...options.origin, recordIds: kept.flatMap((index) => recordIds[index] ?? []) } };
}

/** The settings of one function: those of the file, else those of the run. */
function configOf(config: Config, { name, entry, deployed }: FleetFunction): Config {
  const { handler = 'handler', timeoutMs = config.timeoutMs, memoryMb = config.memoryMb } = deployed;
  return {
    ...config,
    ...{ entry, handler, name, timeoutMs, memoryMb },
    // Environments of several functions have the same ids.
    stateFolder: join(config.stateFolder, 'tmp', name),
    hasStandby: false,
    inspect: undefined,
  };
}
