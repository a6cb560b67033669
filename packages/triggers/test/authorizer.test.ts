import { detect } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { allow, deny, requestAuthorizer, tokenAuthorizer, unauthorized } from '@sallyport/triggers';
import { buildRequestAuthorizerEvent, buildTokenAuthorizerEvent } from '@sallyport/triggers/testing';
import { HOSTS } from './support.js';

const ARN = 'arn:aws:execute-api:us-east-1:123456789012:api1234567/dev/GET/notes';
const policy = (Effect: string, principalId: string, Resource = ARN) => ({
  principalId,
  policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }] },
});

const OTHERS: readonly [string, () => unknown][] = [
  ['undefined', () => undefined],
  ['true', () => true],
  ["'Allow'", () => 'Allow'],
  ['{ isAuthorized: 1 }', () => ({ isAuthorized: 1 })],
  ['a policy of its own', () => policy('Allow', 'x')],
  ['a copy of allow()', () => ({ ...allow('x') })],
  ['deny()', () => deny()],
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library
  ['a thenable deny', () => ({ then: (done: (value: unknown) => void) => done(deny()) })],
];

describe.each(HOSTS)('a token authorizer in %s', (name, host) => {
  it('answers a policy for allow()', async () => {
    const { handleLambda } = host(() =>
      tokenAuthorizer((_ctx, { token }) => (token === 'Bearer token' ? allow('u1', { context: { n: 1 } }) : deny())),
    );
    await expect(handleLambda(buildTokenAuthorizerEvent())).resolves.toEqual({
      ...policy('Allow', 'u1'),
      context: { n: 1 },
    });
  });

  it.each(OTHERS)('denies for %s', async (_what, result) => {
    const { handleLambda } = host(() => tokenAuthorizer(result as never));
    await expect(handleLambda(buildTokenAuthorizerEvent())).resolves.toEqual(policy('Deny', 'anonymous'));
  });

  it('throws exactly Unauthorized for unauthorized()', async () => {
    const { handleLambda } = host(() => tokenAuthorizer(() => unauthorized()));
    await expect(handleLambda(buildTokenAuthorizerEvent())).rejects.toThrow(/^Unauthorized$/);
  });

  it.each(['the database is at 10.0.0.1', 'Unauthorized'])(
    'throws without the message of an error: %s',
    async (text) => {
      const { handleLambda } = host(() =>
        tokenAuthorizer(() => {
          throw new Error(text);
        }),
      );
      await expect(handleLambda(buildTokenAuthorizerEvent())).rejects.toMatchObject({
        code: 'app.internal',
        message: 'framework: authorizer failed',
      });
    },
  );

  it.each([[['a']], [Number.NaN], [10n], [undefined]])('throws for %p in the context', async (value) => {
    const { handleLambda } = host(() => tokenAuthorizer(() => allow('u', { context: { value } })));
    await expect(handleLambda(buildTokenAuthorizerEvent())).rejects.toMatchObject({
      code: 'app.internal',
      cause: { code: name === 'the secure container' ? 'streams.handler_failed' : 'triggers.invalid_answer' },
    });
  });

  it('answers the API key of the usage plan', async () => {
    const { handleLambda } = host(() => tokenAuthorizer(() => allow('u', { usageIdentifierKey: 'key-1' })));
    await expect(handleLambda(buildTokenAuthorizerEvent())).resolves.toEqual({
      ...policy('Allow', 'u', ARN),
      usageIdentifierKey: 'key-1',
    });
  });

  it('answers the context of a Deny', async () => {
    const { handleLambda } = host(() => tokenAuthorizer(() => deny({ context: { reason: 'expired' } })));
    await expect(handleLambda(buildTokenAuthorizerEvent())).resolves.toEqual({
      ...policy('Deny', 'anonymous', ARN),
      context: { reason: 'expired' },
    });
  });
});

it('the scope api allows the whole stage', async () => {
  const whole = tokenAuthorizer(() => allow('u'), { scope: 'api' });
  await expect(whole.handleLambda(buildTokenAuthorizerEvent())).resolves.toEqual(
    policy('Allow', 'u', 'arn:aws:execute-api:us-east-1:123456789012:api1234567/dev/*'),
  );
});

it.each(['*', 'a?b', '$' + '{aws:username}', 'a/$' + '{*}'])(
  'a path with %s is denied: it would widen the policy',
  async (path) => {
    const methodArn = ARN.replace('notes', path);
    const authorizer = tokenAuthorizer(() => allow('u', { context: { n: 1 }, usageIdentifierKey: 'k' }));
    await expect(authorizer.handleLambda(buildTokenAuthorizerEvent({ methodArn }))).resolves.toEqual(
      policy('Deny', 'u', methodArn),
    );
  },
);

it('a dollar or a brace alone is not a policy variable', async () => {
  const methodArn = ARN.replace('notes', '$metadata/{id}');
  const authorizer = tokenAuthorizer(() => allow('u'));
  await expect(authorizer.handleLambda(buildTokenAuthorizerEvent({ methodArn }))).resolves.toEqual(
    policy('Allow', 'u', methodArn),
  );
});

describe('a request authorizer', () => {
  it.each(['1.0', '2.0'] as const)('sees one view of payload %s and answers in its form', async (version) => {
    const headers = { 'X-Api-Key': 'k' };
    const event = buildRequestAuthorizerEvent({ version, headers, query: { q: '1' } });
    const seen: unknown[] = [];
    const handler = (_ctx: unknown, { event: _event, arn: _arn, ...view }: { event: unknown; arn: string }) => {
      seen.push(view);
      return allow('u', { context: { n: 1 } });
    };
    const simple = requestAuthorizer({ form: 'simple' }, handler);
    const full = requestAuthorizer({ form: 'policy' }, handler);

    await expect(simple.serveAuthorizer(event)).resolves.toEqual({ isAuthorized: true, context: { n: 1 } });
    await expect(full.serveAuthorizer(event)).resolves.toMatchObject({
      principalId: 'u',
      policyDocument: { Statement: [{ Effect: 'Allow', Resource: event.routeArn ?? event.methodArn }] },
    });
    expect(seen[0]).toEqual({
      method: 'GET',
      path: '/notes',
      headers: { 'x-api-key': 'k' },
      query: { q: '1' },
      pathParameters: {},
      identitySource: version === '2.0' ? ['k'] : [],
    });
  });

  it.each(OTHERS)('denies in the simple form for %s', async (_what, result) => {
    const { serveAuthorizer } = requestAuthorizer({ form: 'simple' }, result as never);
    await expect(serveAuthorizer(buildRequestAuthorizerEvent({ version: '2.0' }))).resolves.toEqual({
      isAuthorized: false,
    });
  });

  it.each(['1.0', '2.0'] as const)('is never dispatched: payload %s runs no route', async (version) => {
    const event = buildRequestAuthorizerEvent({ version });
    let ran = false;
    const app = createApp({ log: false });
    app.get('/notes', () => {
      ran = true;
      return json(200, {});
    });
    expect(detect(event)).toBe(version === '2.0' ? 'gateway-v2' : 'gateway-v1');
    await expect(app.handleLambda(event)).rejects.toMatchObject({ code: 'http.authorizer_event' });
    expect(ran).toBe(false);
  });
});

it.each<[string, () => unknown]>([
  ['an unknown option', () => requestAuthorizer({ form: 'simple', ttl: 5 } as never, () => deny())],
  ['no form', () => requestAuthorizer({} as never, () => deny())],
  ['no handler', () => tokenAuthorizer(undefined as never)],
  ['a blank principal', () => allow(' ')],
  ['a blank API key', () => allow('u', { usageIdentifierKey: ' ' })],
])('%s is rejected', (_what, make) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration'));
});
