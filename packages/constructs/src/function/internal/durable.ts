import { type Grant, type IGrantable, Policy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  CfnEventInvokeConfig,
  type FunctionProps,
  type IFunction,
  type IVersion,
  type Function as LambdaFunction,
  type Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { DURABLE_ENV, setDurable } from '../../internal/durable.js';
import { misuse, misuseText } from '../../internal/misuse.js';
import { defineProps, flag, literal, literalCount, time } from '../../internal/props.js';
import { setLiveAlias } from '../../internal/targets.js';
import { acknowledgeParts, grantOnParts } from '../../internal/wildcards.js';

/** The prop `durable` of `ServiceFunction`. */
export interface DurableFunctionProps {
  /** The maximum time of one execution with all its waits, 1 s to 366 days. An event source mapping accepts at most 15 min. */
  readonly executionTimeout: Duration;
  /**
   * The time for which AWS keeps the history of an ended execution, 1 to 90 whole days.
   *
   * @default Duration.days(14)
   */
  readonly retention?: Duration;
  /**
   * True if versions of earlier deployments are kept: an execution ends on the version on which it began. Delete a version when
   * `sallyport executions` lists no running execution of it.
   *
   * @default true
   */
  readonly keepVersions?: boolean;
  /**
   * True if the function may start executions of itself: deliveries of the kind `handoff` need it.
   *
   * @default true
   */
  readonly handoff?: boolean;
  /**
   * The highest expected number of records a second of all mappings together, 1 to 1,000,000: synth warns if AWS's default quotas do not permit it.
   *
   * @default - no warning
   */
  readonly peakRecordsPerSecond?: number;
  /**
   * The number of checkpoint requests of one record, 1 to 3,000, for the same warning. A record of two steps and a wait that is alone in its
   * execution needs 4.
   *
   * @default 4
   */
  readonly checkpointsPerRecord?: number;
}

const MAX_SECONDS = 31_622_400;

/** Validators and defaults for {@link DurableFunctionProps}. @see https://docs.aws.amazon.com/lambda/latest/api/API_DurableConfig.html */
const DURABLE_PROPS = defineProps<DurableFunctionProps>('ServiceFunction')({
  executionTimeout: time(1, MAX_SECONDS).required(),
  retention: literal<Duration>('a Duration of 1 to 90 whole days', isDays).default(Duration.days(14)),
  keepVersions: flag.default(true),
  handoff: flag.default(true),
  peakRecordsPerSecond: literalCount(1, 1_000_000),
  checkpointsPerRecord: literalCount(1, 3_000).default(4),
});

function isDays(value: unknown): boolean {
  if (!(value instanceof Duration)) return false;
  const days = value.toDays({ integral: false });
  return Number.isInteger(days) && days >= 1 && days <= 90;
}

type ParsedDurable = ReturnType<typeof DURABLE_PROPS.parse>;

/** The props of a function that its durability depends on. */
interface Given {
  readonly durable?: DurableFunctionProps | undefined;
  readonly runtime: Runtime;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/**
 * The checked prop `durable`; `undefined` for a function that is not durable.
 *
 * @throws ConstructError `constructs.invalid_prop`, also for a runtime that AWS's SDK does not support
 */
export function parseDurable(at: Construct, { durable, runtime, environment = {} }: Given): ParsedDurable | undefined {
  if (durable === undefined) {
    if (DURABLE_ENV in environment) {
      throw misuse(at, {
        what: `variable ${DURABLE_ENV} without durable`,
        expected: 'the prop durable, which sets it',
      });
    }
    return undefined;
  }
  if (/^nodejs20\./.test(runtime.name)) {
    throw misuse(at, { what: 'runtime of a durable function', got: runtime.name, expected: 'Node 22 or later' });
  }
  return DURABLE_PROPS.parse(at, durable);
}

/** Settings of the function. */
export function durableSettings(
  durable: ParsedDurable | undefined,
): Pick<FunctionProps, 'durableConfig' | 'currentVersionOptions'> {
  if (!durable) return {};
  const { executionTimeout, retention, keepVersions } = durable;
  return {
    durableConfig: { executionTimeout, retentionPeriod: retention },
    ...(keepVersions && { currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN } }),
  };
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/durable-security.html */
const OF_EXECUTIONS = 'Executions of every version: the ARN of an execution extends the ARN of a version.';

/** @see https://docs.aws.amazon.com/lambda/latest/dg/durable-configuration.html */
const REPLACED =
  'a function becomes durable only when it is created: if an earlier deployment has this function without durable, CloudFormation replaces it, and callers that use its old ARN fail. Acknowledge this warning for a new function';

/**
 * Grants the function the access to its executions, and records that it is durable. The statement is in a separate policy: the function
 * waits for its default policy, which therefore cannot name it.
 */
export function makeDurable(at: Construct, fn: LambdaFunction, role: Role, durable: ParsedDurable): void {
  setDurable(fn as IFunction, durable);
  Validations.of(at).addWarning('Sallyport::DurableReplaces', REPLACED);
  fn.addEnvironment(DURABLE_ENV, '1');
  const policy = new Policy(at, 'DurablePolicy', { roles: [role] });
  const actions = ['lambda:CheckpointDurableExecution', 'lambda:GetDurableExecutionState'];
  if (durable.handoff) actions.push('lambda:InvokeFunction');
  const resources = [`${fn.functionArn}:*`];
  policy.addStatements(new PolicyStatement({ actions, resources }));
  acknowledgeParts(policy, resources, OF_EXECUTIONS);
  // An invocation of the alias finds the permission.
  fn.currentVersion.node.addDependency(policy);
  at.node.addValidation({ validate: () => destinationsOf(at, fn as IFunction) });
}

/** The alias that doors and triggers invoke: AWS rejects invocations of a durable function without a qualifier. */
export function durableAlias(at: Construct, fn: LambdaFunction): IFunction {
  const alias = new Alias(at, 'Alias', { aliasName: 'live', version: fn.currentVersion as IVersion }) as IFunction;
  setLiveAlias(fn as IFunction, alias);
  return alias;
}

/** Actions on executions, by what their caller does. @see https://docs.aws.amazon.com/lambda/latest/dg/durable-security.html */
const EXECUTION_ACTIONS = {
  start: ['lambda:GetDurableExecution'],
  complete: [
    'lambda:SendDurableExecutionCallbackSuccess',
    'lambda:SendDurableExecutionCallbackFailure',
    'lambda:SendDurableExecutionCallbackHeartbeat',
  ],
  // The history has the callback of the cancellation, and data: an answer to a callback does not need it.
  cancel: [
    'lambda:GetDurableExecution',
    'lambda:GetDurableExecutionHistory',
    'lambda:SendDurableExecutionCallbackSuccess',
  ],
  stop: ['lambda:StopDurableExecution'],
} as const;

/** Grants actions on the executions of a function. */
export function grantOnExecutions(fn: IFunction, grantee: IGrantable, to: keyof typeof EXECUTION_ACTIONS): Grant {
  return grantOnParts(grantee, EXECUTION_ACTIONS[to], [`${fn.functionArn}:*`], OF_EXECUTIONS);
}

/** AWS rejects destinations of a durable function. */
function destinationsOf(at: Construct, fn: IFunction): string[] {
  const isOfFunction = ({ functionName }: CfnEventInvokeConfig) => functionName === fn.functionName;
  return Stack.of(at)
    .node.findAll()
    .filter((one) => one instanceof CfnEventInvokeConfig)
    .filter((config) => config.destinationConfig !== undefined && isOfFunction(config))
    .map((config) =>
      misuseText(at, {
        what: `a destination for failed events, ${config.node.path}`,
        expected: 'a dead-letter queue: AWS Lambda has no destinations for durable functions',
      }),
    );
}
