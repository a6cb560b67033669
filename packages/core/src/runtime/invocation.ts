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

/** A kind of the fixed table, or one that a trigger extension adds. */
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
  /** The invocation's own X-Ray header or trace id, where the runtime puts it on the context. */
  readonly xRayTraceId?: string;
  /** The trace id alone, where the runtime puts it on the context. */
  readonly traceId?: string;
  /** What the caller of the `Invoke` API put beside the event, parsed from JSON; absent for every trigger of AWS. */
  readonly clientContext?: unknown;
  /** The Cognito identity of a caller that invoked through a mobile SDK. */
  readonly identity?: unknown;
  /** Milliseconds until the function times out. */
  getRemainingTimeInMillis?(): number;
}

/** One call of the function, apart from its event. */
export interface Invocation {
  /** What Lambda passed beside the event; `undefined` when nothing did. */
  readonly lambdaContext: LambdaContext | undefined;
}

/** Milliseconds that a Lambda context says are left; 0 when it does not say, or says nonsense. */
export function remainingMs(lambdaContext: LambdaContext | undefined): number {
  if (typeof lambdaContext?.getRemainingTimeInMillis !== 'function') return 0;
  const left = lambdaContext.getRemainingTimeInMillis();
  return left > 0 ? left : 0;
}

/**
 * What the Lambda context says of who called the function. `agent`: an agent gateway calls a tool, and the event is what a
 * model wrote. `direct`: somebody called the `Invoke` API by hand and says so. `provider`: nothing says otherwise. That is no
 * proof: whoever may call `lambda:InvokeFunction` can send any event without a client context, and IAM decides who may.
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

/** What a refusal names in the place of a kind. */
export const AGENT_INVOCATIONS = 'agent invocations';

/** The error for what is recognised and served by nobody. */
export function noAdapter(what: string): FrameworkError {
  return new FrameworkError('dispatch.no_adapter', `framework: no adapter for ${what}`);
}

/** The members of an event that name a run of a scheduled workload, each of any type. */
export interface ScheduledEvent {
  /** The id of the event. */
  readonly id?: unknown;
  /** What the schedule sends: an object, or JSON text of one. */
  readonly detail?: unknown;
}

/** What a run is called, and under which key it counts as one; `''` where nothing says so. */
export interface ScheduledRun {
  /** The name of the run. */
  readonly runId: string;
  /** The key under which repeated deliveries count as one run. */
  readonly idempotencyKey: string;
}

/**
 * Run id and idempotency key of a scheduled event: what its detail says, else its id, else the invocation's. The detail may
 * be JSON text, as EventBridge Scheduler sends it. Whoever names runs calls this, so that all agree.
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

/** Text without the blanks around it; anything else `''`. */
export function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** An object, or the object that a JSON text stands for; anything else is empty. */
export function objectPart(value: unknown): Readonly<Record<string, unknown>> {
  const parsed = typeof value === 'string' ? parseQuietly(value) : value;
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : NOTHING;
}

const NOTHING: Readonly<Record<string, unknown>> = /* @__PURE__ */ Object.freeze(Object.create(null));

function parseQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
