import { FrameworkError } from '../errors/errors.js';

/** The kinds of the fixed detection table, in its order. */
export const TRIGGER_KINDS = [
  'queue',
  'table-stream',
  'stream',
  'topic',
  'event-bus',
  'appsync',
  'websocket',
  'gateway-v2',
  'function-url',
  'load-balancer',
  'gateway-v1',
] as const;

/** A kind of the fixed table, or a kind of a trigger extension. */
export type TriggerKind = (typeof TRIGGER_KINDS)[number] | (string & {});

/** The parts of the Lambda service's context object that the framework reads. All may be missing. */
export interface LambdaContext {
  /** The id of the invocation. */
  readonly awsRequestId?: string | undefined;
  /** The name of the function. */
  readonly functionName?: string | undefined;
  /** The version of the function that runs. */
  readonly functionVersion?: string | undefined;
  /** The ARN that was invoked, with its alias or version. */
  readonly invokedFunctionArn?: string | undefined;
  /** The tenant of a function with tenant isolation. */
  readonly tenantId?: string | undefined;
  /** The invocation's own X-Ray header or trace id, if the runtime sets it. */
  readonly xRayTraceId?: string;
  /** The trace id only, if the runtime sets it. */
  readonly traceId?: string;
  /** The client context that the caller of the `Invoke` API sent, parsed from JSON; absent for every trigger of AWS. */
  readonly clientContext?: unknown;
  /** The Cognito identity of a caller that invoked through a mobile SDK. */
  readonly identity?: unknown;
  /** Milliseconds until the function times out. */
  getRemainingTimeInMillis?(): number;
}

/** One call of the function, except its event. */
export interface Invocation {
  /** The Lambda context; `undefined` if absent. */
  readonly lambdaContext: LambdaContext | undefined;
}

/** Remaining milliseconds of a Lambda context; 0 if the value is missing or invalid. */
export function remainingMs(lambdaContext: LambdaContext | undefined): number {
  if (typeof lambdaContext?.getRemainingTimeInMillis !== 'function') return 0;
  const left = lambdaContext.getRemainingTimeInMillis();
  return left > 0 ? left : 0;
}

/**
 * The source of an invocation, according to the Lambda context. `agent`: an agent gateway calls a tool, and a model wrote the
 * event. `direct`: a call of the `Invoke` API with a client context or a Cognito identity. `provider`: all other invocations. This is
 * not a proof: any caller with the permission `lambda:InvokeFunction` can send any event without a client context. Restrict this
 * permission in IAM.
 */
export type InvocationProvenance = 'provider' | 'direct' | 'agent';

/**
 * Reads the provenance of an invocation from its Lambda context; never throws. The client context is a parameter of the
 * synchronous `Invoke` call (https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html), so services that invoke
 * asynchronously and event source mappings send none. A context that cannot be read is `direct`.
 *
 * @example invocationProvenance({ clientContext: { custom: { bedrockAgentCoreToolName: 'notes___add' } } }); // 'agent'
 */
export function invocationProvenance(lambdaContext: LambdaContext | undefined): InvocationProvenance {
  try {
    const clientContext = lambdaContext?.clientContext as ClientContext | null | undefined;
    if (clientContext !== undefined && clientContext !== null) {
      const { custom, Custom } = clientContext;
      return hasAgentKey(custom) || hasAgentKey(Custom) ? 'agent' : 'direct';
    }
    const id = (lambdaContext?.identity as Identity | null | undefined)?.cognitoIdentityId;
    return typeof id === 'string' && id.trim() !== '' ? 'direct' : 'provider';
  } catch {
    return 'direct';
  }
}

interface ClientContext {
  readonly custom?: unknown;
  /** The spelling of the mobile SDKs. */
  readonly Custom?: unknown;
}

interface Identity {
  readonly cognitoIdentityId?: unknown;
}

/** AgentCore Gateway sets `bedrockAgentCoreToolName`, `bedrockAgentCoreGatewayId`, … there. */
function hasAgentKey(custom: unknown): boolean {
  return Object.getOwnPropertyNames(custom ?? '').some((name) => /^bedrockagentcore/i.test(name));
}

/** The name for agent invocations in rejections, in place of a kind. */
export const AGENT_INVOCATIONS = 'agent invocations';

/** The error for a recognised event that no surface serves. */
export function noAdapter(what: string): FrameworkError {
  return new FrameworkError('dispatch.no_adapter', `framework: no adapter for ${what}`);
}

/** The members of an event that identify a run of a scheduled workload; each accepts any type. */
export interface ScheduledEvent {
  /** The id of the event. */
  readonly id?: unknown;
  /** The data that the schedule sends: an object, or an object as JSON text. */
  readonly detail?: unknown;
}

/** The name of a run and its idempotency key; `''` if the event has neither. */
export interface ScheduledRun {
  /** The name of the run. */
  readonly runId: string;
  /** The key under which repeated deliveries count as one run. */
  readonly idempotencyKey: string;
}

/**
 * Run id and idempotency key of a scheduled event: from its detail, else its id, else the id of the invocation. The detail may
 * be JSON text, as EventBridge Scheduler sends it. All code that names runs uses this function, so that the names agree.
 */
export function scheduledRun({ id, detail }: ScheduledEvent, awsRequestId: unknown): ScheduledRun {
  const own = objectPart(detail);
  const eventId = trimmedText(id);
  const requestId = trimmedText(awsRequestId);
  return {
    runId: trimmedText(own.run_id) || eventId || requestId,
    idempotencyKey:
      trimmedText(own.idempotency_key) || (eventId && `event-bus:${eventId}`) || (requestId && `lambda:${requestId}`),
  };
}

/** An object that is neither `null` nor a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member of an object, so that prototypes are ignored; `undefined` if absent. */
export function ownOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** A string with a character that is not blank; usually the first character, and then nothing is allocated. */
export function isText(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const first = value.charCodeAt(0);
  return (first > 32 && first < 127) || value.trim() !== '';
}

/** Text without the blanks around it; anything else `''`. */
export function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** An object, or the object that a JSON text represents; anything else is empty. */
export function objectPart(value: unknown): Readonly<Record<string, unknown>> {
  const parsed = typeof value === 'string' ? parseQuietly(value) : value;
  return isObject(parsed) ? (parsed as Record<string, unknown>) : NOTHING;
}

const NOTHING: Readonly<Record<string, unknown>> = /* @__PURE__ */ Object.freeze(Object.create(null));

/** The value of JSON text; `undefined` for invalid JSON, without the parser's message, which quotes the input. */
export function parseQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Environment variables as containers read them: `process.env`, or a map in its place. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Set by the Lambda service; any of them shows that the code runs on Lambda. */
const LAMBDA_VARIABLES = [
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_RUNTIME_API',
  'LAMBDA_TASK_ROOT',
  'AWS_EXECUTION_ENV',
];

/** True if the environment belongs to a real Lambda function. */
export function isLambda(environment: Environment): boolean {
  return LAMBDA_VARIABLES.some((name) => (environment[name] ?? '') !== '');
}

/** The source of time for the framework. `monotonicMs` and `after` default to the system's implementations. */
export interface Clock {
  /** The current time. */
  now(): Date;
  /** Milliseconds on a monotonic clock; for durations. */
  monotonicMs?(): number;
  /** Runs `run` after `ms` milliseconds; the result cancels it. */
  after?(ms: number, run: () => void): () => void;
}

/** A clock with every member. */
export type FullClock = Required<Clock>;

/** The longest delay of a timer, in milliseconds. */
const MAX_DELAY_MS = 2_147_483_647;

/** The machine's clock. */
export const systemClock: FullClock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), MAX_DELAY_MS));
    return () => clearTimeout(timer);
  },
};

/** The given clock, completed with members of the system clock. */
export function completeClock(clock: Clock | undefined): FullClock {
  if (!clock || clock === systemClock) return systemClock;
  return {
    now: () => clock.now(),
    monotonicMs: clock.monotonicMs ? () => (clock as FullClock).monotonicMs() : systemClock.monotonicMs,
    after: clock.after ? (ms, run) => (clock as FullClock).after(ms, run) : systemClock.after,
  };
}

/** The source of request ids for the framework. */
export interface IdGenerator {
  /** A new, unique id. */
  newId(): string;
}

/** Read once: reading the environment takes longer than creating an id. */
let fromSnapshot: boolean | undefined;

/**
 * Random UUIDs (RFC 9562, version 4).
 *
 * Node keeps random bytes for 128 UUIDs in memory. Environments that are restored from one snapshot would create the same
 * UUIDs, so with `AWS_LAMBDA_INITIALIZATION_TYPE=snap-start` each id uses new random bytes.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/snapstart-uniqueness.html
 * @see https://nodejs.org/api/crypto.html#cryptorandomuuidoptions
 */
export const randomIds: IdGenerator = {
  newId() {
    fromSnapshot ??= process.env.AWS_LAMBDA_INITIALIZATION_TYPE === 'snap-start';
    // The global `crypto.randomUUID` has no options.
    return fromSnapshot ? process.getBuiltinModule('node:crypto').randomUUID(UNCACHED) : crypto.randomUUID();
  },
};

const UNCACHED = { disableEntropyCache: true };

/**
 * A random number from 0 to below 1, for waiting times and choices among equals.
 *
 * `Math.random` continues a sequence in memory: environments restored from one snapshot would all wait the same time.
 */
export function randomFraction(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn / 2 ** 32;
}
