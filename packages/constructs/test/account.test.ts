import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Stack } from 'aws-cdk-lib/core';
import { ACCOUNT_HANDLER } from '../src/http/internal/account-handler.js';
import { ApiGatewayAccount, HttpApi, McpServer, RestApi, WebSocketApi } from '../src/index.js';
import { newFn } from './support/function.js';
import { newStack, propertiesOf, type Resource, templateOf } from './support/synth.js';

type Props = Partial<{ accessLog: boolean; account: 'ensure' | 'existing'; accessLogGroup: LogGroup }>;

const rest = (stack: Stack, props: Props = {}) => {
  const api = new RestApi(stack, 'Api', { fn: newFn(stack), ...props });
  api.addCatchAll();
  return api;
};
const sockets = (stack: Stack, props: Props = {}) => {
  const api = new WebSocketApi(stack, 'Api', { fn: newFn(stack), ...props });
  api.addRouteKey('$connect');
  return api;
};

const resourcesOf = (stack: Stack, type: string): readonly (readonly [string, Resource])[] =>
  Object.entries(templateOf(stack).Resources).filter(([, { Type }]) => Type === type);

describe.each([
  ['RestApi', rest, 'AWS::ApiGateway::Stage', 'AccessLogSetting'],
  ['WebSocketApi', sockets, 'AWS::ApiGatewayV2::Stage', 'AccessLogSettings'],
] as const)('the log of a %s in an account that has logged nothing yet', (_name, make, stageType, setting) => {
  it('waits for the role of the account, which is kept', () => {
    const stack = newStack();
    make(stack);
    const [[settingId] = ['']] = resourcesOf(stack, 'Custom::ApiGatewayAccount');
    expect(settingId).not.toBe('');
    const [[, stage] = ['', undefined]] = resourcesOf(stack, stageType);
    expect(stage?.DependsOn).toContain(settingId);
    expect(stage?.Properties[setting]).toBeDefined();
    const roles = resourcesOf(stack, 'AWS::IAM::Role').filter(([, { Properties }]) =>
      JSON.stringify(Properties).includes('AmazonAPIGatewayPushToCloudWatchLogs'),
    );
    expect(roles).toMatchObject([[expect.anything(), { DeletionPolicy: 'Retain' }]]);
    expect(resourcesOf(stack, 'AWS::ApiGateway::Account')).toEqual([]);
  });

  it.each([
    [{ account: 'existing' as const }, true],
    [{ accessLog: false }, false],
  ])('%j creates no setting', (props, hasLog) => {
    const stack = newStack();
    expect(make(stack, props).accessLog !== undefined).toBe(hasLog);
    expect(resourcesOf(stack, 'Custom::ApiGatewayAccount')).toEqual([]);
    const [[, stage] = ['', undefined]] = resourcesOf(stack, stageType);
    expect(stage?.Properties[setting] !== undefined).toBe(hasLog);
  });
});

it('has one setting for each stack', () => {
  const stack = newStack();
  rest(stack);
  new McpServer(stack, 'Mcp', { fn: newFn(stack, 'Second') });
  expect(resourcesOf(stack, 'Custom::ApiGatewayAccount')).toHaveLength(1);
  expect(ApiGatewayAccount.ensure(stack)).toBe(ApiGatewayAccount.ensure(stack));
});

describe('the group of an access log', () => {
  it.each([
    ['HttpApi', (stack: Stack, props: Props) => new HttpApi(stack, 'Api', { fn: newFn(stack), ...props })],
    ['RestApi', rest],
    ['WebSocketApi', sockets],
  ] as const)(
    '%s: has a name that needs no entry in a resource policy and is different in each new stack',
    (_name, make) => {
      const stack = newStack();
      make(stack, {});
      expect(propertiesOf(templateOf(stack), 'AWS::Logs::LogGroup')).toContainEqual({
        LogGroupName: {
          'Fn::Join': [
            '',
            [
              expect.stringMatching(/^\/aws\/vendedlogs\/apigateway\/Test-Api/),
              {
                'Fn::Select': [
                  0,
                  { 'Fn::Split': ['-', { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }] },
                ],
              },
            ],
          ],
        },
        RetentionInDays: 30,
      });
    },
  );

  it('can be given, and not together with accessLog: false', () => {
    const stack = newStack();
    const accessLogGroup = new LogGroup(stack, 'Lines');
    expect(rest(stack, { accessLogGroup }).accessLog).toBe(accessLogGroup);
    const other = newStack();
    const group = new LogGroup(other, 'Lines');
    expect(() => new HttpApi(other, 'Api', { fn: newFn(other), accessLog: false, accessLogGroup: group })).toThrow(
      expect.failure('constructs.invalid_prop', 'HttpApi: accessLogGroup with accessLog: false', '(at Test/Api)'),
    );
  });
});

describe('the function that sets the role', () => {
  const OURS = 'arn:aws:iam::123456789012:role/ours';
  const OTHER = 'arn:aws:iam::123456789012:role/service/other';

  /** Runs the inline code with clients of an account, and returns its setting and the answer to CloudFormation. */
  async function run(
    RequestType: string,
    account: { role: string | undefined; roles: readonly string[]; rejects?: number },
  ) {
    let { role, rejects = 0 } = account;
    const sent: unknown[] = [];
    const failure = (name: string) => Object.assign(new Error(name), { name });
    const command = (name: string) =>
      class {
        readonly name = name;
        constructor(readonly input: Record<string, never>) {}
      };
    const send = ({
      name,
      input,
    }: {
      name: string;
      input: { RoleName?: string; patchOperations?: { value: string }[] };
    }) => {
      if (name === 'get') return Promise.resolve({ cloudwatchRoleArn: role });
      if (name === 'role') {
        return account.roles.includes(input.RoleName ?? '')
          ? Promise.resolve({})
          : Promise.reject(failure('NoSuchEntityException'));
      }
      if (rejects > 0) {
        rejects -= 1;
        return Promise.reject(failure('BadRequestException'));
      }
      role = input.patchOperations?.[0]?.value;
      return Promise.resolve({});
    };
    class Client {
      readonly send = send;
    }
    const modules: Record<string, object> = {
      '@aws-sdk/client-api-gateway': {
        APIGatewayClient: Client,
        GetAccountCommand: command('get'),
        UpdateAccountCommand: command('update'),
      },
      '@aws-sdk/client-iam': { IAMClient: Client, GetRoleCommand: command('role') },
    };
    const exported: { handler?: (event: object, context: object) => Promise<void> } = {};
    const code = new Function('require', 'exports', 'fetch', 'setTimeout', ACCOUNT_HANDLER);
    const remaining = [120_000, 60_000, 10_000];
    code(
      (name: string) => modules[name],
      exported,
      (_url: string, { body }: { body: string }) => Promise.resolve(sent.push(JSON.parse(body))),
      (go: () => void) => go(),
    );
    const event = {
      RequestType,
      ResponseURL: 'https://answer.example',
      ResourceProperties: { RoleArn: OURS },
      StackId: 's',
      RequestId: 'r',
      LogicalResourceId: 'l',
    };
    await exported.handler?.(event, { getRemainingTimeInMillis: () => remaining.shift() ?? 0 });
    return { role, answer: sent[0] };
  }

  it.each([
    ['no role', 'Create', { role: undefined, roles: [] }, OURS, 'SUCCESS'],
    ['a role that exists', 'Create', { role: OTHER, roles: ['other'] }, OTHER, 'SUCCESS'],
    ['a role that was removed', 'Create', { role: OTHER, roles: [] }, OURS, 'SUCCESS'],
    ['a removed role, at an update', 'Update', { role: OTHER, roles: [] }, OURS, 'SUCCESS'],
    ['our role, at removal', 'Delete', { role: OURS, roles: ['ours'] }, OURS, 'SUCCESS'],
    ['no role, and ours is not visible yet', 'Create', { role: undefined, roles: [], rejects: 2 }, OURS, 'SUCCESS'],
    ['no role, and ours is always rejected', 'Create', { role: undefined, roles: [], rejects: 9 }, undefined, 'FAILED'],
  ] as const)('%s', async (_name, type, account, role, Status) => {
    expect(await run(type, account)).toMatchObject({
      role,
      answer: {
        Status,
        PhysicalResourceId: 'api-gateway-account',
        StackId: 's',
        RequestId: 'r',
        LogicalResourceId: 'l',
      },
    });
  });

  it('fits into inline code', () => {
    expect(Buffer.byteLength(ACCOUNT_HANDLER)).toBeLessThanOrEqual(4096);
  });
});
