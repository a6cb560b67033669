import type { LambdaContext, MaybePromise } from '@sallyport/core';
import { isText, type Members, membersOf, rejectWithoutEventKey } from '@sallyport/core/internal';
import { defineOptions, integer, kind } from '@sallyport/core/options';
import {
  attempt,
  type Delivered,
  type EventContext,
  type EventHandler,
  type KeylessEventContext,
  mask,
  type Outcome,
  warnOf,
} from '@sallyport/streams/delivery';
import { invalidAnswer } from '../errors.js';
import { AliasTrigger } from '../internal/aliases.js';
import { publicFailure, toJson } from '../internal/answer.js';
import { InvokeError } from '../internal/invoke-error.js';
import { MEMBER_NAME } from '../internal/members.js';
import { requiredText, sourceOf } from '../internal/read.js';
import { loadClient, Reporter, SENDER_MARGIN_MS, type SenderOptions } from '../internal/sender.js';
import { defineTrigger } from '../internal/surface.js';

/** A task of a state machine: https://docs.aws.amazon.com/step-functions/latest/dg/connect-lambda.html. */
export interface StateTask {
  /** The input of the task, without its token. Anything upstream of the state machine may have written it. */
  readonly payload: unknown;
  /** The alias that the state machine invokes. */
  readonly alias: string;
}

/** Runs a task. Its result is the output of the state; a throw fails the state with the code of a FrameworkError. */
export type StateTaskHandler = (ctx: KeylessEventContext, task: StateTask) => MaybePromise<unknown>;

/** Options of a task with a token. An unknown key is rejected. */
export interface TaskTokenOptions {
  /** The member of the input with the token: `"taskToken.$": "$$.Task.Token"`. Default `taskToken`. */
  readonly token?: string;
  /** Milliseconds between heartbeats while the handler runs, 1,000 to 900,000. Default: no heartbeats. */
  readonly heartbeatMs?: number;
}

/** Validators and defaults for {@link TaskTokenOptions}. @internal */
export const TASK_TOKEN_OPTIONS = /* @__PURE__ */ defineOptions<TaskTokenOptions>()({
  token: /* @__PURE__ */ kind<string>(
    'the name of a member of the input',
    (value) => typeof value === 'string' && MEMBER_NAME.test(value),
  ).default('taskToken'),
  heartbeatMs: /* @__PURE__ */ integer(1_000, 900_000, 'milliseconds'),
});

/** Natural key and answer of tasks of Step Functions. The state machine determines the shape of an event. @internal */
export const TASK_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'task',
  // The input is data of any origin: the alias of the invocation selects the handler.
  anyOf: [],
  sample: {},
  // The input of a state has no id.
  key: undefined,
  answer: 'output of the state, or a call with the token',
  marginMs: SENDER_MARGIN_MS,
});

const loadSdk = /* @__PURE__ */ loadClient('@aws-sdk/client-sfn', () => import('@aws-sdk/client-sfn'));

/** The most bytes of an output: https://docs.aws.amazon.com/step-functions/latest/apireference/API_LambdaFunctionScheduledEventDetails.html. */
const MAX_OUTPUT_BYTES = 262_144;

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** Handlers of tasks of Step Functions. */
export class StateTasks extends AliasTrigger {
  readonly #tokens = new Map<string, { readonly token: string; readonly heartbeatMs: number | undefined }>();
  readonly #reporter: Reporter<Sdk>;

  constructor(options: SenderOptions = {}) {
    super(TASK_TRIGGER);
    this.#reporter = new Reporter(options, 'Step Functions', loadSdk, (sdk) => new sdk.SFNClient({}));
  }

  /**
   * Registers the handler of a task that waits for the result of the function. Register before the container is created.
   *
   * @param alias the alias of the function in the state, which only this service invokes
   * @throws FrameworkError `app.invalid_configuration` for a name that is not an alias or is repeated, or a handler that is not a function
   * @example stateTask().task('charge', payload(Charge, (ctx, { amount }) => charge(amount)));
   */
  task(alias: string, handler: StateTaskHandler): this {
    rejectWithoutEventKey(this.kind, handler);
    return this.add(alias, handler as EventHandler<never>);
  }

  /**
   * Registers the handler of a task that waits for its token (`.waitForTaskToken`). The result is reported with `SendTaskSuccess`, an error or
   * the deadline with `SendTaskFailure`.
   *
   * @throws FrameworkError `app.invalid_configuration` as {@link task}, and for a wrong or unknown option
   * @example stateTask().callback('approve', (ctx, { payload }) => approve(payload), { heartbeatMs: 30_000 });
   */
  callback(alias: string, handler: StateTaskHandler, options: TaskTokenOptions = {}): this {
    const { token, heartbeatMs } = TASK_TOKEN_OPTIONS.parse(options);
    this.task(alias, handler);
    this.#tokens.set(alias, { token, heartbeatMs });
    return this;
  }

  protected override read(event: unknown, lambdaContext?: LambdaContext): readonly Delivered[] {
    const { name, handler } = this.entryOf(lambdaContext);
    const waits = this.#tokens.get(name);
    if (waits) requiredText(this.kind, waits.token, membersOf(event)[waits.token]);
    const record: StateTask = { payload: waits ? without(membersOf(event), waits.token) : event, alias: name };
    return [{ name, handler, record, id: '', source: sourceOf(name, '') }];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
    event: unknown,
  ): Promise<unknown> {
    const { name, handler } = item as Delivered;
    const run = async (ctx: EventContext, record: never) => toOutput(await handler(ctx, record));
    const checked = { ...(item as Delivered), handler: run };
    const waits = this.#tokens.get(name);
    if (!waits) return this.#outputOf(await attempt(this.delivery, checked, lambdaContext));
    const taskToken = String(membersOf(event)[waits.token]);
    const stop = this.#beat(taskToken, waits.heartbeatMs, lambdaContext);
    const outcome = await attempt(this.delivery, checked, lambdaContext).finally(stop);
    await this.#reporter.send((sdk) => commandOf(sdk, taskToken, outcome), lambdaContext);
    return null;
  }

  #outputOf(outcome: Outcome): unknown {
    if ('value' in outcome) return outcome.value;
    const failure = publicFailure(outcome.thrown);
    if (!failure) throw mask(this.delivery, outcome.thrown);
    throw new InvokeError(failure.code, failure.message, { cause: outcome.thrown });
  }

  /** Sends heartbeats until it is stopped. A failed heartbeat is logged once and does not stop the handler. */
  #beat(taskToken: string, everyMs: number | undefined, lambdaContext: LambdaContext | undefined): () => void {
    if (everyMs === undefined) return () => undefined;
    const { clock } = this.delivery.settings;
    let hasFailed = false;
    let cancel: () => void;
    const beat = () => {
      const heartbeat = (sdk: Sdk) => new sdk.SendTaskHeartbeatCommand({ taskToken });
      this.#reporter.send(heartbeat, lambdaContext).catch(() => {
        if (!hasFailed) warnOf(this.delivery, 'triggers.heartbeat_failed', {});
        hasFailed = true;
      });
      cancel = clock.after(everyMs, beat);
    };
    cancel = clock.after(everyMs, beat);
    return () => cancel();
  }
}

function without(event: Members, token: string): Members {
  return Object.fromEntries(Object.entries(event).filter(([name]) => name !== token));
}

/** @throws FrameworkError `triggers.invalid_answer` for an output that is not JSON, or is more than 256 KB */
function toOutput(result: unknown): unknown {
  const output = toJson('the output', result === undefined ? null : result);
  if (Buffer.byteLength(JSON.stringify(output)) > MAX_OUTPUT_BYTES)
    throw invalidAnswer('the output is more than 256 KB');
  return output;
}

function commandOf({ SendTaskFailureCommand, SendTaskSuccessCommand }: Sdk, taskToken: string, outcome: Outcome) {
  if ('value' in outcome) return new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(outcome.value) });
  const { code, message } = publicFailure(outcome.thrown) ?? { code: 'app.internal', message: 'internal error' };
  return new SendTaskFailureCommand({
    taskToken,
    error: isText(code) ? code.slice(0, 256) : 'app.internal',
    cause: message,
  });
}

/**
 * Makes the surface for tasks of Step Functions: plain tasks, and tasks that wait for a token. Anything upstream may have written the
 * input, so the alias selects the handler, and no event of this alias reaches another trigger. For tokens, the role of the function needs
 * `states:SendTaskSuccess`, `states:SendTaskFailure` and `states:SendTaskHeartbeat`, and the application the package `@aws-sdk/client-sfn`.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong or unknown option
 * @example
 * const tasks = stateTask().task('charge', payload(Charge, (ctx, { amount }) => charge(amount)));
 * const app = new SecureApp({ principalResolver, surfaces: [tasks] });
 */
export function stateTask(options: SenderOptions = {}): StateTasks {
  return new StateTasks(options);
}
