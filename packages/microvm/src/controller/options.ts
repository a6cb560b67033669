import { type Clock, type Environment, type IdGenerator, randomIds } from '@sallyport/core';
import { isPlainObject, LAMBDA_MAX_TIMEOUT_MS } from '@sallyport/core/internal';
import {
  boolean,
  defineOptions,
  func,
  group,
  integer,
  kind,
  list,
  type OptionKinds,
  object,
  oneOf,
  withMethods,
} from '@sallyport/core/options';
import { controllerIncomplete } from '../errors.js';
import type { MicrovmLifecycleHook } from '../lifecycle/events.js';
import type { MicrovmProvider, PortScope } from '../provider/provider.js';
import type { IdlePolicy, MicrovmLogging, MicrovmRegistry } from '../registry/registry.js';
import {
  MICROVM_EGRESS_NETWORK_CONNECTOR_REFS_ENV,
  MICROVM_EXECUTION_ROLE_ARN_ENV,
  MICROVM_IMAGE_IS_ONLY_OURS_ENV,
  MICROVM_IMAGE_REF_ENV,
  MICROVM_INGRESS_NETWORK_CONNECTOR_REFS_ENV,
  MICROVM_LOGGING_ENV,
} from '../schema.js';

/** An image that may run. */
export interface MicrovmImage {
  /** Its ARN. */
  readonly ref: string;
  /** Its version. Default: the version in the caller's request, else the latest active version. */
  readonly version?: string;
}

/** Ids and metadata of a new session, for the payload of its `run` hook. */
export interface NewMicrovmSession {
  /** The request that ran it. */
  readonly requestId: string;
  /** Its tenant. */
  readonly tenantId: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its id. */
  readonly sessionId: string;
  /** The caller's metadata. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Options for requests to the programs in machines. */
export interface InvokeOptions {
  /** Allowed ports; the first is the default. Default `[8080]`. */
  readonly ports?: readonly (number | { readonly start: number; readonly end: number })[];
  /** Port of the lifecycle hooks; no request and no token reaches it. Default 9000. */
  readonly hookPort?: number;
  /** `drop`: removes cookies in both directions. `scoped`: cookies are valid for one session. Default `drop`. */
  readonly cookies?: 'drop' | 'scoped';
  /** True if the program receives tenant, namespace and caller, percent-encoded, as `x-framework-tenant-id`, `-namespace` and `-subject`. Default `false`. */
  readonly identityHeaders?: boolean;
  /** Timeout for the connection in milliseconds. Default 3,000. */
  readonly connectTimeoutMs?: number;
  /** Timeout for the first byte of the response in milliseconds. Default 25,000. */
  readonly firstByteTimeoutMs?: number;
  /** Timeout between two chunks of the response in milliseconds. Default 30,000. */
  readonly idleTimeoutMs?: number;
}

/** Options of `createMicrovmController`. */
export interface MicrovmControllerOptions {
  /** Runs the machines: `createAwsMicrovmProvider()`. */
  readonly provider: MicrovmProvider;
  /** Stores the sessions: `createDynamoMicrovmRegistry()`. */
  readonly registry: MicrovmRegistry;
  /** Allowed images; the first is the default. Default: the variable `FRAMEWORK_MICROVM_IMAGE_REF`. */
  readonly images?: readonly MicrovmImage[];
  /** ARNs of at most 10 ingress connectors. Default: the variable `FRAMEWORK_MICROVM_INGRESS_NETWORK_CONNECTOR_REFS`, else none. */
  readonly ingressConnectors?: readonly string[];
  /** ARNs of at most 10 egress connectors. Default: the variable `FRAMEWORK_MICROVM_EGRESS_NETWORK_CONNECTOR_REFS`, else none. */
  readonly egressConnectors?: readonly string[];
  /** The role of the machines. Default: the variable `FRAMEWORK_MICROVM_EXECUTION_ROLE_ARN`, else none. */
  readonly executionRoleArn?: string;
  /** Log destination of machines; CloudWatch requires a role. Default: the variable `FRAMEWORK_MICROVM_LOGGING`, else no logs. */
  readonly logging?: MicrovmLogging;
  /** Lifetime of a machine in seconds: `default` unless the request sets it, and `max` as the limit. Default `{ default: 3600, max: 28800 }`. */
  readonly maximumDurationSeconds?: { readonly default?: number; readonly max?: number };
  /** Idle time before a machine is suspended. Default: suspended after 900 seconds, resumed by requests, terminated after 1,800 seconds suspended. */
  readonly idlePolicy?: IdlePolicy;
  /** Visibility of a session: the `tenant` and namespace, or only the `subject` that started it. Default `tenant`. */
  readonly ownership?: 'tenant' | 'subject';
  /** Creates the payload of a machine's `run` hook, at most 16,384 bytes. Default: JSON of its ids. The payload is stored until the machine's id is stored. A payload with a credential is not stored, but created again if the start is repeated. */
  readonly runHookPayload?: (session: NewMicrovmSession) => string;
  /** Options for requests to the programs in machines. */
  readonly invoke?: InvokeOptions;
  /** Allowed suffixes of the service's host names. Default `.on.aws`, `.amazonaws.com`, `.amazonaws.com.cn`. */
  readonly endpointHostSuffixes?: readonly string[];
  /** Receives every lifecycle event. Its errors are ignored. */
  readonly onLifecycleEvent?: MicrovmLifecycleHook;
  /** Returns the time and sets timers. Default: the system's clock. */
  readonly clock?: Clock;
  /** Creates session and reservation ids. Default: random UUIDs. */
  readonly ids?: IdGenerator;
  /** Environment variables. Default `process.env`. */
  readonly environment?: Environment;
}

/** The service's limits. https://docs.aws.amazon.com/lambda/latest/microvm-api/API_RunMicrovm.html */
export const LIMITS = {
  durationSeconds: 28_800,
  leastIdleSeconds: 60,
  connectors: 10,
  payloadBytes: 16_384,
  microvmIdLength: 256,
  port: 65_535,
} as const;

const ARN = /^arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:[\w-]*:.{1,1800}$/;
const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
const VERSION = /^[\w.-]{1,64}$/;
const LOG_GROUP = /^[a-zA-Z0-9_\-/.#]{1,512}$/;
const LOG_STREAM = /^[^:*]{1,512}$/;
const SUFFIX = /^\.[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

const matches = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);

/** A port from 1 to 65,535. */
export function isPort(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LIMITS.port;
}

function isPortEntry(value: unknown): boolean {
  if (!isPlainObject(value)) return isPort(value);
  const { start, end, ...others } = value;
  return isPort(start) && isPort(end) && start <= end && Object.keys(others).length === 0;
}

/** True if a value is one of the two log destinations, complete and without other members. */
function isLogging(value: unknown): value is MicrovmLogging {
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return false;
  const { disabled, cloudWatch } = value;
  if (cloudWatch === undefined) return isPlainObject(disabled) && Object.keys(disabled).length === 0;
  if (!isPlainObject(cloudWatch)) return false;
  const { logGroup, logStream, ...others } = cloudWatch;
  const isGroup = logGroup === undefined || matches(LOG_GROUP)(logGroup);
  return isGroup && (logStream === undefined || matches(LOG_STREAM)(logStream)) && Object.keys(others).length === 0;
}

const arns = (what: string) => {
  const isList = (value: unknown) =>
    Array.isArray(value) &&
    value.length <= LIMITS.connectors &&
    value.every(matches(ARN)) &&
    new Set(value).size === value.length;
  return kind<readonly string[]>(`a list of at most ${LIMITS.connectors} different ARNs of ${what}`, isList);
};

/** Validators and defaults for {@link InvokeOptions}. */
export const INVOKE_KINDS = {
  ports: list<NonNullable<InvokeOptions['ports']>[number]>(
    kind('a port, or { start, end }', isPortEntry),
    'a list of ports and ranges of ports',
  ),
  hookPort: kind<number>('a port', isPort),
  cookies: oneOf('drop', 'scoped'),
  identityHeaders: boolean,
  connectTimeoutMs: integer(1, 60_000, 'milliseconds'),
  firstByteTimeoutMs: integer(1, LAMBDA_MAX_TIMEOUT_MS, 'milliseconds'),
  idleTimeoutMs: integer(1, LAMBDA_MAX_TIMEOUT_MS, 'milliseconds'),
} satisfies OptionKinds<InvokeOptions>;

/** Validators and defaults for {@link MicrovmControllerOptions}. */
export const CONTROLLER_OPTIONS = defineOptions<MicrovmControllerOptions>()(
  {
    provider: withMethods<MicrovmProvider>(
      'run',
      'get',
      'list',
      'suspend',
      'resume',
      'terminate',
      'authToken',
      'shellAuthToken',
    ).required(),
    registry: withMethods<MicrovmRegistry>('get', 'reserve', 'confirm', 'change', 'list').required(),
    images: list<MicrovmImage>(
      group<MicrovmImage>()({
        ref: kind<string>('the ARN of an image', matches(ARN)).required(),
        version: kind<string>('a version of an image', matches(VERSION)),
      }),
    ),
    ingressConnectors: arns('ingress connectors'),
    egressConnectors: arns('egress connectors'),
    executionRoleArn: kind<string>('the ARN of a role', matches(ROLE_ARN)),
    logging: kind<MicrovmLogging>('{ disabled: {} } or { cloudWatch: { logGroup, logStream } }', isLogging),
    maximumDurationSeconds: group<{ readonly default?: number; readonly max?: number }>()({
      default: integer(1, LIMITS.durationSeconds, 'seconds'),
      max: integer(1, LIMITS.durationSeconds, 'seconds').default(LIMITS.durationSeconds),
    }).default({}),
    idlePolicy: group<IdlePolicy>()({
      autoResumeEnabled: boolean.required(),
      maxIdleDurationSeconds: integer(LIMITS.leastIdleSeconds, LIMITS.durationSeconds, 'seconds').required(),
      suspendedDurationSeconds: integer(0, LIMITS.durationSeconds, 'seconds').required(),
    }).default({ autoResumeEnabled: true, maxIdleDurationSeconds: 900, suspendedDurationSeconds: 1800 }),
    ownership: oneOf('tenant', 'subject').default('tenant'),
    runHookPayload: func<NonNullable<MicrovmControllerOptions['runHookPayload']>>(),
    invoke: group<InvokeOptions>()(INVOKE_KINDS).default({}),
    endpointHostSuffixes: list<string>(kind('the end of a host name, such as ".on.aws"', matches(SUFFIX))).default([
      '.on.aws',
      '.amazonaws.com',
      '.amazonaws.com.cn',
    ]),
    onLifecycleEvent: func<MicrovmLifecycleHook>(),
    clock: withMethods<Clock>('now'),
    ids: withMethods<IdGenerator>('newId').default(randomIds),
    environment: object<Environment>(),
  },
  { fail: controllerIncomplete },
);

/** Validated settings of a controller, from options, variables and defaults. */
export interface Settings {
  readonly images: readonly MicrovmImage[];
  readonly ingressConnectors: readonly string[] | undefined;
  readonly egressConnectors: readonly string[] | undefined;
  readonly executionRoleArn: string | undefined;
  readonly logging: MicrovmLogging;
  readonly duration: { readonly default: number; readonly max: number };
  readonly idlePolicy: IdlePolicy;
  readonly ownership: 'tenant' | 'subject';
  readonly runHookPayload: (session: NewMicrovmSession) => string;
  readonly invoke: {
    readonly ports: readonly PortScope[];
    readonly hookPort: number;
    readonly cookies: 'drop' | 'scoped';
    readonly identityHeaders: boolean;
    readonly connectMs: number;
    readonly firstByteMs: number;
    readonly idleMs: number;
  };
  readonly endpointHostSuffixes: readonly string[];
  readonly onLifecycleEvent: MicrovmLifecycleHook | undefined;
  /** The default of the option of `sweep`. */
  readonly imageIsOnlyOurs: boolean;
}

const DEFAULT_DURATION_SECONDS = 3600;

/** Validates the options; variables replace omitted options. */
export function parseControllerOptions(options: MicrovmControllerOptions) {
  const given = CONTROLLER_OPTIONS.parse(options);
  const environment = given.environment ?? process.env;
  const read = CONTROLLER_OPTIONS.parse({ ...readVariables(environment), ...definedOnly(options) });
  const { images = [], logging = { disabled: {} }, executionRoleArn } = read;
  const duration: NonNullable<MicrovmControllerOptions['maximumDurationSeconds']> = read.maximumDurationSeconds;
  if (images.length === 0) {
    throw controllerIncomplete(`option "images" or the variable ${MICROVM_IMAGE_REF_ENV} must name an image`);
  }
  if ('cloudWatch' in logging && executionRoleArn === undefined) {
    throw controllerIncomplete('option "executionRoleArn" is required for logging to CloudWatch');
  }
  const { max = LIMITS.durationSeconds } = duration;
  const settings: Settings = {
    images,
    ingressConnectors: read.ingressConnectors,
    egressConnectors: read.egressConnectors,
    executionRoleArn,
    logging,
    duration: { default: duration.default ?? Math.min(DEFAULT_DURATION_SECONDS, max), max },
    idlePolicy: { ...read.idlePolicy },
    ownership: read.ownership,
    runHookPayload: read.runHookPayload ?? defaultPayload,
    invoke: parseInvoke(read.invoke),
    endpointHostSuffixes: read.endpointHostSuffixes,
    onLifecycleEvent: read.onLifecycleEvent,
    imageIsOnlyOurs: parseFlag(MICROVM_IMAGE_IS_ONLY_OURS_ENV, environment),
  };
  if (settings.duration.default > max) {
    throw controllerIncomplete('option "maximumDurationSeconds.default" must not be greater than its "max"');
  }
  return { ...read, settings };
}

function parseInvoke(invoke: InvokeOptions): Settings['invoke'] {
  const { ports = [8080], hookPort = 9000, cookies = 'drop', identityHeaders = false } = invoke;
  const scopes = ports.map((entry) => (typeof entry === 'number' ? { port: entry } : entry));
  if (scopes.length === 0) throw controllerIncomplete('option "invoke.ports" must name a port');
  if (scopes.some((scope) => includesPort(scope, hookPort))) {
    throw controllerIncomplete('option "invoke.ports" must not contain the hook port');
  }
  const { connectTimeoutMs = 3000, firstByteTimeoutMs = 25_000, idleTimeoutMs = 30_000 } = invoke;
  const times = { connectMs: connectTimeoutMs, firstByteMs: firstByteTimeoutMs, idleMs: idleTimeoutMs };
  return { ports: scopes, hookPort, cookies, identityHeaders, ...times };
}

/** True if a scope includes a port. */
export function includesPort(scope: PortScope, port: number): boolean {
  return 'port' in scope ? scope.port === port : scope.start <= port && port <= scope.end;
}

function defaultPayload({ requestId, tenantId, namespace, sessionId }: NewMicrovmSession): string {
  return JSON.stringify({ request_id: requestId, tenant_id: tenantId, namespace, session_id: sessionId });
}

function definedOnly<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function readVariables(environment: Environment): object {
  const textOf = (name: string) => environment[name]?.trim() || undefined;
  const listOf = (name: string) =>
    textOf(name)
      ?.split(',')
      .map((part) => part.trim());
  const images = listOf(MICROVM_IMAGE_REF_ENV)?.map(parseImage);
  const logging = textOf(MICROVM_LOGGING_ENV);
  return definedOnly({
    images,
    ingressConnectors: listOf(MICROVM_INGRESS_NETWORK_CONNECTOR_REFS_ENV),
    egressConnectors: listOf(MICROVM_EGRESS_NETWORK_CONNECTOR_REFS_ENV),
    executionRoleArn: textOf(MICROVM_EXECUTION_ROLE_ARN_ENV),
    logging: logging === undefined ? undefined : parseLogging(logging),
  });
}

function parseFlag(name: string, environment: Environment): boolean {
  const value = environment[name]?.trim() || 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw controllerIncomplete(`the variable ${name} must be true or false`);
}

function parseImage(reference: string): MicrovmImage {
  const at = reference.lastIndexOf('@');
  return at < 0 ? { ref: reference } : { ref: reference.slice(0, at), version: reference.slice(at + 1) };
}

function parseLogging(json: string): MicrovmLogging {
  try {
    return JSON.parse(json) as MicrovmLogging;
  } catch (cause) {
    throw controllerIncomplete(`the variable ${MICROVM_LOGGING_ENV} must be JSON`, cause);
  }
}
