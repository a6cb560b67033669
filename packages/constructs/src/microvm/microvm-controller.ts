import {
  MICROVM_ACTIONS,
  MICROVM_EGRESS_NETWORK_CONNECTOR_REFS_ENV,
  MICROVM_EXECUTION_ROLE_ARN_ENV,
  MICROVM_IMAGE_IS_ONLY_OURS_ENV,
  MICROVM_IMAGE_REF_ENV,
  MICROVM_INGRESS_NETWORK_CONNECTOR_REFS_ENV,
  MICROVM_LOGGING_ENV,
  MICROVM_SWEEP_RULE_NAME,
} from '@sallyport/microvm/schema';
import { EVENT_SOURCES_ENV } from '@sallyport/streams/schema';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, Stack, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { setVariable } from '../internal/environment.js';
import { grantOn } from '../internal/grants.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, literal, literalWords, many, thing } from '../internal/props.js';
import { MicrovmTable } from '../state/tables.js';
import { EventRuleTrigger } from '../triggers/event-rule-trigger.js';
import { isScheduled } from '../wiring/internal/registrations.js';
import type { Inventory } from '../wiring/inventory.js';
import type { ServiceWiring } from '../wiring/service-wiring.js';
import { claimImage, isMicrovmImage, type MicrovmImage } from './microvm-image.js';

/** Props of {@link MicrovmController}. */
export interface MicrovmControllerProps {
  /** The function that runs the controller of `@sallyport/microvm`. */
  readonly fn: IFunction;
  /**
   * The images that may run; the first is the default. A {@link MicrovmImage} belongs to this controller's table only: its sweep
   * also terminates machines without a session. If several tables use an image, pass it as `arn` or `arn@version`.
   */
  readonly images: readonly (string | MicrovmImage)[];
  /**
   * The registrations of the application. Its routes under `/microvms` must exist, and must not be public.
   *
   * @default - not compared
   */
  readonly inventory?: Inventory;
  /**
   * The table of sessions.
   *
   * @default - a new one
   */
  readonly table?: MicrovmTable;
  /**
   * ARNs of network connectors through which requests reach machines, at most 10: {@link ManagedConnectors}.
   *
   * @default - none
   */
  readonly ingressConnectors?: readonly string[];
  /**
   * ARNs of network connectors through which machines reach a network, at most 10. `networkConnectorArn` of a `NetworkConnector` of the CDK,
   * which has a separate security group, or an ARN of {@link ManagedConnectors}.
   *
   * @default - none
   */
  readonly egressConnectors?: readonly string[];
  /**
   * The role that machines run with.
   *
   * @default - none: machines reach no AWS service
   */
  readonly executionRole?: IRole;
  /**
   * The log group of machines; needs `executionRole`, which may then write to the group.
   *
   * @default - machines do not log
   */
  readonly logGroup?: ILogGroup;
  /**
   * True if a rule invokes the function every five minutes for `controller.sweep()`. The function may then list all machines of
   * the account. Without a sweep, machines of interrupted starts run until their maximum duration.
   *
   * @default true
   */
  readonly sweep?: boolean;
  /**
   * The exact name of that rule, for a handler that is registered for this name. Names of rules are unique in an account and region.
   *
   * @default - a name with the names of the stack and the construct, which `FRAMEWORK_EVENT_SOURCES` maps to the handler
   *   `app.eventBus({ ruleName: MICROVM_SWEEP_RULE_NAME }, () => controller.sweep())`
   */
  readonly sweepRuleName?: string;
  /**
   * The wiring of the function. Required for the sweep of a function with a wiring: the rule is then attached through it.
   *
   * @default - the rule is attached by this construct
   */
  readonly wiring?: ServiceWiring;
}

const CONNECTORS = 10;
const connectors = many<string>(
  `a list of at most ${CONNECTORS} ARNs`,
  (one) => typeof one === 'string' && one.trim() !== '',
);

/** Validators and defaults for {@link MicrovmControllerProps}. */
export const MICROVM_CONTROLLER_PROPS = defineProps<MicrovmControllerProps>('MicrovmController')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  images: many<string | MicrovmImage>(
    'a list of image ARNs and MicrovmImage constructs',
    (one) => isMicrovmImage(one) || (typeof one === 'string' && /^arn:.+/.test(one)),
  ).required(),
  inventory: literal<Inventory>('an inventory', (value) => typeof value === 'object' && value !== null),
  table: thing<MicrovmTable>('a MicrovmTable', 'bindTo'),
  ingressConnectors: connectors.default([]),
  egressConnectors: connectors.default([]),
  executionRole: thing<IRole>('a role', 'roleArn'),
  logGroup: thing<ILogGroup>('a log group', 'logGroupArn'),
  sweep: flag.default(true),
  sweepRuleName: literalWords('1 to 64 letters, digits, ., - and _', /^[\w.-]{1,64}$/),
  wiring: thing<ServiceWiring>('a ServiceWiring', 'schedule'),
});

/** Less than the 15 minutes after which an interrupted start is repeated. */
const SWEEP_EVERY = Duration.minutes(5);

type Parsed = ReturnType<typeof MICROVM_CONTROLLER_PROPS.parse>;

/**
 * The resources of a `@sallyport/microvm` controller: the table of sessions, permission for its images only, its
 * variables, and the schedule of its sweep.
 *
 * @example
 * new MicrovmController(this, 'Machines', { fn, images: [image], inventory: toInventory(app), wiring });
 */
export class MicrovmController extends Construct {
  /** The table of sessions. */
  readonly table: MicrovmTable;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, and for an inventory whose routes under `/microvms` are public;
   *   `constructs.not_registered` for an inventory without these routes or without the handler of the sweep;
   *   `constructs.fixed_environment`; `constructs.conflict`, including for a `MicrovmImage` of another table
   */
  constructor(scope: Construct, id: string, props: MicrovmControllerProps) {
    super(scope, id);
    const parsed = MICROVM_CONTROLLER_PROPS.parse(this, props);
    const { fn, images, inventory, executionRole, logGroup, ingressConnectors, egressConnectors } = parsed;
    if (images.length === 0) throw misuse(this, { what: 'images', got: images, expected: 'at least one image' });
    if (logGroup && !executionRole)
      throw misuse(this, { what: 'logGroup without executionRole', expected: 'both: machines log with this role' });
    for (const [what, list] of Object.entries({ ingressConnectors, egressConnectors })) {
      if (list.length > CONNECTORS) throw misuse(this, { what, got: list, expected: `at most ${CONNECTORS}` });
    }
    if (inventory) checkRoutes(this, inventory);
    this.table = parsed.table ?? new MicrovmTable(this, 'Sessions');
    this.table.bindTo(fn);
    for (const image of images) if (isMicrovmImage(image)) claimImage(this, image, this.table);
    this.#grant(parsed);
    this.#setVariables(parsed);
    this.#schedule(parsed);
  }

  #schedule({ fn, inventory, sweep, sweepRuleName, wiring }: Parsed): void {
    if (!sweep) return;
    const handler = sweepRuleName ?? MICROVM_SWEEP_RULE_NAME;
    const schedule = Schedule.rate(SWEEP_EVERY);
    if (wiring) {
      wiring.schedule(handler, schedule);
      return;
    }
    if (inventory) checkSweep(this, inventory, handler);
    if (sweepRuleName !== undefined) {
      new EventRuleTrigger(this, 'Sweep', { fn, schedule, ruleName: sweepRuleName });
      return;
    }
    const name = new EventRuleTrigger(this, 'Sweep', { fn, schedule }).nameRule();
    setVariable(this, fn, EVENT_SOURCES_ENV, JSON.stringify({ rule: { [handler]: name } }));
  }

  #grant({ fn, images, executionRole, logGroup, ingressConnectors, egressConnectors, sweep }: Parsed): void {
    grantOn(fn, MICROVM_ACTIONS.machines, [...new Set(images.map(arnOfImage))]);
    // The two actions have no resource type: on the ARN of a connector the grant would be void.
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html
    const everything = [
      ...(ingressConnectors.length + egressConnectors.length > 0 ? MICROVM_ACTIONS.pass : []),
      ...(sweep ? MICROVM_ACTIONS.list : []),
    ];
    if (everything.length > 0) {
      const granted = grantOn(fn, everything, ['*']);
      const policy = granted.principalStatement && fn.role?.node.tryFindChild('DefaultPolicy');
      const reason = 'listing machines and passing connectors have no resources: AWS grants them on * only';
      if (policy) acknowledge(policy, 'AwsSolutions::AwsSolutions-IAM5[Resource::*]', reason);
    }
    if (!executionRole) return;
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [executionRole.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
      }),
    );
    if (logGroup) grantOn(executionRole, ['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
  }

  #setVariables({ fn, images, executionRole, logGroup, ingressConnectors, egressConnectors }: Parsed): void {
    const areOurs = images.every(isMicrovmImage);
    const logging = logGroup ? { cloudWatch: { logGroup: logGroup.logGroupName } } : { disabled: {} };
    const variables: Readonly<Record<string, string | undefined>> = {
      [MICROVM_IMAGE_REF_ENV]: images.map((image) => (isMicrovmImage(image) ? image.imageArn : image)).join(','),
      [MICROVM_IMAGE_IS_ONLY_OURS_ENV]: areOurs ? 'true' : undefined,
      [MICROVM_INGRESS_NETWORK_CONNECTOR_REFS_ENV]: ingressConnectors.join(',') || undefined,
      [MICROVM_EGRESS_NETWORK_CONNECTOR_REFS_ENV]: egressConnectors.join(',') || undefined,
      [MICROVM_EXECUTION_ROLE_ARN_ENV]: executionRole?.roleArn,
      [MICROVM_LOGGING_ENV]: Stack.of(this).toJsonString(logging),
    };
    for (const [name, value] of Object.entries(variables)) {
      if (value !== undefined) setVariable(this, fn, name, value);
    }
  }
}

function arnOfImage(image: string | MicrovmImage): string {
  if (isMicrovmImage(image)) return image.imageArn;
  const ref = image;
  return Token.isUnresolved(ref) ? ref : ref.replace(/@[^:@]*$/, '');
}

function checkSweep(at: Construct, { triggers }: Inventory, ruleName: string): void {
  if (triggers.some(({ selector }) => selector?.ruleName === ruleName || isScheduled(selector))) return;
  throw misuse(at, {
    what: `the inventory has no handler for the sweep, eventBus({ ruleName: ${JSON.stringify(ruleName)} })`,
    expected: 'a handler that calls controller.sweep(), or sweep: false',
    code: 'constructs.not_registered',
  });
}

function checkRoutes(at: Construct, { routes }: Inventory): void {
  const own = routes.filter(({ surface, path = '' }) => surface === 'http' && /(?:^|\/)microvms(?:\/|$)/.test(path));
  if (own.length === 0) {
    const expected = 'mountMicrovmController(app, …) in the application';
    throw misuse(at, {
      what: 'the inventory has no routes under /microvms',
      expected,
      code: 'constructs.not_registered',
    });
  }
  const open = own.find(({ posture }) => posture === undefined || posture === 'public' || posture === 'optional');
  if (open) {
    const what = `route ${open.method} ${open.path} accepts unauthenticated callers`;
    throw misuse(at, { what, expected: 'a posture that authenticates callers' });
  }
}
