import {
  MICROVM_ACTIONS,
  MICROVM_EGRESS_NETWORK_CONNECTOR_REFS_ENV,
  MICROVM_EXECUTION_ROLE_ARN_ENV,
  MICROVM_IMAGE_REF_ENV,
  MICROVM_INGRESS_NETWORK_CONNECTOR_REFS_ENV,
  MICROVM_LOGGING_ENV,
} from '@sallyport/microvm/schema';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Stack, Token } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { setVariable } from '../internal/environment.js';
import { grantOn } from '../internal/grants.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, literal, many, thing } from '../internal/props.js';
import { MicrovmTable } from '../state/tables.js';
import type { Inventory } from '../wiring/inventory.js';

/** Props of {@link MicrovmController}. */
export interface MicrovmControllerProps {
  /** The function that runs the controller of `@sallyport/microvm`. */
  readonly fn: IFunction;
  /** The images that may run, `arn` or `arn@version`; the first is the default. */
  readonly images: readonly string[];
  /**
   * What the application registers. Its routes under `/microvms` must be there, and none of them public.
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
   * which has a security group of its own, or one of {@link ManagedConnectors}.
   *
   * @default - none
   */
  readonly egressConnectors?: readonly string[];
  /**
   * The role that machines run with.
   *
   * @default - none: machines reach no service of AWS
   */
  readonly executionRole?: IRole;
  /**
   * Where machines log; needs `executionRole`, which may then write to the group.
   *
   * @default - machines do not log
   */
  readonly logGroup?: ILogGroup;
  /**
   * Whether the controller ends machines that no session names; it may then list all machines of the account.
   *
   * @default false
   */
  readonly sweep?: boolean;
}

const CONNECTORS = 10;
const connectors = many<string>(
  `a list of at most ${CONNECTORS} ARNs`,
  (one) => typeof one === 'string' && one.trim() !== '',
);

/** The kinds of {@link MicrovmControllerProps}. */
export const MICROVM_CONTROLLER_PROPS = defineProps<MicrovmControllerProps>('MicrovmController')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  images: many<string>('a list of image ARNs', (one) => typeof one === 'string' && /^arn:.+/.test(one)).required(),
  inventory: literal<Inventory>('an inventory', (value) => typeof value === 'object' && value !== null),
  table: thing<MicrovmTable>('a MicrovmTable', 'bindTo'),
  ingressConnectors: connectors.default([]),
  egressConnectors: connectors.default([]),
  executionRole: thing<IRole>('a role', 'roleArn'),
  logGroup: thing<ILogGroup>('a log group', 'logGroupArn'),
  sweep: flag.default(false),
});

type Parsed = ReturnType<typeof MICROVM_CONTROLLER_PROPS.parse>;

/**
 * What the controller of `@sallyport/microvm` needs: the table of sessions, permission for the images and nothing else, and its
 * variables.
 *
 * @example
 * new MicrovmController(this, 'Machines', { fn, images: [image.imageArn], inventory: toInventory(app) });
 */
export class MicrovmController extends Construct {
  /** The table of sessions. */
  readonly table: MicrovmTable;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, and for an inventory whose routes under `/microvms` are missing
   *   or public; `constructs.fixed_environment`, `constructs.conflict`
   */
  constructor(scope: Construct, id: string, props: MicrovmControllerProps) {
    super(scope, id);
    const parsed = MICROVM_CONTROLLER_PROPS.parse(this, props);
    const { fn, images, inventory, executionRole, logGroup, ingressConnectors, egressConnectors } = parsed;
    if (images.length === 0) throw misuse(this, { what: 'images', got: images, expected: 'at least one image' });
    if (logGroup && !executionRole)
      throw misuse(this, { what: 'logGroup without executionRole', expected: 'both: machines log with their role' });
    for (const [what, list] of Object.entries({ ingressConnectors, egressConnectors })) {
      if (list.length > CONNECTORS) throw misuse(this, { what, got: list, expected: `at most ${CONNECTORS}` });
    }
    if (inventory) checkRoutes(this, inventory);
    this.table = parsed.table ?? new MicrovmTable(this, 'Sessions');
    this.table.bindTo(fn);
    this.#grant(parsed);
    this.#setVariables(parsed);
  }

  #grant({ fn, images, executionRole, logGroup, ingressConnectors, egressConnectors, sweep }: Parsed): void {
    grantOn(fn, MICROVM_ACTIONS.machines, [...new Set(images.map(arnOfImage))]);
    // Neither action has a resource type: on the ARN of a connector the grant would be void.
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
    const logging = logGroup ? { cloudWatch: { logGroup: logGroup.logGroupName } } : { disabled: {} };
    const variables: Readonly<Record<string, string | undefined>> = {
      [MICROVM_IMAGE_REF_ENV]: images.join(','),
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

function arnOfImage(ref: string): string {
  return Token.isUnresolved(ref) ? ref : ref.replace(/@[^:@]*$/, '');
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
    const what = `route ${open.method} ${open.path} lets callers through that are not authenticated`;
    throw misuse(at, { what, expected: 'a posture that authenticates callers' });
  }
}
