import { type InvocationProvenance, invocationProvenance, type LambdaContext, silentLogger } from '@sallyport/core';
import { refuseAgent } from '@sallyport/core/internal';

const AGENT = { custom: { bedrockAgentCoreToolName: 'notes___add' } };

function explosive(target: object): object {
  const fail = () => {
    throw new RangeError('hostile');
  };
  return new Proxy(target, new Proxy({}, { get: () => fail }));
}

function throwing(name: string): object {
  return Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      throw new RangeError('hostile');
    },
  });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const hidden = Object.defineProperty({}, 'bedrockAgentCoreToolName', { value: 'x', enumerable: false });

describe('the provenance of an invocation', () => {
  it.each<[string, InvocationProvenance, unknown]>([
    ['no context', 'provider', undefined],
    ['null', 'provider', null],
    ['an empty context', 'provider', {}],
    ['undefined members', 'provider', { clientContext: undefined, identity: undefined }],
    ['null members', 'provider', { clientContext: null, identity: null }],
    ['an identity without an id', 'provider', { identity: {} }],
    ['a blank identity id', 'provider', { identity: { cognitoIdentityId: ' ' } }],
    ['an identity id that is no text', 'provider', { identity: { cognitoIdentityId: 5 } }],

    ['an identity id', 'direct', { identity: { cognitoIdentityId: 'eu-west-1:1' } }],
    ['an empty client context', 'direct', { clientContext: {} }],
    ['an empty text', 'direct', { clientContext: '' }],
    ['zero', 'direct', { clientContext: 0 }],
    ['false', 'direct', { clientContext: false }],
    ['a list', 'direct', { clientContext: [] }],
    ['a list with an agent in it', 'direct', { clientContext: [AGENT] }],
    ['the JSON of an agent’s, not parsed', 'direct', { clientContext: JSON.stringify(AGENT) }],
    ['custom of null', 'direct', { clientContext: { custom: null } }],
    ['custom that is a text', 'direct', { clientContext: { custom: 'bedrockAgentCoreToolName' } }],
    ['custom that is a list', 'direct', { clientContext: { custom: ['bedrockAgentCoreToolName'] } }],
    ['another key', 'direct', { clientContext: { custom: { toolName: 'x' } } }],
    ['a key with something before the name', 'direct', { clientContext: { custom: { xbedrockAgentCore: 'x' } } }],
    ['the key beside custom', 'direct', { clientContext: { bedrockAgentCoreToolName: 'x' } }],
    ['an inherited key', 'direct', { clientContext: { custom: Object.create({ bedrockAgentCoreToolName: 'x' }) } }],
    [
      'a key under __proto__',
      'direct',
      { clientContext: JSON.parse('{"custom":{"__proto__":{"bedrockAgentCoreA":1}}}') },
    ],
    ['custom whose getter throws', 'direct', { clientContext: throwing('custom') }],
    ['custom that is a proxy whose traps throw', 'direct', { clientContext: { custom: explosive({}) } }],
    ['custom that is a revoked proxy', 'direct', { clientContext: { custom: revoked() } }],
    ['a client context that is a revoked proxy', 'direct', { clientContext: revoked() }],
    ['a client context whose getter throws', 'direct', throwing('clientContext')],
    ['an identity whose getter throws', 'direct', throwing('identity')],
    ['an identity id whose getter throws', 'direct', { identity: throwing('cognitoIdentityId') }],
    ['a Lambda context whose traps throw', 'direct', explosive({})],

    ['a tool’s name', 'agent', { clientContext: AGENT }],
    ['the other spelling of custom', 'agent', { clientContext: { Custom: AGENT.custom } }],
    ['both, the second an agent’s', 'agent', { clientContext: { custom: {}, Custom: AGENT.custom } }],
    ['another case', 'agent', { clientContext: { custom: { BEDROCKAGENTCOREGATEWAYID: 1 } } }],
    ['PascalCase', 'agent', { clientContext: { custom: { BedrockAgentCoreToolName: null } } }],
    ['the bare prefix', 'agent', { clientContext: { custom: { bedrockagentcore: undefined } } }],
    ['a key that is not enumerable', 'agent', { clientContext: { custom: hidden } }],
    ['a value whose getter would throw', 'agent', { clientContext: { custom: throwing('bedrockAgentCoreToolName') } }],
    ['an agent with an identity', 'agent', { clientContext: AGENT, identity: { cognitoIdentityId: 'x' } }],
  ])('of %s is %s', (_name, expected, context) => {
    expect(invocationProvenance(context as LambdaContext)).toBe(expected);
  });

  it('rejects an agent invocation at an entrypoint that serves no agents', () => {
    expect(() => refuseAgent({ clientContext: AGENT }, silentLogger)).toThrow(
      expect.failure('dispatch.no_adapter', 'agent'),
    );
    expect(() => refuseAgent({ clientContext: {} }, silentLogger)).not.toThrow();
    expect(() => refuseAgent(undefined, silentLogger)).not.toThrow();
  });
});
