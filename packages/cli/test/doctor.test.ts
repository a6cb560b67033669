import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DOCTOR_COMMAND, RUNBOOK_COMMAND } from '@sallyport/cli/command';
import { runIn } from './support/dev.js';
import { BASIC, healthy, QUEUE_ARN, TEMPLATE } from './support/orders-stack.js';
import { type DeployedState, type StandIn, startStandIn } from './support/stand-in.js';

let standIn: StandIn;
let folder: string;
beforeAll(async () => {
  standIn = await startStandIn(healthy());
  folder = mkdtempSync(join(tmpdir(), 'sallyport-doctor-'));
});
afterAll(async () => {
  await standIn.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  standIn.state = healthy();
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
});

const environment = () => ({
  AWS_ENDPOINT_URL: standIn.endpoint,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI',
});
const doctor = (...args: readonly string[]) => runIn(folder, DOCTOR_COMMAND.run, args, environment());

function write(file: string, content: object): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
}

const MAPPING = '6a5f0e51-7f4c-4f0e-8b1a-3a1f4d5b7c9d';
const mapping = (state: DeployedState) => state.mappings[MAPPING] ?? {};
const PUT_EVENTS = { Effect: 'Allow', Action: ['events:PutEvents'], Resource: '*' };
const ALL_OF_SQS = { Effect: 'Allow', Action: 'sqs:*', Resource: '*' };
const policy = (state: DeployedState, Statement: readonly object[]) =>
  Object.assign(state.roles['orders-api-role']?.inline ?? {}, { ApiPolicy: { Statement } });
const alarm = (state: DeployedState) => state.alarms[0] ?? {};
const drifted = (state: DeployedState, id: string, drift: string) => {
  state.resources = state.resources.map((one) => (one.id === id ? { ...one, drift } : one));
};

test('a stack that equals its template has no findings', async () => {
  expect(await doctor('Orders')).toEqual({ code: 0, out: 'Orders: 9 resources, 0 findings\n', err: '' });
});

test.each<
  readonly [what: string, plant: (state: DeployedState) => void, rule: string, resource: string, remedy: string]
>([
  [
    'a disabled mapping',
    (state) => Object.assign(mapping(state), { State: 'Disabled' }),
    'disabled-mapping',
    'OrdersMapping',
    `aws lambda update-event-source-mapping --uuid ${MAPPING} --enabled`,
  ],
  [
    'a role that may not read the queue',
    (state) => Object.assign(mapping(state), { LastProcessingResult: 'PROBLEM: Not authorized to receive messages' }),
    'missing-permission',
    'OrdersMapping',
    'allow the action in the role of the function',
  ],
  [
    'a role whose policy was deleted in part',
    (state) => policy(state, [{ Effect: 'Allow', Action: 'sqs:ReceiveMessage', Resource: QUEUE_ARN }, PUT_EVENTS]),
    'missing-permission',
    'ApiRole',
    'aws iam put-role-policy --role-name orders-api-role',
  ],
  [
    'a role whose policy names another queue',
    (state) =>
      policy(state, [{ Effect: 'Allow', Action: 'sqs:*', Resource: `${QUEUE_ARN.slice(0, -6)}refunds` }, PUT_EVENTS]),
    'missing-permission',
    'ApiRole',
    'aws iam put-role-policy --role-name orders-api-role',
  ],
  [
    'a role that denies what the template allows',
    (state) => policy(state, [ALL_OF_SQS, PUT_EVENTS, { Effect: 'Deny', Action: 'events:*', Resource: '*' }]),
    'missing-permission',
    'ApiRole',
    'aws iam put-role-policy --role-name orders-api-role',
  ],
  [
    'a role that lost its attached policy',
    (state) => Object.assign(state.roles['orders-api-role'] ?? {}, { attached: [] }),
    'missing-permission',
    'ApiRole',
    'aws iam attach-role-policy --role-name orders-api-role --policy-arn arn:*:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole',
  ],
  [
    'a role that may not be read',
    (state) => {
      state.denied = ['GetRolePolicy'];
    },
    'not-checked',
    'ApiRole',
    'allow the call',
  ],
  [
    'a mapping that ignores reported failures',
    (state) => Object.assign(mapping(state), { FunctionResponseTypes: [] }),
    'drift',
    'OrdersMapping',
    'deploy the stack again',
  ],
  [
    'a rule that may not invoke the function',
    (state) => delete state.policies['orders-api'],
    'missing-permission',
    'PaidPermission',
    'aws lambda add-permission',
  ],
  [
    'a rule that was disabled',
    (state) => Object.assign(state.rules['orders-paid'] ?? {}, { State: 'DISABLED' }),
    'disabled-rule',
    'Paid',
    'aws events enable-rule --name orders-paid',
  ],
  [
    'a rule without its target',
    (state) => Object.assign(state.rules['orders-paid'] ?? {}, { Targets: [] }),
    'missing-target',
    'Paid',
    'deploy the stack again',
  ],
  [
    'a rule on another bus that was disabled',
    (state) => {
      state.resources = state.resources.map((one) =>
        one.id === 'Paid' ? { ...one, physical: 'sales|orders-paid' } : one,
      );
      Object.assign(state.rules['orders-paid'] ?? {}, { State: 'DISABLED' });
    },
    'disabled-rule',
    'Paid',
    'aws events enable-rule --name orders-paid --event-bus-name sales',
  ],
  [
    'a target whose function has no permission in the template and in AWS',
    (state) => {
      const { PaidPermission: _, ...Resources } = TEMPLATE.Resources;
      state.template = { Resources };
      delete state.policies['orders-api'];
    },
    'missing-permission',
    'Paid',
    'aws lambda add-permission',
  ],
  [
    'a runtime without security patches',
    (state) => {
      Object.assign(state.functions['orders-api'] ?? {}, { Runtime: 'nodejs18.x' });
      const { Resources } = TEMPLATE;
      const { Api } = Resources;
      state.template = {
        Resources: { ...Resources, Api: { ...Api, Properties: { ...Api.Properties, Runtime: 'nodejs18.x' } } },
      };
    },
    'old-runtime',
    'Api',
    'set a supported runtime',
  ],
  [
    'a timeout that was changed by hand',
    (state) => Object.assign(state.functions['orders-api'] ?? {}, { Timeout: 3 }),
    'drift',
    'Api',
    'deploy the stack again',
  ],
  [
    'a paused function',
    (state) => {
      state.concurrency = { 'orders-api': 0 };
    },
    'paused-function',
    'Api',
    'aws lambda delete-function-concurrency --function-name orders-api',
  ],
  [
    'an alarm that notifies no topic',
    (state) => Object.assign(alarm(state), { AlarmActions: [] }),
    'alarm-without-action',
    'FailuresAlarm',
    'deploy the stack again',
  ],
  [
    'an alarm whose actions are off',
    (state) => Object.assign(alarm(state), { ActionsEnabled: false }),
    'alarm-without-action',
    'FailuresAlarm',
    'aws cloudwatch enable-alarm-actions --alarm-names Orders-FailuresAlarm-4D5E6F',
  ],
  [
    'an alarm that was deleted',
    (state) => {
      state.alarms = [];
    },
    'drift',
    'FailuresAlarm',
    'deploy the stack again',
  ],
  [
    'an alarm that is on',
    (state) =>
      Object.assign(alarm(state), {
        StateValue: 'ALARM',
        AlarmDescription: 'Messages. docs/operations.md#failure-queue',
      }),
    'alarm-on',
    'FailuresAlarm',
    'docs/operations.md#failure-queue',
  ],
  [
    'messages that were given up',
    (state) => {
      state.queues['orders-failures'] = { ApproximateNumberOfMessages: '2' };
    },
    'dead-letters',
    'OrdersFailures',
    'sallyport redrive https://sqs.eu-west-1.amazonaws.com/123456789012/orders-failures --dry-run',
  ],
  [
    'a queue that lost its dead-letter queue',
    (state) => {
      state.queues.orders = {};
    },
    'drift',
    'Orders',
    'deploy the stack again',
  ],
  [
    'a resource that was changed outside CloudFormation',
    (state) => drifted(state, 'Paid', 'MODIFIED'),
    'drift',
    'Paid',
    'aws cloudformation describe-stack-resource-drifts --stack-name Orders',
  ],
  [
    'a deployment that was rolled back',
    (state) => {
      state.status = 'UPDATE_ROLLBACK_COMPLETE';
    },
    'stack-status',
    'Orders',
    'aws cloudformation describe-stack-events --stack-name Orders',
  ],
  [
    'a call that is denied',
    (state) => {
      state.denied = ['policy'];
    },
    'not-checked',
    'PaidPermission',
    'allow the call',
  ],
])('has one finding for %s', async (_what, plant, rule, resource, remedy) => {
  plant(standIn.state);
  const { code, out } = await doctor('Orders', '--json');
  const findings = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(code).toBe(1);
  expect(findings).toEqual([
    { type: 'finding', rule, resource, problem: expect.any(String), remedy: expect.stringContaining(remedy) },
  ]);
});

test('names the actions that a role lacks, and the resource', async () => {
  policy(standIn.state, [{ Effect: 'Allow', Action: 'sqs:ReceiveMessage', Resource: QUEUE_ARN }]);
  const { out } = await doctor('Orders');
  expect(out).toContain('orders-api-role does not allow sqs:DeleteMessage on Orders\n');
  expect(out).toContain('orders-api-role does not allow events:PutEvents on arn:*:events:*:*:event-bus/default\n');
});

test.each<readonly [what: string, plant: (state: DeployedState) => void]>([
  ['in one statement with patterns', (state) => policy(state, [ALL_OF_SQS, { ...PUT_EVENTS, Action: 'EVENTS:put*' }])],
  [
    'in several policies',
    (state) => {
      policy(state, [PUT_EVENTS]);
      Object.assign(state.roles['orders-api-role']?.inline ?? {}, { Queue: { Statement: ALL_OF_SQS } });
    },
  ],
  [
    'in an attached policy',
    (state) => {
      policy(state, [PUT_EVENTS]);
      state.roles['orders-api-role']?.attached.push('arn:aws:iam::123456789012:policy/queues');
      state.managed['arn:aws:iam::123456789012:policy/queues'] = { Statement: [ALL_OF_SQS] };
    },
  ],
  ['with NotAction', (state) => policy(state, [{ Effect: 'Allow', NotAction: 'iam:*', Resource: '*' }])],
])('accepts a role that has the permissions of the template %s', async (_, plant) => {
  plant(standIn.state);
  expect(await doctor('Orders')).toEqual({ code: 0, out: 'Orders: 9 resources, 0 findings\n', err: '' });
});

describe('the conditions of a role', () => {
  const ORDERS = { Effect: 'Allow', Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'] };
  const OWN = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } };
  const DEPLOYED = { stringEquals: { 'AWS:SourceAccount': ['123456789012'] } };
  const OTHER = { StringEquals: { 'aws:PrincipalTag/team': ['a', 'b'] } };
  const SECURE = { Bool: { 'aws:SecureTransport': 'false' } };
  const RECEIVE = { ...ORDERS, Action: 'sqs:ReceiveMessage', Resource: QUEUE_ARN };
  const DELETE = { ...ORDERS, Action: 'sqs:DeleteMessage', Resource: QUEUE_ARN };
  const both = (Condition?: object) => ({ ...ORDERS, Resource: QUEUE_ARN, ...(Condition && { Condition }) });
  /** The role in the template has these conditions for the queue, and these further statements. */
  const template = (Condition?: object, more: readonly object[] = []) => {
    const { state } = standIn;
    const { Properties } = TEMPLATE.Resources.ApiPolicy;
    const [queue, ...others] = Properties.PolicyDocument.Statement;
    const Statement = [{ ...queue, ...(Condition && { Condition }) }, ...others, ...more];
    const ApiPolicy = { ...TEMPLATE.Resources.ApiPolicy, Properties: { ...Properties, PolicyDocument: { Statement } } };
    state.template = { Resources: { ...TEMPLATE.Resources, ApiPolicy } };
  };

  test.each<readonly [what: string, plant: () => void, rule: string, problem: string]>([
    [
      'a condition that was added',
      () => policy(standIn.state, [both(OTHER), PUT_EVENTS]),
      'missing-permission',
      'allows sqs:ReceiveMessage, sqs:DeleteMessage on Orders only with the condition StringEquals aws:PrincipalTag/team a or b',
    ],
    [
      'a condition that was added to a single action',
      () => policy(standIn.state, [{ ...RECEIVE, Condition: OTHER }, DELETE, PUT_EVENTS]),
      'missing-permission',
      'allows sqs:ReceiveMessage on Orders only with the condition StringEquals aws:PrincipalTag/team a or b',
    ],
    [
      'a condition that was lost',
      () => {
        template(OWN);
        policy(standIn.state, [both(), PUT_EVENTS]);
      },
      'drift',
      'allows sqs:ReceiveMessage, sqs:DeleteMessage on Orders without the condition StringEquals aws:SourceAccount *',
    ],
    [
      'a wider statement next to the right one',
      () => {
        template(OWN);
        policy(standIn.state, [both(DEPLOYED), DELETE, PUT_EVENTS]);
      },
      'drift',
      'allows sqs:DeleteMessage on Orders without the condition StringEquals aws:SourceAccount *',
    ],
    [
      'a condition on a denial',
      () =>
        policy(standIn.state, [
          both(),
          PUT_EVENTS,
          { Effect: 'Deny', Action: 'sqs:*', Resource: '*', Condition: SECURE },
        ]),
      'missing-permission',
      'denies sqs:ReceiveMessage, sqs:DeleteMessage on Orders with the condition Bool aws:SecureTransport false',
    ],
  ])('%s is named', async (_what, plant, rule, problem) => {
    plant();
    expect(JSON.parse((await doctor('Orders', '--json')).out)).toMatchObject({
      rule,
      resource: 'ApiRole',
      problem: `orders-api-role ${problem}`,
      remedy: 'aws iam put-role-policy --role-name orders-api-role, with the policy of the template',
    });
  });

  test('a changed value is an added and a lost condition', async () => {
    template({ StringEquals: { 'aws:SourceAccount': '123456789012' } });
    policy(standIn.state, [both({ StringEquals: { 'aws:SourceAccount': '999999999999' } }), PUT_EVENTS]);
    const { out } = await doctor('Orders');
    expect(out).toContain('only with the condition StringEquals aws:SourceAccount 999999999999\n');
    expect(out).toContain('without the condition StringEquals aws:SourceAccount 123456789012\n');
  });

  test.each<readonly [what: string, plant: () => void]>([
    [
      'have other cases, and a value that CloudFormation computes',
      () => {
        template(OWN);
        policy(standIn.state, [both(DEPLOYED), PUT_EVENTS]);
      },
    ],
    [
      'have their values in another order',
      () => {
        template({ StringEquals: { 'aws:PrincipalTag/team': ['b', 'a'] } });
        policy(standIn.state, [both(OTHER), PUT_EVENTS]);
      },
    ],
    [
      'are those of a denial in the template',
      () => {
        const deny = { Effect: 'Deny', Action: 'sqs:*', Resource: '*', Condition: SECURE };
        template(undefined, [deny]);
        policy(standIn.state, [both(), PUT_EVENTS, deny]);
      },
    ],
    [
      'are absent in a second statement of the template',
      () => {
        template(OWN, [both()]);
        policy(standIn.state, [both(DEPLOYED), both(), PUT_EVENTS]);
      },
    ],
    ['are absent in a second statement of the role', () => policy(standIn.state, [both(OTHER), both(), PUT_EVENTS])],
  ])('are equal if they %s', async (_what, plant) => {
    plant();
    expect(await doctor('Orders')).toEqual({ code: 0, out: 'Orders: 9 resources, 0 findings\n', err: '' });
  });
});

test('a managed policy of the template must be attached, and its statements apply', async () => {
  const queues = 'arn:aws:iam::123456789012:policy/Orders-Queues-1';
  const { ApiPolicy, ...others } = TEMPLATE.Resources;
  const Queues = { Type: 'AWS::IAM::ManagedPolicy', Properties: ApiPolicy.Properties };
  const { state } = standIn;
  state.template = { Resources: { ...others, Queues } };
  state.resources = [
    ...state.resources.filter(({ id }) => id !== 'ApiPolicy'),
    { id: 'Queues', type: Queues.Type, physical: queues },
  ];
  state.roles['orders-api-role'] = { inline: {}, attached: [BASIC, queues] };
  state.managed[queues] = { Statement: [ALL_OF_SQS, PUT_EVENTS] };
  expect((await doctor('Orders')).code).toBe(0);
  state.roles['orders-api-role'] = { inline: {}, attached: [BASIC] };
  const { out } = await doctor('Orders');
  expect(out).toContain(`the policy ${queues} is not attached to orders-api-role\n`);
  expect(out).toContain('orders-api-role does not allow sqs:ReceiveMessage, sqs:DeleteMessage on Orders\n');
});

test('finds a registration without a resource', async () => {
  write('dist/inventory.json', {
    version: 1,
    routes: [],
    triggers: [
      { kind: 'queue', name: 'orders' },
      { kind: 'stream', name: 'clicks' },
    ],
  });
  const { code, out } = await doctor('Orders');
  expect(code).toBe(1);
  expect(out).toContain('the stream "clicks" is registered, and the template has no resource for it');
});

test('finds a resource of a newer template that is not deployed', async () => {
  const Refunds = { Type: 'AWS::SQS::Queue', Properties: {} };
  write('cdk.out/Orders.template.json', { Resources: { ...TEMPLATE.Resources, Refunds } });
  const { code, out } = await doctor('Orders', '--template', 'cdk.out/Orders.template.json');
  expect(code).toBe(1);
  expect(out).toBe(
    'drift  Refunds\n  the template has it (AWS::SQS::Queue), and the stack does not\n  deploy the stack again\nOrders: 9 resources, 1 findings\n',
  );
});

test('an expired session ends with a message that has no token', async () => {
  standIn.state.expired = true;
  const { code, err } = await doctor('Orders');
  expect(code).toBe(1);
  expect(err).toBe(
    'sallyport: cloudformation:GetTemplate Orders: ExpiredToken: sign in to AWS, then run the same command again\n',
  );
});

test.each([
  [[], 'name one stack'],
  [['a', 'b'], 'name one stack'],
  [['Orders', '--inventory', 'nosuch.json'], 'the inventory nosuch.json does not exist or is not JSON'],
  [['Orders', '--template', 'nosuch.json'], 'nosuch.json does not exist'],
  [['Orders', '--tempalte', 'x'], 'unknown flag --tempalte (did you mean "template"?)'],
])('%j is an invalid command line', async (args, problem) => {
  const { code, err } = await doctor(...args);
  expect(code).toBe(2);
  expect(err).toContain(problem);
});

test('a runbook of a deployed stack has its physical names', async () => {
  write('Orders.template.json', TEMPLATE);
  const { code, out } = await runIn(
    folder,
    RUNBOOK_COMMAND.run,
    ['Orders.template.json', '--stack', 'Orders'],
    environment(),
  );
  expect(code).toBe(0);
  expect(out).toContain(
    "    OrdersFailures) echo 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders-failures' ;;",
  );
});
