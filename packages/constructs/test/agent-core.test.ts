import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Code, type IFunction, type IVersion, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnParameter, type Stack } from 'aws-cdk-lib/core';
import type { ConstructError } from '../src/errors.js';
import { AgentCoreTarget, type AgentCoreTargetProps, ServiceFunction } from '../src/index.js';
import { newStack, propertiesOf, templateOf } from './support/synth.js';

const TOOL = { name: 'find', description: 'Finds notes.', inputSchema: { type: 'object' } };
const code = Code.fromInline('exports.handler = 1');

function newService() {
  const stack = newStack();
  const { fn } = new ServiceFunction(stack, 'Api', { code });
  const gatewayRole = new Role(stack, 'Gateway', {
    assumedBy: new ServicePrincipal('bedrock-agentcore.amazonaws.com'),
  }) as IRole;
  return { stack, fn, props: { fn, gatewayIdentifier: 'gateway-1', gatewayRole, tools: [TOOL] } };
}

const without = (name: keyof AgentCoreTargetProps) => () => ({ [name]: undefined });
const TOOLS = 'a list of { name, description, inputSchema }';
const NAME = 'letters, digits and -, at most 100';

type Change = (props: AgentCoreTargetProps, stack: Stack) => object;

/** A change that makes valid props wrong, and the part of the error message between class and path. */
const REFUSED: readonly [string, Change, string][] = [
  ['no function', without('fn'), 'fn is missing'],
  ['no gateway', without('gatewayIdentifier'), 'gatewayIdentifier is missing'],
  ['a blank gateway', () => ({ gatewayIdentifier: ' ' }), 'gatewayIdentifier, got " "'],
  ['no role', without('gatewayRole'), 'gatewayRole is missing'],
  [
    'an ARN as role',
    () => ({ gatewayRole: 'arn:aws:iam::123456789012:role/g' }),
    'gatewayRole, got "arn:aws:iam::123456789012:role/g"',
  ],
  ['a name with three underscores', () => ({ targetName: 'a___b' }), `targetName, got "a___b", expected ${NAME}`],
  ['a name that begins with -', () => ({ targetName: '-notes' }), `targetName, got "-notes", expected ${NAME}`],
  ['a name that ends with -', () => ({ targetName: 'notes-' }), `targetName, got "notes-", expected ${NAME}`],
  ['a blank name', () => ({ targetName: '' }), `targetName, got "", expected ${NAME}`],
  [
    'a name of 101 letters',
    () => ({ targetName: 'a'.repeat(101) }),
    `targetName, got "${'a'.repeat(60)}…", expected ${NAME}`,
  ],
  ['no list of tools', without('tools'), `tools is missing, expected ${TOOLS}`],
  ['an empty list of tools', () => ({ tools: [] }), `tools, got a list of 0, expected ${TOOLS}`],
  ['one tool instead of a list', () => ({ tools: TOOL }), `tools, got an object (Object), expected ${TOOLS}`],
  ['null as a tool', () => ({ tools: [null] }), `tools, got a list of 1, expected ${TOOLS}`],
  ['a name as a tool', () => ({ tools: ['find'] }), `tools, got a list of 1, expected ${TOOLS}`],
  [
    'a tool without name',
    () => ({ tools: [{ ...TOOL, name: undefined }] }),
    `tools, got a list of 1, expected ${TOOLS}`,
  ],
  ['a tool with a blank name', () => ({ tools: [{ ...TOOL, name: '' }] }), `tools, got a list of 1, expected ${TOOLS}`],
  [
    'a tool without description',
    () => ({ tools: [{ ...TOOL, description: undefined }] }),
    `tools, got a list of 1, expected ${TOOLS}`,
  ],
  [
    'a tool with a blank description',
    () => ({ tools: [{ ...TOOL, description: '' }] }),
    `tools, got a list of 1, expected ${TOOLS}`,
  ],
  [
    'a tool without schema',
    () => ({ tools: [{ ...TOOL, inputSchema: undefined }] }),
    `tools, got a list of 1, expected ${TOOLS}`,
  ],
  [
    'a tool whose schema is null',
    () => ({ tools: [{ ...TOOL, inputSchema: null }] }),
    `tools, got a list of 1, expected ${TOOLS}`,
  ],
  [
    'a tool whose schema is a list',
    () => ({ tools: [{ ...TOOL, inputSchema: [] }] }),
    `tools, got a list of 1, expected ${TOOLS}`,
  ],
  [
    'a tool whose result has no schema but true',
    () => ({ tools: [{ ...TOOL, outputSchema: true }] }),
    `tools, got a list of 1, expected ${TOOLS}`,
  ],
  ['a second wrong tool', () => ({ tools: [TOOL, {}] }), `tools, got a list of 2, expected ${TOOLS}`],
  ['two tools of one name', () => ({ tools: [TOOL, { ...TOOL, description: 'Another.' }] }), 'tools, got "find"'],
  ['an unknown prop', () => ({ gateway: 'g' }), 'unknown prop "gateway"'],
  [
    'an alias',
    ({ fn }, stack) => {
      const version = (fn as LambdaFunction).currentVersion as IVersion;
      return { fn: new Alias(stack, 'Live', { aliasName: 'live', version }) as IFunction };
    },
    'ownAlias with Test/Live, which is an alias, a version or an imported function',
  ],
  [
    'an imported function',
    (_props, stack) => ({
      fn: LambdaFunction.fromFunctionArn(stack, 'Far', 'arn:aws:lambda:eu-west-1:123456789012:function:f') as IFunction,
    }),
    'ownAlias with Test/Far, which is an alias, a version or an imported function',
  ],
  [
    'a function with tenant isolation',
    (_props, stack) => ({ fn: new ServiceFunction(stack, 'Tenants', { code, tenantIsolation: true }).fn }),
    'a gateway for Test/Tenants/Resource, which has tenant isolation',
  ],
];

describe('a target of a gateway', () => {
  it.each(REFUSED)('rejects %s', (_name, change, problem) => {
    const { stack, props } = newService();
    const given = { ...props, ...change(props, stack) };
    expect(() => new AgentCoreTarget(stack, 'T', given)).toThrow(
      expect.failure('constructs.invalid_prop', `AgentCoreTarget: ${problem}`, '(at Test/T)'),
    );
  });

  it('rejects a name that is known only when the stack is deployed', () => {
    const { stack, props } = newService();
    const { valueAsString } = new CfnParameter(stack, 'Name', { type: 'String' });
    expect(errorOf(() => new AgentCoreTarget(stack, 'T', { ...props, targetName: valueAsString }))).toMatchObject({
      code: 'constructs.literal_needed',
      path: 'Test/T',
    });
  });

  it('rejects a second target in the same gateway, and accepts it in another', () => {
    const { stack, props } = newService();
    new AgentCoreTarget(stack, 'First', props);
    expect(() => new AgentCoreTarget(stack, 'T', { ...props, targetName: 'others' })).toThrow(
      expect.failure(
        'constructs.conflict',
        'AgentCoreTarget: a second mapping',
        'Test/Api/Resource',
        'Test/First',
        '(at Test/T)',
      ),
    );
    new AgentCoreTarget(stack, 'Second', { ...props, gatewayIdentifier: 'gateway-2' });
  });

  it.each(['a', 'a'.repeat(100), '0-notes-9'])('accepts the name %s', (targetName) => {
    const { stack, props } = newService();
    new AgentCoreTarget(stack, 'T', { ...props, targetName });
    expect(propertiesOf(templateOf(stack), 'AWS::BedrockAgentCore::GatewayTarget')).toMatchObject([
      { Name: targetName },
    ]);
  });
});

function errorOf(run: () => unknown): object {
  try {
    run();
  } catch (error) {
    const { code: shown, path, message } = error as ConstructError;
    return { code: shown, path, message };
  }
  return {};
}
