import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { FullClock } from '@sallyport/core';
import { fromJson } from '@sallyport/core/internal';
import {
  type CheckpointRequest,
  type CheckpointResponse,
  createDurableEngine,
  createFileStore,
  type DurableEngine,
  type DurableInvocation,
  type DurableOutcome,
  type ExecutionSummary,
  type Operation,
} from '@sallyport/testkit/durable';
import { toArn } from '../aws/names.js';
import { localError } from '../errors.js';
import type { Part, RunBase } from '../host/base.js';
import type { CodeState, EnvironmentView, InvokeOptions, InvokeOutcome, Invoker } from '../runtime/invoker.js';
import { recordedBefore } from './recorded-before.js';

/** The parts of a run that its executions use. */
export interface ExecutionsInit extends Pick<RunBase, 'config' | 'journal'> {
  /** Runs the function with an envelope; `origin.function` selects one of several. */
  readonly invoker: Invoker;
  /** The durable functions of a run of several functions. */
  readonly functions?: readonly DurableFunction[];
  /** The clock of the waits: the one of the sources, whose speed the developer sets. */
  readonly clock: () => FullClock;
  readonly now: () => number;
}

/** A start by the API of Lambda. */
export interface StartByCall {
  readonly name: string | undefined;
  readonly event: unknown;
  readonly options: InvokeOptions;
  /** The function; default: the only one of the run. */
  readonly fn?: DurableFunction | undefined;
  /** Operations that the execution has from its start. */
  readonly recorded?: readonly Operation[];
}

/** A durable function of a run. */
export interface DurableFunction {
  readonly name: string;
  /** Seconds until an execution times out. */
  readonly seconds: number;
}

const MAX_REMEMBERED = 1000;

/**
 * The executions of a durable function: an invoker that starts an execution for each event, as Lambda does for a function with a `DurableConfig`. Executions
 * are in files, and continue after a restart.
 */
export class Executions implements Invoker, Part {
  readonly name = 'executions';
  readonly #init: ExecutionsInit;
  #engine: DurableEngine | undefined;
  /** The options of the start, by the name of the execution; absent for a start of an earlier run. */
  readonly #started = new Map<string, InvokeOptions>();
  /** The invocations of each execution, newest last. */
  readonly #invocations = new Map<string, InvokeOutcome[]>();
  readonly #running = new Map<string, number>();
  /** Called after the first invocation of an execution. */
  readonly #first = new Map<string, (outcome: InvokeOutcome) => void>();
  /** Executions whose next checkpoint is stored and not answered: its process is killed. */
  readonly #killed = new Set<string>();

  constructor(init: ExecutionsInit) {
    this.#init = init;
  }

  /** The local service. Created with the first use, because its clock is. */
  get engine(): DurableEngine {
    this.#engine ??= createDurableEngine({
      clock: this.#init.clock(),
      invoke: (invocation) => this.#invoke(invocation),
      store: createFileStore(join(this.#init.config.stateFolder, 'executions')),
      onChange: () => this.#init.journal.note({ at: this.#init.now(), topic: 'executions', text: '' }),
    });
    return this.#engine;
  }

  async start(): Promise<void> {
    this.engine.resume();
  }

  async stop(): Promise<void> {
    this.#engine?.close();
  }

  code(): CodeState {
    return this.#init.invoker.code();
  }

  environments(): readonly EnvironmentView[] {
    return this.#init.invoker.environments();
  }

  async invoke(event: unknown, options: InvokeOptions, fn?: DurableFunction): Promise<InvokeOutcome> {
    const started = this.begin({ name: undefined, event, options, fn });
    if (options.asynchronous) return started.first;
    return this.resultOf(started.arn);
  }

  /**
   * Starts an execution; `first` is the end of its first invocation, which is a success for the sender of an asynchronous event.
   *
   * @throws ServiceError as `Invoke` of Lambda
   */
  begin({ name, event, options, fn, recorded }: StartByCall): {
    readonly arn: string;
    readonly first: Promise<InvokeOutcome>;
  } {
    let resolve: (outcome: InvokeOutcome) => void = () => {};
    const first = new Promise<InvokeOutcome>((settle) => {
      resolve = ({ id, requestId }) => settle({ ok: true, id, requestId, streamed: false, answer: null });
    });
    // The first invocation can begin before `start` returns.
    const own = name ?? randomUUID();
    this.#started.set(own, options);
    this.#first.set(own, resolve);
    const { arn } = this.engine.start({
      functionArn: this.#arnOf(fn?.name ?? this.#init.config.name),
      name: own,
      payload: JSON.stringify(event) ?? 'null',
      synchronous: options.asynchronous !== true,
      timeoutSeconds: fn?.seconds ?? this.#init.config.durable ?? 900,
      ...(recorded && { recorded }),
    });
    return { arn, first };
  }

  /** The end of an execution, as the caller of a synchronous invocation receives it. */
  async resultOf(arn: string): Promise<InvokeOutcome> {
    const { status, result, error } = await this.engine.ended(arn);
    const last = this.#invocations.get(arn)?.at(-1);
    const ids = { id: last?.id ?? 0, requestId: last?.requestId ?? arn };
    if (status === 'SUCCEEDED') return { ok: true, ...ids, streamed: false, answer: parseResult(result) };
    const { ErrorType = status, ErrorMessage = `the execution ended with ${status}` } = error ?? {};
    return { ok: false, ...ids, reason: 'handler', error: { errorType: ErrorType, errorMessage: ErrorMessage } };
  }

  /** The durable function with this name; `undefined` if absent. */
  find(name: string): DurableFunction | undefined {
    const { functions, config } = this.#init;
    if (functions) return functions.find((one) => one.name === name);
    return name === config.name ? { name, seconds: config.durable ?? 900 } : undefined;
  }

  /**
   * Restarts an execution that has ended: another execution with the same event, and with the operations before `from`.
   *
   * @param from id of an operation; default: nothing is recorded
   * @throws FrameworkError `local.not_found` for an unknown operation, `local.invalid_request` for an execution that runs, or whose
   *   function the run does not have
   */
  restart(arn: string, from: string | undefined): string {
    const { name, status, functionArn, payload } = this.engine.describe(arn);
    if (from !== undefined && status === 'RUNNING') {
      throw localError(
        'local.invalid_request',
        `framework: the execution ${name} is running: stop it before a restart`,
      );
    }
    const [, fn = ''] = /:function:([^:]+)/.exec(functionArn) ?? [];
    const found = this.find(fn);
    if (!found) {
      throw localError(
        'local.invalid_request',
        `framework: the execution ${name} is of function ${fn}, which is not in this run`,
      );
    }
    const operations = this.engine.operations(arn);
    if (from !== undefined && !operations.slice(1).some(({ Id }) => Id === from)) {
      throw localError('local.not_found', `framework: the execution ${name} has no such operation`);
    }
    const options = {
      origin: { kind: 'execution', target: name, function: fn },
      whenBusy: 'wait',
      asynchronous: true,
    } as const;
    const recorded = from === undefined ? [] : recordedBefore(operations, from);
    return this.begin({ name: restartName(name), event: fromJson(payload), options, fn: found, recorded }).arn;
  }

  /** The ARN of a function: executions are of its version `$LATEST`. */
  #arnOf(name: string): string {
    return `${toArn('lambda', `function:${name}`)}:$LATEST`;
  }

  /** The numbers of the invocations of an execution in this run. */
  invocationsOf(arn: string): readonly number[] {
    return (this.#invocations.get(arn) ?? []).map(({ id }) => id);
  }

  /** Stores a checkpoint. With {@link killAtNext} its process is killed instead of an answer. */
  async checkpoint(request: CheckpointRequest): Promise<CheckpointResponse> {
    const answer = await this.engine.checkpoint(request);
    const arn = request.DurableExecutionArn ?? '';
    if (this.#killed.delete(arn)) this.#kill(arn);
    return answer;
  }

  /** Kills the process of the execution at its next checkpoint, after it is stored: the next invocation replays it. */
  killAtNext(arn: string): void {
    this.engine.describe(arn);
    this.#killed.add(arn);
  }

  #kill(arn: string): void {
    const { environment, origin } = this.#init.journal.get(this.#running.get(arn) ?? -1) ?? {};
    // In a run of several functions, an environment is shown with the name of its function.
    const shown = this.#init.functions ? `${origin?.function} ${environment?.id}` : environment?.id;
    const pid = this.environments().find(({ id }) => id === shown)?.pid;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }

  async #invoke({ arn, functionArn, event, invocation }: DurableInvocation): Promise<DurableOutcome> {
    const { name } = this.engine.describe(arn);
    const options = this.#started.get(name) ?? { origin: { kind: 'execution', target: name } };
    const { origin, traceId, clientContext } = options as InvokeOptions;
    const outcome = await this.#init.invoker.invoke(event, {
      origin: {
        ...origin,
        ...(this.#init.functions && { function: /:function:([^:]+)/.exec(functionArn)?.[1] ?? '' }),
        execution: name,
        ...(invocation > 1 && { recordIds: [] }),
      },
      whenBusy: 'wait',
      ...(traceId !== undefined && { traceId }),
      ...(clientContext !== undefined && { clientContext }),
      onOpen: (id) => this.#running.set(arn, id),
    });
    this.#running.delete(arn);
    this.#remember(arn, outcome);
    this.#first.get(name)?.(outcome);
    this.#first.delete(name);
    const { requestId } = outcome;
    return outcome.ok ? { requestId, answer: outcome.answer } : { requestId, error: outcome.error };
  }

  #remember(arn: string, outcome: InvokeOutcome): void {
    const known = this.#invocations.get(arn) ?? [];
    this.#invocations.set(arn, [...known, outcome]);
    const [oldest] = this.#invocations.keys();
    if (this.#invocations.size > MAX_REMEMBERED && oldest !== undefined) this.#invocations.delete(oldest);
  }
}

function parseResult(result: ExecutionSummary['result']): unknown {
  return result === undefined ? null : JSON.parse(result);
}

/** A suffix, because the execution of a record is found by its name. */
function restartName(name: string): string {
  const [suffix = ''] = randomUUID().split('-');
  return `${name.replace(/-[0-9a-f]{8}$/, '').slice(0, MAX_NAME - suffix.length - 1)}-${suffix}`;
}

const MAX_NAME = 64;
