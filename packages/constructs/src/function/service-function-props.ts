import type { OptionalPart } from '@sallyport/bundle';
import { Architecture, type Code, type ICapacityProvider, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { count, defineProps, flag, literal, literalWords, many, thing, time } from '../internal/props.js';
import { BUNDLE_FUNCTION_PROPS } from './bundle-function.js';
import { FUNCTION_RESOURCE_KINDS, type FunctionResourceProps } from './function-resources.js';
import type { DurableFunctionProps } from './internal/durable.js';

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
