import { AssertionError } from 'node:assert';
import type { LambdaContext } from '@sallyport/core';
import { isObject } from '@sallyport/core/internal';
import { createTestEnv, type TestEnv } from '@sallyport/testkit';
import {
  type CheckpointRequest,
  createDurableEngine,
  type DurableEngine,
  type DurableEnvelope,
  type DurableInvocation,
  type Operation,
  type Outcome,
  type StateRequest,
} from '@sallyport/testkit/durable';
import type { Starter } from '../../internal/transport.js';
import { type Body, type Observer, places } from '../observer.js';
import type { BuildDurable, DurableHandler, DurableRun, RunDurableOptions, StartedRun } from '../types.js';
import { type KillPlan, NEVER, stopped } from './kill.js';
import { RUN_DURABLE_OPTIONS } from './options.js';

const FUNCTION_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:test-function';

/** Parts of a run that only the tests of this package's own tools set. */
export interface Driving {
  readonly kills?: KillPlan;
  /** Called before each step function. */
  readonly beforeBody?: (body: Body) => Promise<void>;
  /** Called with the id of each operation that code begins, even if it is replayed. */
  readonly onOperation?: (id: string) => void;
  /** Runs a step function, or replaces it. */
  readonly aroundBody?: (body: Body, run: () => unknown) => Promise<unknown>;
}

/** Runs one execution to its end, in virtual time. */
export class ExecutionDriver {
  readonly env: TestEnv;
  readonly engine: DurableEngine;
  readonly bodies: Body[] = [];
  readonly #build: BuildDurable;
  readonly #options: ReturnType<typeof RUN_DURABLE_OPTIONS.parse>;
  readonly #driving: Driving;
  readonly #kills: KillPlan;
  readonly #answered = new Set<string>();
  /** Names of executions that records have started, by ARN. */
  readonly #started = new Map<string, string>();
  #checkpoints = 0;
  #answers = 0;
  #failure: unknown;

  constructor(build: BuildDurable, options: RunDurableOptions, driving: Driving = {}) {
    this.#options = RUN_DURABLE_OPTIONS.parse(options);
    const { now, environment, functions, pageSize } = this.#options;
    this.#build = build;
    this.#driving = driving;
    this.#kills = driving.kills ?? NEVER;
    this.env = createTestEnv({ ...(now !== undefined && { now }), ...(environment && { environment }) });
    this.engine = createDurableEngine({
      clock: this.env.clock,
      ids: countedIds(),
      ...(pageSize !== undefined && { pageSize }),
      invoke: (invocation) => this.#invoke(invocation),
      chain: async ({ functionName, payload }) => {
        const target = functions[functionName];
        if (!target) throw new Error(`framework: option "functions" has no function "${functionName}"`);
        const answer: unknown = await target(payload === undefined ? undefined : JSON.parse(payload));
        return { answer: JSON.stringify(answer) };
      },
    });
  }

  /** Starts an execution, and returns its ARN. @param recorded operations that it has from its start */
  start(payload: string, recorded: readonly Operation[] = []): string {
    const { name, timeoutSeconds } = this.#options;
    const request = { functionArn: FUNCTION_ARN, payload, synchronous: true, timeoutSeconds, recorded };
    return this.engine.start({ ...request, ...(name !== undefined && { name }) }).arn;
  }

  async run(event: unknown): Promise<DurableRun> {
    const { maxInvocations } = this.#options;
    const arn = this.start(JSON.stringify(event));
    for (;;) {
      await this.engine.settle();
      if (this.#failure) throw this.#failure;
      const running = this.engine.list().filter(({ status }) => status === 'RUNNING');
      if (running.length === 0) break;
      if (running.some(({ invocations }) => invocations >= maxInvocations)) {
        throw stuck(`it needs more than ${maxInvocations} invocations`);
      }
      await this.#pass(running.map((one) => one.arn));
    }
    const outcome = this.#outcomeOf(arn);
    const started = [...this.#started].map(
      ([own, ownName]): StartedRun => ({
        name: ownName,
        event: JSON.parse(this.engine.describe(own).payload),
        ...this.#outcomeOf(own),
      }),
    );
    this.engine.close();
    return {
      ...outcome,
      checkpoints: this.#checkpoints,
      started,
      bodies: this.bodies,
      logs: this.env.records.logs,
      records: this.env.records,
    };
  }

  #outcomeOf(arn: string): Pick<DurableRun, 'status' | 'result' | 'error' | 'invocations' | 'operations'> {
    const { status, result, error, invocations } = this.engine.describe(arn);
    return {
      status,
      result: result === undefined || result === '' ? undefined : JSON.parse(result),
      ...(error && { error }),
      invocations,
      operations: this.engine.operations(arn),
    };
  }

  /** Answers callbacks, or moves the clock to the next wait that ends. */
  async #pass(arns: readonly string[]): Promise<void> {
    const pending = this.engine.pending();
    const { callbacks } = this.#options;
    const all = arns.map((arn) => [arn, new Map(this.engine.operations(arn).map((one) => [one.Id, one]))] as const);
    const byArn = new Map(all);
    const operationsOf = (arn: string) => byArn.get(arn) ?? new Map<string, Operation>();
    let isAnswered = false;
    for (const { arn, kind, operationId = '' } of pending) {
      const operations = operationsOf(arn);
      const name = nameOf(operations, operationId);
      const key = `${arn} ${operationId}`;
      if (kind !== 'callback' || !Object.hasOwn(callbacks, name) || this.#answered.has(key)) continue;
      this.#answered.add(key);
      isAnswered = true;
      const id = operations.get(operationId)?.CallbackDetails?.CallbackId ?? '';
      const value = callbacks[name];
      if (value instanceof Error) {
        this.engine.failCallback(id, { ErrorType: value.name, ErrorMessage: value.message });
      } else {
        this.engine.succeedCallback(id, JSON.stringify(value));
      }
    }
    if (isAnswered) return;
    const times = pending.flatMap(({ until }) => (until ? [until.getTime()] : []));
    if (times.length === 0) {
      const names = pending.map(({ arn, operationId = '' }) => `"${nameOf(operationsOf(arn), operationId)}"`);
      throw stuck(`nothing answers its callbacks ${names.join(', ')}: pass them in the option "callbacks"`);
    }
    await this.env.clock.advance(Math.max(0, Math.min(...times) - this.env.clock.now().getTime()));
  }

  async #invoke({ arn, invocation, event }: DurableInvocation): Promise<Outcome> {
    let kill: (outcome: Outcome) => void = () => {};
    const killed = new Promise<Outcome>((resolve) => {
      kill = resolve;
    });
    const life = { isOver: false };
    const die = <T>(): Promise<T> => {
      life.isOver = true;
      kill({ error: new Error('framework: the invocation was killed by the test') });
      return stopped<T>();
    };
    const answered = this.#answerOf(arn, invocation, event, life, die).then(async (answer) => {
      if (life.isOver) return die<Outcome>();
      this.#answers += 1;
      if (this.#kills('answer', this.#answers)) return die<Outcome>();
      return { answer };
    });
    const outcome = await Promise.race([killed, answered]).catch((error: unknown) => ({ error }));
    life.isOver = true;
    return outcome;
  }

  async #answerOf(
    arn: string,
    invocation: number,
    event: DurableEnvelope,
    life: { readonly isOver: boolean },
    die: <T>() => Promise<T>,
  ): Promise<unknown> {
    const observer = this.#observer(arn, invocation, life, die);
    const client = {
      starter: this.#starter(),
      checkpoint: async (request: CheckpointRequest) => {
        if (life.isOver) return stopped();
        this.#checkpoints += 1;
        const count = this.#checkpoints;
        if (this.#kills('before', count)) return die();
        const answer = await this.engine.checkpoint(request);
        if (this.#kills('after', count)) return die();
        return answer;
      },
      getExecutionState: async (request: StateRequest) => {
        if (life.isOver) return stopped();
        return this.engine.getExecutionState(request);
      },
    };
    // As JSON, which has no dates.
    const input = await injected(JSON.parse(JSON.stringify(event)) as DurableEnvelope, client);
    const context = {
      ...this.env.lambdaContext({ requestId: `lambda-${invocation}` }),
      invokedFunctionArn: `${FUNCTION_ARN}:live`,
    };
    return places.run({ observer, isStep: false }, async () => call(await this.#build(this.env), input, context));
  }

  /** Starts executions of records, as the Lambda API does. */
  #starter(): Starter {
    return {
      isDefault: this.#options.handoff,
      start: async ({ functionArn, name, event }) => {
        const { arn } = this.engine.start({
          functionArn,
          name,
          payload: JSON.stringify(event),
          timeoutSeconds: this.#options.timeoutSeconds,
        });
        this.#started.set(arn, name);
      },
    };
  }

  #observer(arn: string, invocation: number, life: { readonly isOver: boolean }, die: <T>() => Promise<T>): Observer {
    return {
      operation: (id) => this.#driving.onOperation?.(id),
      body: async ({ id, name = id, attempt }, run) => {
        const execution = this.#started.get(arn);
        const body: Body = {
          name,
          operationId: id,
          attempt,
          ...(execution !== undefined && { execution }),
          invocation,
        };
        await this.#driving.beforeBody?.(body);
        if (life.isOver) return stopped();
        this.bodies.push(body);
        const count = this.bodies.length;
        this.#check(arn, body);
        const { aroundBody } = this.#driving;
        const result = await (aroundBody ? aroundBody(body, run) : run());
        if (life.isOver) return stopped();
        return this.#kills('body', count) ? die() : result;
      },
    };
  }

  /** A recorded step must not run again: that would be a defect of the SDK or of the service. */
  #check(arn: string, { operationId, name }: Body): void {
    const status = this.engine.operations(arn).find(({ Id }) => Id === operationId)?.Status;
    if (status === 'SUCCEEDED' || status === 'FAILED') {
      this.#failure ??= new Error(`framework: the function of step "${name}" ran again although the step was recorded`);
    }
  }
}

/** The id of an execution is in answers, so it is equal in every run. */
function countedIds() {
  let count = 0;
  return {
    newId() {
      count += 1;
      return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
    },
  };
}

function stuck(why: string): AssertionError {
  return new AssertionError({ message: `framework: the execution does not end: ${why}` });
}

/** The name of a callback, or else the name of its parent context. */
function nameOf(operations: ReadonlyMap<string, Operation>, id: string): string {
  const operation = operations.get(id);
  return operation?.Name ?? operations.get(operation?.ParentId ?? '')?.Name ?? id;
}

/** The event with its transport: the SDK accepts one from a test, in place of the configured one. */
async function injected(event: DurableEnvelope, client: object): Promise<object> {
  const { DurableExecutionInvocationInputWithClient: Input } = await import('@aws/durable-execution-sdk-js');
  const input = new Input(event as never, client as never);
  return Object.assign(input, { UpdatedOperationIds: event.UpdatedOperationIds });
}

function call(handler: DurableHandler, event: object, context: LambdaContext): Promise<unknown> {
  if (typeof handler === 'function') return handler(event, context);
  if (isObject(handler) && typeof handler.handleLambda === 'function') return handler.handleLambda(event, context);
  throw new TypeError('framework: the build must return a container or a handler of withDurableExecution');
}
