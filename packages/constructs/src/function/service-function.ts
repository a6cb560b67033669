import { type Grant, type IGrantable, type IPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  type FunctionProps,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  SnapStartConf,
  TenancyConfig,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { tooLarge } from '../internal/environment.js';
import { grantOn } from '../internal/grants.js';
import { separateDoors } from '../internal/targets.js';
import { bundleFunction, factsOf } from './bundle-function.js';
import { type CanaryProps, makeCanary } from './canary.js';
import { acknowledgeFunction } from './internal/acknowledge-function.js';
import { bundleProps, checkHandler, checkVariables, loadingProps, noteBundle } from './internal/code-checks.js';
import { checkCombination, MANAGED_MEMORY, useComputeProvider } from './internal/combinations.js';
import { durableAlias, durableSettings, grantOnExecutions, makeDurable, parseDurable } from './internal/durable.js';
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
import { SERVICE_FUNCTION_PROPS, type ServiceFunctionProps } from './service-function-props.js';

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
