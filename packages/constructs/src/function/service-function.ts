import type { OptionalPart } from '@sallyport/bundle';
import { type Grant, type IGrantable, type IPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  Architecture,
  type Code,
  type FunctionProps,
  type ICapacityProvider,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SnapStartConf,
  TenancyConfig,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { tooLarge } from '../internal/environment.js';
import { grantOn } from '../internal/grants.js';
import { count, defineProps, flag, literal, literalWords, many, thing, time } from '../internal/props.js';
import { separateDoors } from '../internal/targets.js';
import { BUNDLE_FUNCTION_PROPS, bundleFunction, factsOf } from './bundle-function.js';
import { type CanaryProps, makeCanary } from './canary.js';
import { FUNCTION_RESOURCE_KINDS, type FunctionResourceProps } from './function-resources.js';
import { acknowledgeFunction } from './internal/acknowledge-function.js';
import { bundleProps, checkHandler, checkVariables, loadingProps, noteBundle } from './internal/code-checks.js';
import { checkCombination, MANAGED_MEMORY, useComputeProvider } from './internal/combinations.js';
import {
  type DurableFunctionProps,
  durableAlias,
  durableSettings,
  grantOnExecutions,
  makeDurable,
  parseDurable,
} from './internal/durable.js';
import { checkSources } from './internal/foreign-sources.js';
import { checkProvisioned, provision } from './internal/provisioned.js';
import {
  checkLayers,
  checkPlace,
  grantNetworkInterfaces,
  grantResources,
  networkOf,
  resourceVariables,
} from './internal/resource-access.js';
import { startCacheOf, warnOfProvisioned } from './internal/start-cache.js';

/** Props of {@link ServiceFunction}. Exactly one of `entry` and `code` is required. */
export interface ServiceFunctionProps extends FunctionResourceProps {
  /**
   * The file that exports the handler. It is bundled with esbuild, see {@link bundleFunction}.
   *
   * @default - `code`
   */
  readonly entry?: string;
  /**
   * Code that is already bundled.
   *
   * @default - the bundle of `entry`
   */
  readonly code?: Code;
  /**
   * File and export of the handler.
   *
   * @default 'index.handler'
   */
  readonly handler?: string;
  /**
   * The runtime: Node 20 or later.
   *
   * @default Runtime.NODEJS_24_X
   */
  readonly runtime?: Runtime;
  /**
   * The instruction set.
   *
   * @default Architecture.ARM_64
   */
  readonly architecture?: Architecture;
  /**
   * Memory in MB, 128 to 10,240. With `computeProvider` at least 2,048.
   *
   * @default - 256; 2,048 with `computeProvider`
   */
  readonly memorySize?: number;
  /**
   * The maximum time of one invocation, 1 s to 15 min.
   *
   * @default Duration.seconds(10)
   */
  readonly timeout?: Duration;
  /**
   * The X-Ray tracing mode.
   *
   * @default Tracing.ACTIVE
   */
  readonly tracing?: Tracing;
  /**
   * The retention of log lines.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * The removal policy of the log group.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly logRemovalPolicy?: RemovalPolicy;
  /**
   * Variables. A name that marks its value as a secret (`…_SECRET`, `…_TOKEN`, `…_PASSWORD`, `…_KEY`) must not have a literal
   * value.
   *
   * @default - only `NODE_OPTIONS`
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Names of `environment` that look like secrets and are not, such as `PARTITION_KEY`.
   *
   * @default - none
   */
  readonly notSecret?: readonly string[];
  /**
   * Packages of `entry` that are not bundled: they must be in a layer.
   *
   * @default - everything is bundled, the AWS SDK too
   */
  readonly external?: readonly string[];
  /**
   * Export conditions of packages, for the bundle of `entry`.
   *
   * @default - esbuild's conditions
   */
  readonly conditions?: readonly string[];
  /**
   * True if code of `entry` that is loaded on first use is in separate files. See {@link bundleFunction}.
   *
   * @default true
   */
  readonly splitting?: boolean;
  /**
   * False removes the source maps from the asset of `entry`, which is then about 40% as large. Stacks in logs have places in the bundle.
   *
   * @default true
   */
  readonly sourceMaps?: boolean;
  /**
   * The number of environments that are reserved for this function, which is also its maximum; 0 stops it.
   *
   * @default - the account's concurrency
   */
  readonly reservedConcurrency?: number;
  /**
   * True if AWS Lambda isolates the execution environments of tenants. Every invocation must name its tenant; API Gateway is the only
   * event source that can do that.
   *
   * @default false
   */
  readonly tenantIsolation?: boolean;
  /**
   * True if published versions start from a snapshot. AWS rejects it for runtimes without SnapStart, with tenant isolation and on
   * Managed Instances.
   *
   * @default false
   */
  readonly snapStart?: boolean;
  /**
   * The capacity provider on whose instances the function runs (Lambda Managed Instances). One environment then serves many
   * concurrent invocations.
   *
   * @default - AWS Lambda's own capacity
   */
  readonly computeProvider?: ICapacityProvider;
  /**
   * The number of concurrent invocations in one environment of `computeProvider`, 1 to 1,600.
   *
   * @default - AWS Lambda's default
   */
  readonly computeConcurrency?: number;
  /**
   * True if front doors and events invoke the function through two aliases, `doors` and `events`. The application then rejects a request that
   * arrived through any other alias than `doors`, so a service that passes a payload unchanged (an IoT rule, a pipe, a schedule, a state machine)
   * cannot forge a request. Doors and triggers of this package find their alias; pass {@link ServiceFunction.doors} or
   * {@link ServiceFunction.events} to other constructs. A function URL gets another address.
   *
   * @default false
   * @see docs/security.md, "A payload as an event"
   */
  readonly separateDoors?: boolean;
  /**
   * True to deploy a start cache with the bundle of `entry`: compiled code that makes the first answer of a new environment faster. The cache is made with
   * AWS's image, which needs a container tool, for this runtime, architecture and memory; if it cannot be made, a warning has the reason. Managed
   * Instances, snapshots and provisioned concurrency gain nothing.
   *
   * @default false
   * @see docs/deployment.md, "Start cache"
   */
  readonly startCache?: boolean;
  /**
   * Parts of the framework that are not in the bundle of `entry`. By default the application is loaded, without credentials and network, and what it does
   * not register is left out, if its handler is of `createApp` or `SecureApp`. The use of a part that is left out is an error at the start of
   * the function. `[]` keeps everything; name front doors that no stack attaches and tools to leave them out too.
   *
   * @default ['unused']
   * @see docs/deployment.md, "Parts left out"
   */
  readonly leaveOut?: readonly (OptionalPart | 'unused')[];
  /**
   * Makes the function durable, for the handlers of `durable` of `@sallyport/durable`: doors and triggers invoke its alias `live`, the role gets access to its
   * executions, and asynchronous failures are sent to a dead-letter queue. CloudFormation replaces a function that becomes durable.
   *
   * @default - not durable
   * @see docs/durable.md
   */
  readonly durable?: DurableFunctionProps;
  /**
   * False leaves out the code for developers: `explain`, the nearest row in the log line of an unknown event, and OpenAPI documents.
   *
   * @default true
   */
  readonly tools?: boolean;
}

/** Validators and defaults for {@link ServiceFunctionProps}. */
export const SERVICE_FUNCTION_PROPS = defineProps<ServiceFunctionProps>('ServiceFunction')({
  entry: literalWords('the path of a file'),
  code: thing<Code>('a Code', 'bind'),
  handler: literalWords('<file>.<export>', /^[\w./-]+\.[\w$]+$/).default('index.handler'),
  runtime: thing<Runtime>('a Runtime', 'name').default(Runtime.NODEJS_24_X),
  architecture: thing<Architecture>('an Architecture', 'dockerPlatform').default(Architecture.ARM_64),
  memorySize: count(128, 10_240),
  timeout: time(1, 900).default(Duration.seconds(10)),
  tracing: literal<Tracing>('a Tracing', (value) => Object.values<unknown>(Tracing).includes(value)).default(
    Tracing.ACTIVE,
  ),
  logRetention: literal<RetentionDays>('a RetentionDays', (value) => typeof value === 'number').default(
    RetentionDays.ONE_MONTH,
  ),
  logRemovalPolicy: literal<RemovalPolicy>('a RemovalPolicy', (value) => typeof value === 'string').default(
    RemovalPolicy.RETAIN,
  ),
  environment: BUNDLE_FUNCTION_PROPS.kinds.environment,
  notSecret: many<string>('a list of names', (name) => typeof name === 'string').default([]),
  external: many<string>('a list of package names', (name) => typeof name === 'string'),
  conditions: many<string>('a list of export conditions', (name) => typeof name === 'string'),
  splitting: flag,
  sourceMaps: flag,
  reservedConcurrency: count(0, 1_000_000),
  tenantIsolation: flag.default(false),
  snapStart: flag.default(false),
  computeProvider: thing<ICapacityProvider>('a capacity provider', 'capacityProviderArn'),
  computeConcurrency: count(1, 1600),
  separateDoors: flag.default(false),
  startCache: flag.default(false),
  leaveOut: BUNDLE_FUNCTION_PROPS.kinds.leaveOut.default(['unused']),
  durable: thing<DurableFunctionProps>('{ executionTimeout, retention }', 'executionTimeout'),
  tools: flag.default(true),
  ...FUNCTION_RESOURCE_KINDS,
});

type Parsed = ReturnType<typeof SERVICE_FUNCTION_PROPS.parse>;

/**
 * Bundles an entry file and creates a Lambda function with its role and log group. Defaults: Node 24, arm64, a timeout of 10 s. The role
 * may only write to its log group and to X-Ray; constructs such as tables and queues add their permissions.
 *
 * @example
 * const { fn } = new ServiceFunction(this, 'Api', { entry: 'src/lambda.ts', timeout: Duration.seconds(20) });
 */
export class ServiceFunction extends Construct implements IGrantable {
  /** The function. Pass it to triggers, grants and {@link ServiceWiring}. */
  readonly fn: LambdaFunction;
  /** The target of front doors: the alias `doors` with `separateDoors`, the alias `live` with `provisionedConcurrency` or `durable`, else the function. */
  readonly doors: IFunction;
  /** The target of triggers and all other services: the alias `events` with `separateDoors`, the alias `live` with `provisionedConcurrency` or `durable`, else the function. */
  readonly events: IFunction;
  /** Its role. */
  readonly role: Role;
  /** Its log group. The name is generated. */
  readonly logGroup: LogGroup;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop or props that AWS rejects together,
   *   `constructs.reserved_variable`, `constructs.bundling_failed`
   */
  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const parsed = SERVICE_FUNCTION_PROPS.parse(this, props);
    checkCombination(this, parsed);
    checkProvisioned(this, parsed);
    checkLayers(this, parsed.layers ?? [], parsed.runtime);
    checkHandler(this, parsed);
    checkVariables(this, parsed);
    const durable = parseDurable(this, parsed);
    this.logGroup = new LogGroup(this, 'LogGroup', {
      retention: parsed.logRetention,
      removalPolicy: parsed.logRemovalPolicy,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    grantOn(this.role, ['logs:CreateLogStream', 'logs:PutLogEvents'], [this.logGroup.logGroupArn]);
    const settings = { ...this.#settings(parsed), ...durableSettings(durable) };
    grantResources(this.role, parsed);
    if (parsed.vpc) grantNetworkInterfaces(this, this.role);
    this.fn = new LambdaFunction(this, 'Resource', {
      ...settings,
      role: this.role,
      logGroup: this.logGroup,
    });
    noteBundle(this, parsed, this.fn as IFunction, factsOf(settings.code));
    if (parsed.startCache) warnOfProvisioned(this);
    useComputeProvider(this.fn, parsed);
    this.node.addValidation({ validate: () => tooLarge(this, this.fn) });
    if (durable) makeDurable(this, this.fn, this.role, durable);
    const aliases = parsed.separateDoors ? separateDoors(this, this.fn) : undefined;
    const provisioned = provision(this, this.fn, aliases?.doors as Alias | undefined, parsed) as IFunction | undefined;
    const invoked = provisioned ?? (durable && !aliases ? durableAlias(this, this.fn) : (this.fn as IFunction));
    this.doors = aliases?.doors ?? invoked;
    this.events = aliases?.events ?? invoked;
    if (aliases) this.node.addValidation({ validate: () => checkSources(this, aliases.doors) });
    acknowledgeFunction(this.fn, this.role, parsed.tracing);
  }

  /** The principal that permissions are granted to. */
  get grantPrincipal(): IPrincipal {
    return this.fn.grantPrincipal;
  }

  /**
   * Creates an alias that moves to each new version step by step, and back when an alarm goes off. Pass the alias to triggers and doors: callers
   * of the function itself get every new version immediately. Pass the function, not the alias, to constructs that set variables:
   * `bindTo(service.fn)`, stream triggers, {@link ServiceWiring}.
   *
   * A function with `separateDoors` already has its two aliases. Both move, and the function is returned: doors and triggers of this
   * package find their alias.
   *
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop and no alarm, `constructs.conflict` for a second canary
   * @see https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-configurations.html
   * @example
   * const live = service.addCanary({ alarms: new ServiceAlarms(this, 'Alarms', { fn: service.fn, actionTopic }).alarms });
   * new QueueTrigger(this, 'OrdersTrigger', { fn: live, queue });
   */
  addCanary(props: CanaryProps): IFunction {
    return makeCanary(this, this.fn, props);
  }

  /** Grants the answers to callbacks of this durable function: `completeCallback`, `failCallback`, `heartbeatCallback`. */
  grantComplete(grantee: IGrantable): Grant {
    return grantOnExecutions(this.fn as IFunction, grantee, 'complete');
  }

  /**
   * Grants the cancellation of executions of this durable function: `cancelExecution`. The grantee can read the history of each execution,
   * which has its input, results and callback ids.
   */
  grantCancel(grantee: IGrantable): Grant {
    return grantOnExecutions(this.fn as IFunction, grantee, 'cancel');
  }

  /** Grants the stop of executions of this durable function: `stopExecution`. */
  grantStop(grantee: IGrantable): Grant {
    return grantOnExecutions(this.fn as IFunction, grantee, 'stop');
  }

  /** Grants the start of executions of this durable function: `startExecution`. */
  grantStart(grantee: IGrantable): Grant {
    grantOn(grantee, ['lambda:InvokeFunction'], [this.events.functionArn]);
    return grantOnExecutions(this.fn as IFunction, grantee, 'start');
  }

  #settings(parsed: Parsed): FunctionProps {
    const { handler, runtime, architecture, timeout, tracing, environment, reservedConcurrency } = parsed;
    const target = runtime.name.replace(/^nodejs(\d+)\.x$/, 'node$1');
    const memorySize = parsed.memorySize ?? (parsed.computeProvider ? MANAGED_MEMORY : 256);
    const startCache = parsed.startCache && startCacheOf(this, { ...parsed, memorySize });
    const { entry = '', leaveOut, tools, environmentKey } = parsed;
    if (environmentKey) checkPlace(this, 'environmentKey', environmentKey, 'a key in the region of the function');
    const bundled = { entry, target, startCache, leaveOut, tools, ...loadingProps(parsed), ...bundleProps(parsed) };
    return {
      code: parsed.code ?? bundleFunction(this, bundled),
      handler,
      runtime,
      architecture,
      timeout,
      tracing,
      memorySize,
      environment: { ...environment, ...resourceVariables(this, parsed) },
      ...networkOf(this, parsed),
      ...(parsed.layers && { layers: [...parsed.layers] }),
      ...(parsed.ephemeralStorage && { ephemeralStorageSize: parsed.ephemeralStorage }),
      ...(environmentKey && { environmentEncryption: environmentKey }),
      ...(parsed.description !== undefined && { description: parsed.description }),
      loggingFormat: LoggingFormat.JSON,
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
      ...(parsed.tenantIsolation && { tenancyConfig: TenancyConfig.PER_TENANT }),
      ...(parsed.snapStart && { snapStart: SnapStartConf.ON_PUBLISHED_VERSIONS }),
    };
  }
}
