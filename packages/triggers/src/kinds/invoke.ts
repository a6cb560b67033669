import {
  FrameworkError,
  type InvocationProvenance,
  type LambdaContext,
  type MaybePromise,
  type StandardSchema,
  type TriggerRecord,
} from '@sallyport/core';
import { membersOf, rejectWithoutEventKey, stringOf } from '@sallyport/core/internal';
import { defineOptions, isStandardSchema, issuePaths, kind, parsed } from '@sallyport/core/options';
import {
  attempt,
  type Delivered,
  type EventContext,
  type EventHandler,
  type KeylessEventContext,
  mask,
} from '@sallyport/streams/delivery';
import { invalidAnswer, invalidEvent, refused } from '../errors.js';
import { assertAnswer, publicFailure } from '../internal/answer.js';
import { assertHandler, NamedTrigger } from '../internal/handlers.js';
import { InvokeError } from '../internal/invoke-error.js';
import { MEMBER_NAME, TABLE_MEMBERS } from '../internal/members.js';
import { defineTrigger, type SurfaceRow } from '../internal/surface.js';

/** The payload of an invocation by name; {@link buildInvocation} makes it. */
export interface InvocationPayload<Input = unknown> {
  /** The name that the handler was registered under. */
  readonly $invoke: string;
  /** The input, which the handler's schema validates. */
  readonly input: Input;
}

/** Options of `directInvoke`. An unknown key is rejected. */
export interface DirectInvokeOptions {
  /**
   * A member of the event that names the handler, for callers that cannot send `$invoke`; the whole event is then the input.
   * Default: none.
   */
  readonly discriminator?: { readonly path: string };
}

/** Options of one handler of `directInvoke`. An unknown key is rejected. */
export interface InvokeOptions {
  /** A Standard Schema that validates the result; the caller receives the schema's output. Default: none. */
  readonly output?: StandardSchema;
}

/** Validators and defaults for {@link DirectInvokeOptions}. @internal */
export const DIRECT_INVOKE_OPTIONS = /* @__PURE__ */ defineOptions<DirectInvokeOptions>()({
  discriminator: parsed('{ path }, the name of a member of the event', (value) => {
    const { path, ...rest } = membersOf(value);
    if (typeof path !== 'string' || !MEMBER_NAME.test(path) || Object.keys(rest).length > 0) {
      throw refused('discriminator must be { path }, the name of a member of the event');
    }
    if (TABLE_MEMBERS.includes(path)) throw refused(`discriminator: "${path}" is a member that other triggers use`);
    return { path };
  }),
});

/** Validators and defaults for {@link InvokeOptions}. @internal */
export const INVOKE_OPTIONS = /* @__PURE__ */ defineOptions<InvokeOptions>()({
  output: kind<StandardSchema>('a Standard Schema (version 1)', isStandardSchema),
});

/** Row, natural key and answer of invocations by name. @internal */
export const INVOKE_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'invoke',
  anyOf: [
    [
      { path: '$invoke', test: 'text' },
      { path: 'input', test: 'present' },
    ],
  ],
  sample: { $invoke: 'name', input: null },
  // The caller's input is not an event: the request id of the invocation is equal only for Lambda's own retries.
  key: undefined,
  answer: 'result or null',
});

interface Operation {
  readonly input: StandardSchema;
  readonly output: StandardSchema | undefined;
}

/** Handlers that other functions, state machines and schedules call by name. */
export class DirectInvoke extends NamedTrigger {
  override readonly accepts: readonly InvocationProvenance[] = ['provider', 'direct'];
  readonly #operations = new Map<string, Operation>();
  readonly #path: string | undefined;

  constructor(options: DirectInvokeOptions = {}) {
    super(INVOKE_TRIGGER, 'invocation');
    this.#path = DIRECT_INVOKE_OPTIONS.parse(options).discriminator?.path;
  }

  /** `$invoke` with `input`, then the registered values of the discriminator. */
  override get rows(): readonly SurfaceRow[] {
    const path = this.#path;
    if (path === undefined) return super.rows;
    const named = this.names.map((value) => [{ path, test: 'equals', value } as const]);
    return [{ kind: this.kind, anyOf: [...INVOKE_TRIGGER.anyOf, ...named] }];
  }

  /**
   * Registers the handler of one name. IAM controls access (`lambda:InvokeFunction`); an agent's arguments never reach the handler.
   * With a discriminator, register before the container is created.
   *
   * @param schema a Standard Schema validator (zod, valibot, arktype, …) of the input
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, an invalid schema or handler, an unknown
   *   option
   * @example directInvoke().invoke('charge', ChargeInput, (ctx, input) => charge(input.amount));
   */
  invoke<Input>(
    name: string,
    schema: StandardSchema<unknown, Input> | StandardSchema<never, Input>,
    handler: (ctx: KeylessEventContext, input: Input) => MaybePromise<unknown>,
    options: InvokeOptions = {},
  ): this {
    if (!isStandardSchema(schema)) throw refused(`invoke "${name}" needs a Standard Schema (version 1)`);
    assertHandler(handler, `the handler of "${name}"`);
    rejectWithoutEventKey(this.kind, handler);
    const { output } = INVOKE_OPTIONS.parse(options);
    this.add(name, handler as EventHandler<never>);
    this.#operations.set(name, { input: schema, output });
    return this;
  }

  /** The names with the JSON Schemas of input and output, if their libraries can write JSON Schema. */
  override triggers(): readonly TriggerRecord[] {
    return [...this.#operations].map(([name, { input, output }]) => ({
      kind: 'invoke',
      name,
      options: { input: jsonSchemaOf(input, 'input'), output: output ? jsonSchemaOf(output, 'output') : null },
    }));
  }

  protected override read(event: unknown): readonly Delivered[] {
    const members = membersOf(event);
    const { $invoke } = members;
    const isNamed = typeof $invoke === 'string' && Object.hasOwn(members, '$invoke') && Object.hasOwn(members, 'input');
    const name = isNamed ? $invoke : stringOf(this.#path === undefined ? undefined : members[this.#path]);
    if (name === '') throw invalidEvent('invoke', '$invoke must be a string, next to input');
    const entry = this.find(name);
    if (!entry) throw new InvokeError('app.not_found', 'framework: no handler for this name');
    return [
      { ...entry, record: isNamed ? members.input : event, id: '', source: { name, arn: '', account: '', region: '' } },
    ];
  }

  protected override async answer(
    [item]: readonly Delivered[],
    lambdaContext: LambdaContext | undefined,
  ): Promise<unknown> {
    const { name, record, handler } = item as Delivered;
    const { input, output } = this.#operations.get(name) as Operation;
    const checked = async (ctx: EventContext) => {
      const result = await handler(ctx, (await fit(input, record, invalidInput)) as never);
      const answer = output ? await fit(output, result, invalidOutput) : result;
      if (answer !== undefined) assertAnswer(answer);
      return answer;
    };
    const outcome = await attempt(this.delivery, { ...(item as Delivered), handler: checked }, lambdaContext);
    if ('value' in outcome) return outcome.value;
    const { thrown } = outcome;
    const failure = publicFailure(thrown);
    throw failure ? new InvokeError(failure.code, failure.message, { cause: thrown }) : mask(this.delivery, thrown);
  }
}

/** The value as its schema returns it. @throws the error that `failure` makes of the schema's issues */
async function fit(schema: StandardSchema, value: unknown, failure: (issues: Issues) => Error): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw failure(result.issues);
}

type Issues = Parameters<typeof issuePaths>[0];

/** Only places are named, because libraries quote values. */
function invalidInput(issues: Issues): FrameworkError {
  const named = issuePaths(issues, 'the input itself');
  return new FrameworkError('app.validation_failed', `framework: input does not fit its schema at ${named}`);
}

function invalidOutput(): FrameworkError {
  return invalidAnswer('the result does not fit the schema of the output');
}

function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): Record<string, unknown> | null {
  try {
    return schema['~standard'].jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? null;
  } catch {
    return null;
  }
}

/**
 * Makes the surface for invocations by name: from a state machine, a schedule, another function or the command line.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, or a path that other triggers use
 * @example
 * const operations = directInvoke().invoke('charge', ChargeInput, (ctx, input) => charge(input.amount));
 * const app = new SecureApp({ principalResolver, surfaces: [operations] });
 */
export function directInvoke(options: DirectInvokeOptions = {}): DirectInvoke {
  return new DirectInvoke(options);
}

/**
 * The payload that calls a handler of {@link directInvoke}: for the SDK, a Step Functions task or a schedule.
 *
 * @throws FrameworkError `app.invalid_configuration` for a blank name
 * @example new InvokeCommand({ FunctionName, Payload: JSON.stringify(buildInvocation('charge', { amount: 5 })) });
 */
export function buildInvocation<Input>(name: string, input: Input): InvocationPayload<Input> {
  if (typeof name !== 'string' || name.trim() === '') throw refused('invocation name is empty');
  return { $invoke: name, input };
}
