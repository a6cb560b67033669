import type { Surface } from '@sallyport/core';
import { createDispatcher, createDispatcherWith } from '@sallyport/dispatch';

const FUNCTION = 'arn:aws:lambda:eu-central-1:123456789012:function:home';
const QUEUE = { Records: [{ eventSource: 'aws:sqs' }] };
const surface = (kind: string, more: object = {}): Surface => ({ serves: [kind], serve: async (one) => one, ...more });
const claims = (_kind: unknown, _event: unknown, context?: { invokedFunctionArn?: string }) =>
  context?.invokedFunctionArn === `${FUNCTION}:cellar`;
const explainClaim = (context?: { invokedFunctionArn?: string }) => {
  const miss = { path: 'invokedFunctionArn', expected: 'qualifier cellar', found: 'another' };
  return [['device', claims('', '', context) ? [] : [miss]]];
};
const device = (more: object = {}) => surface('device', { claims, explainClaim, rows: [], sample: {}, ...more });
const windows = (kind: unknown, event: unknown) => kind === 'queue' && Object.hasOwn(event as object, 'window');

describe('a surface that an alias selects', () => {
  const { handleLambda, explain } = createDispatcher(device(), surface('queue'));

  it.each<[string, string | undefined, unknown, string]>([
    ['its alias', `${FUNCTION}:cellar`, { temperature: 5 }, 'device'],
    ['its alias, with an event of another kind', `${FUNCTION}:cellar`, QUEUE, 'device'],
    ['its alias, with an event that is not an object', `${FUNCTION}:cellar`, 'text', 'device'],
    ['another alias', `${FUNCTION}:attic`, QUEUE, 'queue'],
    ['no alias', FUNCTION, QUEUE, 'queue'],
    ['no context', undefined, QUEUE, 'queue'],
  ])('receives by %s', async (_what, invokedFunctionArn, event, kind) => {
    await expect(handleLambda(event, { invokedFunctionArn })).resolves.toBe(kind);
    expect(explain(event, { invokedFunctionArn }).kind).toBe(kind);
  });

  it.each<[string, string]>([
    ['another alias', `${FUNCTION}:attic`],
    ['a version', `${FUNCTION}:7`],
    ['no alias', FUNCTION],
    ['the ARN of something else', 'arn:aws:lambda:eu-central-1:123456789012:layer:home:cellar'],
    ['a longer ARN', `${FUNCTION}:cellar:cellar`],
    ['an ARN with another end', `${FUNCTION}:x\n${FUNCTION}:cellar`],
  ])('an event that names the alias is unknown with %s', async (_what, invokedFunctionArn) => {
    const event = { qualifier: 'cellar', invokedFunctionArn: `${FUNCTION}:cellar`, alias: 'cellar' };
    await expect(handleLambda(event, { invokedFunctionArn })).rejects.toMatchObject({ code: 'dispatch.unknown_event' });
  });

  it('is explained by its alias', () => {
    expect(explain({}, { invokedFunctionArn: `${FUNCTION}:attic` }).rows[1]).toEqual({
      kind: 'device',
      origin: 'invocation',
      outcome: 'missed',
      misses: [{ path: 'invokedFunctionArn', expected: 'qualifier cellar', found: 'another' }],
    });
    expect(explain({}).rows[0]).toMatchObject({ misses: [{ found: 'another' }] });
    expect(explain(QUEUE, { invokedFunctionArn: `${FUNCTION}:cellar` })).toMatchObject({
      kind: 'device',
      error: null,
      rows: expect.arrayContaining([expect.objectContaining({ kind: 'queue', outcome: 'shadowed' })]),
    });
  });

  it('receives no invocation of an agent or by a direct caller', async () => {
    const invokedFunctionArn = `${FUNCTION}:cellar`;
    const agent = { invokedFunctionArn, clientContext: { custom: { bedrockAgentCoreToolName: 'a___b' } } };
    await expect(handleLambda({}, agent)).rejects.toMatchObject({ code: 'dispatch.no_adapter' });
    const strict = createDispatcherWith({ directInvocations: 'refuse', log: false }, device());
    await expect(strict.handleLambda({}, { invokedFunctionArn, clientContext: {} })).rejects.toMatchObject({
      code: 'dispatch.direct_refused',
    });
  });

  it('a context that cannot be read selects nothing, and the invocation fails', async () => {
    const hostile = Object.defineProperty({}, 'invokedFunctionArn', {
      get() {
        throw new Error('hostile');
      },
    });
    await expect(handleLambda(QUEUE, hostile)).rejects.toThrow('hostile');
  });
});

describe('a surface that claims events of a row', () => {
  const { handleLambda, explain, detect } = createDispatcher(
    surface('queue'),
    surface('window', {
      rows: [{ kind: 'window', anyOf: [[{ path: 'window', test: 'object' }]] }],
      sample: { window: {} },
      claims: windows,
    }),
  );

  it.each<[string, unknown, string, string]>([
    ['that pass its test', { ...QUEUE, window: {} }, 'window', 'queue'],
    ['without the part that it tests', QUEUE, 'queue', 'queue'],
    ['of its own row', { window: {} }, 'window', 'window'],
  ])('receives the events %s', async (_what, event, served, detected) => {
    await expect(handleLambda(event)).resolves.toBe(served);
    expect([explain(event).kind, detect(event)]).toEqual([served, detected]);
  });
});
