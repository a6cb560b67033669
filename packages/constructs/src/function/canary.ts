import { Alarm, type CfnAlarm, ComparisonOperator, type IAlarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  Function as Hook,
  type IFunction,
  type IVersion,
  type Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { grantOn } from '../internal/grants.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, literal, literalWords, many, thing } from '../internal/props.js';
import { doorAliasesOf } from '../internal/targets.js';
import type { Inventory } from '../wiring/inventory.js';
import { failureMetrics } from './internal/failure-metrics.js';
import { SMOKE_HANDLER } from './internal/smoke-handler.js';
import { FAILED_RECORDS, REQUEST_ERROR_RATE } from './service-alarms.js';

/** Props of {@link ServiceFunction.addCanary}. */
export interface CanaryProps {
  /**
   * Alarms that roll a deployment back to the previous version. Without `inventory`, at least one of them must see failed requests or records: alarms of Lambda
   * and of queues alone are rejected, because they do not go off when a handler answers 500 to every request.
   */
  readonly alarms: readonly IAlarm[];
  /**
   * The registrations of the application: two further alarms compare the failed requests and records of the new version alone. The application must write
   * metrics, `createEmfSink()`.
   *
   * @default - only `alarms`
   */
  readonly inventory?: Inventory;
  /**
   * Events that are sent to a new version before it gets traffic, by a name for the log; the builders of `@sallyport/testkit` create them. A version that
   * fails, answers 500 or more, or reports a record gets no traffic. Only events that are safe to handle again, such as `GET /health`. Not with
   * `separateDoors`, where requests must arrive through an alias. At most 3,000 bytes as JSON.
   *
   * @default - none
   */
  readonly smoke?: Readonly<Record<string, unknown>>;
  /**
   * The way in which invocations move to the new version.
   *
   * @default LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES
   */
  readonly deploymentConfig?: ILambdaDeploymentConfig;
  /**
   * The name of the alias. Not with `separateDoors`, whose aliases have their names.
   *
   * @default 'live'
   */
  readonly aliasName?: string;
}

/** Validators and defaults for {@link CanaryProps}. */
export const CANARY_PROPS = defineProps<CanaryProps>('ServiceFunction')({
  alarms: many<IAlarm>(
    'a list of alarms',
    (one) => typeof one === 'object' && one !== null && 'alarmArn' in one,
  ).required(),
  inventory: literal<Inventory>('an inventory', (value) => typeof value === 'object' && value !== null),
  smoke: literal<Readonly<Record<string, unknown>>>(
    'an object of events by their names',
    (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
  ),
  deploymentConfig: thing<ILambdaDeploymentConfig>('a LambdaDeploymentConfig', 'deploymentConfigName').default(
    LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  ),
  aliasName: literalWords('1 to 128 letters, digits, - and _, not only digits', /^(?!\d+$)[\w-]{1,128}$/),
});

/**
 * Creates the alias of a function and the deployment group that moves it; a function with separate doors gets one group for each alias. The CodeDeploy role
 * may read these alarms and move this alias; AWS's managed policy would allow all aliases and alarms of the account.
 *
 * @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSCodeDeployRoleForLambdaLimited.html
 */
export function makeCanary(at: Construct, fn: LambdaFunction, props: CanaryProps): IFunction {
  const { alarms: given, inventory, smoke, deploymentConfig, aliasName } = CANARY_PROPS.parse(at, props);
  if (given.length === 0 && !inventory) {
    throw misuse(at, {
      what: 'alarms',
      got: given,
      expected: 'at least one alarm: only an alarm rolls back a bad deployment',
    });
  }
  if (at.node.tryFindChild('DeploymentRole')) {
    throw misuse(at, { what: 'a second canary', expected: 'one for each function', code: 'constructs.conflict' });
  }
  if (!inventory && given.every(isBlind)) {
    throw misuse(at, {
      what: 'alarms that see no failed request and no failed record: Lambda counts an answer 500 as a success',
      expected: 'the prop inventory, or an alarm on RequestErrors, BatchFailures, the 5xx of a door or your own metric',
    });
  }
  const alarms = [...given, ...(inventory ? versionAlarms(at, fn, inventory) : [])];
  const separate = doorAliasesOf(fn as IFunction);
  if (separate && aliasName !== undefined) {
    throw misuse(at, { what: 'aliasName with separateDoors', expected: 'none: the aliases are "doors" and "events"' });
  }
  if (separate && smoke) {
    throw misuse(at, {
      what: 'smoke with separateDoors',
      expected: 'no smoke: the application rejects requests that arrive without the alias',
    });
  }
  const own = () => ownAlias(at, fn, aliasName);
  const aliases = separate ? [separate.doors as Alias, separate.events as Alias] : [own()];
  const role = new Role(at, 'DeploymentRole', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  grantOn(role, ['lambda:GetAlias', 'lambda:UpdateAlias'], [fn.functionArn]);
  grantOn(
    role,
    ['lambda:GetProvisionedConcurrencyConfig'],
    aliases.map(({ functionArn }) => functionArn),
  );
  grantOn(
    role,
    ['cloudwatch:DescribeAlarms'],
    alarms.map(({ alarmArn }) => alarmArn),
  );
  const smokeTest = smoke && makeSmokeTest(at, fn, role, smoke);
  const application = new LambdaApplication(at, 'Application');
  for (const alias of aliases) {
    const group = new LambdaDeploymentGroup(at, separate ? `${alias.node.id}Deployment` : 'Deployment', {
      alias,
      application,
      deploymentConfig,
      alarms: [...alarms],
      ...(smokeTest && { preHook: smokeTest.hook }),
      // Keeps the CDK from attaching the managed policy.
      role: role.withoutPolicyUpdates(),
    });
    group.node.addDependency(role);
    if (smokeTest) reportTo(at, group, smokeTest.role);
  }
  return (separate ? fn : aliases[0]) as IFunction;
}

/** The alias that a canary moves: the one with provisioned environments, or a new one. */
function ownAlias(at: Construct, fn: LambdaFunction, aliasName = 'live'): Alias {
  const provisioned = at.node.tryFindChild('Alias') as Alias | undefined;
  if (!provisioned) return new Alias(at, 'Alias', { aliasName, version: fn.currentVersion as IVersion });
  if (aliasName === provisioned.aliasName) return provisioned;
  throw misuse(at, {
    what: 'aliasName with provisionedConcurrency',
    got: aliasName,
    expected: `none: the alias is "${provisioned.aliasName}"`,
  });
}

/** Services whose metrics do not change if every request and record fails. */
const BLIND = ['AWS/Lambda', 'AWS/SQS'];

/** True for an alarm of this app that sees no failed request and no failed record. The metric of an imported alarm is unknown. */
function isBlind(alarm: IAlarm): boolean {
  const { namespace, metricName } = (alarm.node.defaultChild ?? {}) as Partial<CfnAlarm>;
  return alarm instanceof Alarm && namespace !== undefined && BLIND.includes(namespace) && metricName !== 'Url5xxCount';
}

/** Alarms for the new version alone: a canary of 10% is diluted in the metrics of all versions. */
function versionAlarms(at: Construct, fn: LambdaFunction, inventory: Inventory): readonly Alarm[] {
  return failureMetrics(at, fn as IFunction, inventory, fn.currentVersion.version).map(
    ({ id, metric }) =>
      new Alarm(at, `Canary${id}`, {
        metric,
        threshold: id === 'RequestErrors' ? REQUEST_ERROR_RATE : FAILED_RECORDS,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }),
  );
}

/** The limit of the variables of a function is 4,096 bytes. */
const SMOKE_BYTES = 3000;

/** The function that sends events to a new version before it gets traffic. */
function makeSmokeTest(
  at: Construct,
  fn: LambdaFunction,
  role: Role,
  smoke: Readonly<Record<string, unknown>>,
): { readonly hook: IFunction; readonly role: Role } {
  const events = JSON.stringify(smoke);
  const bytes = Buffer.byteLength(events);
  if (bytes > SMOKE_BYTES) {
    throw misuse(at, {
      what: 'smoke',
      got: `${bytes} bytes`,
      expected: `events of at most ${SMOKE_BYTES} bytes as JSON`,
    });
  }
  const version = fn.currentVersion.functionArn;
  const logGroup = new LogGroup(at, 'SmokeLog', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const smokeRole = new Role(at, 'SmokeRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  const hook = new Hook(at, 'Smoke', {
    code: Code.fromInline(SMOKE_HANDLER),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: 256,
    timeout: Duration.minutes(5),
    // The deployment group waits for the hook, so the hook must not wait for the permission to report to the group.
    role: smokeRole.withoutPolicyUpdates(),
    logGroup,
    environment: { SMOKE_EVENTS: events, SMOKE_VERSION: version },
  });
  grantOn(smokeRole, ['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
  grantOn(smokeRole, ['lambda:InvokeFunction'], [version]);
  grantOn(role, ['lambda:InvokeFunction'], [hook.functionArn]);
  for (const [id, reason] of Object.entries(HOOK_FINDINGS)) acknowledge(hook, id, reason);
  return { hook: hook as IFunction, role: smokeRole };
}

function reportTo(at: Construct, group: LambdaDeploymentGroup, role: Role): void {
  const policy = new Policy(at, 'SmokeReport', { roles: [role] });
  policy.addStatements(
    new PolicyStatement({
      actions: ['codedeploy:PutLifecycleEventHookExecutionStatus'],
      resources: [group.deploymentGroupArn],
    }),
  );
}

/** Findings of cdk-nag that do not apply to a hook. */
const HOOK_FINDINGS: Readonly<Record<string, string>> = {
  'Serverless::Serverless-LambdaDLQ': 'CodeDeploy invokes it and waits for its answer.',
  'Serverless::Serverless-LambdaTracing': 'It runs only at deployments.',
};
