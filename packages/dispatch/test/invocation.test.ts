import {
  type InvocationProvenance,
  type LambdaContext,
  type Logger,
  type Surface,
  silentLogger,
} from '@sallyport/core';
import {
  createDispatcher,
  createDispatcherWith,
  type Dispatcher,
  type DispatcherOptions,
  detect,
  explain,
  type TriggerExtension,
} from '@sallyport/dispatch';
import { EVENTS } from './support/events.js';

const AGENT: LambdaContext = { clientContext: { custom: { bedrockAgentCoreToolName: 'notes___add' } } };
const DIRECT: LambdaContext = { clientContext: {} };
const EVERY_KIND = Object.entries(EVENTS);

/** A surface that counts what reaches it. */
function counting(serves: readonly string[], accepts?: readonly InvocationProvenance[]): Surface & { calls: string[] } {
  const calls: string[] = [];
  const serve = async (kind: string) => {
    calls.push(kind);
    return `answer of ${kind}`;
  };
  return { serves, calls, serve, ...(accepts && { accepts }) };
}

const fixed = () => counting(EVERY_KIND.map(([kind]) => kind));
const tools = () => counting(['tools'], ['agent']);

function invoke(
  accepts: readonly InvocationProvenance[] = ['provider', 'direct'],
): TriggerExtension & { calls: string[] } {
  const row = {
    kind: 'invoke',
    anyOf: [
      [
        { path: '$invoke', test: 'text' as const },
        { path: 'input', test: 'present' as const },
      ],
    ],
  };
  return { ...counting(['invoke'], accepts), rows: [row], sample: { $invoke: 'a', input: 1 } };
}

const outcome = (dispatcher: Dispatcher, event: unknown, context?: LambdaContext) =>
  dispatcher
    .handleLambda(event, context)
    .catch((error: { message: string; code: string }) => [error.message, error.code]);

const NO_AGENT = ['framework: no adapter for agent invocations', 'dispatch.no_adapter'];
const REFUSED = ['framework: direct invocation refused', 'dispatch.direct_refused'];

describe('an agent invocation', () => {
  it.each([
    ...EVERY_KIND,
    ['no object', null],
    ['a list', []],
    ['nothing known', {}],
    [
      'a durable envelope',
      { DurableExecutionArn: 'arn', CheckpointToken: 't', InitialExecutionState: { Operations: [] } },
    ],
    ['an opt-in row', { $invoke: 'a', input: 1 }],
  ])('of arguments shaped as %s runs nothing without a surface for agents', async (_kind, event) => {
    const surfaces = [fixed(), invoke()];

    expect(await outcome(createDispatcher(...surfaces), event, AGENT)).toEqual(NO_AGENT);
    expect(surfaces.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it.each([...EVERY_KIND, ['no object', null], ['nothing known', {}], ['an opt-in row', { $invoke: 'a', input: 1 }]])(
    'of arguments shaped as %s reaches only the surface for agents',
    async (_kind, event) => {
      const surfaces = [fixed(), invoke(), tools()];

      expect(await outcome(createDispatcher(...surfaces), event, AGENT)).toBe('answer of tools');
      expect(surfaces.flatMap(({ calls }) => calls)).toEqual(['tools']);
    },
  );

  it('is not logged as an unknown event', async () => {
    const lines: string[] = [];
    const log: Logger = { ...silentLogger, error: (text) => void lines.push(text), with: () => log };

    expect(await outcome(createDispatcherWith({ log }), {}, AGENT)).toEqual(NO_AGENT);
    expect(lines).toEqual([]);
  });

  it('reaches no agent surface that is only for agents when it comes from a provider', async () => {
    expect(await outcome(createDispatcher(invoke(['agent'])), { $invoke: 'a', input: 1 })).toEqual([
      'framework: no adapter for invoke',
      'dispatch.no_adapter',
    ]);
  });
});

describe('a direct invocation', () => {
  it.each(EVERY_KIND)('of %s is served by default, as from a trigger', async (kind, event) => {
    expect(await outcome(createDispatcher(fixed()), event, DIRECT)).toBe(`answer of ${kind}`);
  });

  it.each([...EVERY_KIND, ['no object', null], ['nothing known', {}]])(
    'of %s is rejected where direct invocations are',
    async (_kind, event) => {
      const surface = fixed();
      const dispatcher = createDispatcherWith({ directInvocations: 'refuse' }, surface);

      expect(await outcome(dispatcher, event, DIRECT)).toEqual(REFUSED);
      expect(surface.calls).toEqual([]);
    },
  );

  it.each<[string, DispatcherOptions, LambdaContext | undefined, unknown, string]>([
    ['from a trigger', {}, undefined, {}, 'dispatch.unknown_event'],
    ['from a trigger, direct ones refused', { directInvocations: 'refuse' }, undefined, {}, 'dispatch.unknown_event'],
    ['directly', {}, DIRECT, {}, 'dispatch.unknown_event'],
    ['directly, and refused', { directInvocations: 'refuse' }, DIRECT, {}, 'dispatch.direct_refused'],
    ['from an agent', {}, AGENT, {}, 'dispatch.no_adapter'],
    ['from an agent, direct ones refused', { directInvocations: 'refuse' }, AGENT, {}, 'dispatch.no_adapter'],
    ['from a queue', {}, undefined, EVENTS.queue, 'dispatch.no_adapter'],
    [
      'from a queue, direct ones refused',
      { directInvocations: 'refuse' },
      undefined,
      EVENTS.queue,
      'dispatch.no_adapter',
    ],
    ['as from a queue', {}, DIRECT, EVENTS.queue, 'dispatch.no_adapter'],
    ['as from a queue, and refused', { directInvocations: 'refuse' }, DIRECT, EVENTS.queue, 'dispatch.direct_refused'],
  ])('or another without a surface has an error with the reason: %s', async (_name, options, context, event, code) => {
    expect(await outcome(createDispatcherWith(options), event, context)).toEqual([expect.any(String), code]);
  });

  it.each<[string, DispatcherOptions, readonly InvocationProvenance[], LambdaContext | undefined, unknown]>([
    ['accepts both, direct', { directInvocations: 'refuse' }, ['provider', 'direct'], DIRECT, 'answer of invoke'],
    ['accepts both, provider', { directInvocations: 'refuse' }, ['provider', 'direct'], undefined, 'answer of invoke'],
    ['accepts provider, direct', { directInvocations: 'refuse' }, ['provider'], DIRECT, REFUSED],
    ['accepts provider, direct, served', {}, ['provider'], DIRECT, 'answer of invoke'],
    ['accepts direct, direct', {}, ['direct'], DIRECT, 'answer of invoke'],
    [
      'accepts direct, provider',
      {},
      ['direct'],
      undefined,
      ['framework: no adapter for invoke', 'dispatch.no_adapter'],
    ],
  ])('and a surface that %s', async (_name, options, accepts, context, expected) => {
    const dispatcher = createDispatcherWith(options, fixed(), invoke(accepts));

    expect(await outcome(dispatcher, { $invoke: 'a', input: 1 }, context)).toEqual(expected);
  });

  it.each<[string, object]>([
    ['Records', { Records: [{ eventSource: 'aws:sqs' }] }],
    ['requestContext', { requestContext: { http: {} } }],
  ])('with %s has the kind of the table', (_name, beside) => {
    expect(createDispatcher(fixed(), invoke()).detect({ $invoke: 'a', input: 1, ...beside })).not.toBe('invoke');
  });
});

describe('explain with a Lambda context', () => {
  it.each<[string, LambdaContext, object]>([
    [
      'a provider',
      {},
      {
        kind: 'direct',
        origin: 'invocation',
        outcome: 'missed',
        misses: [{ path: 'clientContext', expected: 'present', found: 'absent' }],
      },
    ],
    ['a direct one', DIRECT, { kind: 'direct', origin: 'invocation', outcome: 'matched', misses: [] }],
    ['an agent', AGENT, { kind: 'agent', origin: 'invocation', outcome: 'matched', misses: [] }],
  ])('shows the rule as the first row: %s', (_name, context, row) => {
    expect(explain(EVENTS.queue, context).rows).toHaveLength(12);
    expect(explain(EVENTS.queue, context).rows[0]).toEqual(row);
    expect(createDispatcher(fixed()).explain(EVENTS.queue, context).rows[0]).toEqual(row);
  });

  it('has no row for the invocation without a Lambda context', () => {
    expect(explain(EVENTS.queue).rows).toHaveLength(11);
  });

  it('reports that an agent shadows rows of the table, and detect is unchanged', () => {
    const explanation = explain(EVENTS.queue, AGENT);

    expect(explanation).toMatchObject({
      kind: null,
      error: NO_AGENT[0],
      nearest: null,
      entrypoint: null,
      target: null,
    });
    expect(explanation.rows[1]).toMatchObject({ kind: 'queue', outcome: 'shadowed' });
    expect(detect(EVENTS.queue)).toBe('queue');
  });

  it('names the surface for agents', () => {
    expect(createDispatcher(fixed(), tools()).explain(EVENTS.queue, AGENT)).toMatchObject({
      kind: 'tools',
      error: null,
    });
  });

  it.each([
    ['a known event', EVENTS.queue, 'queue'],
    ['an unknown event', {}, null],
  ])('reports that a direct invocation is rejected: %s', (_name, event, kind) => {
    const dispatcher = createDispatcherWith({ directInvocations: 'refuse' }, fixed());

    expect(dispatcher.explain(event, DIRECT)).toMatchObject({ kind, error: REFUSED[0], target: null });
  });

  it('reports that a direct invocation is served', () => {
    expect(createDispatcher(fixed()).explain(EVENTS.queue, DIRECT)).toMatchObject({ kind: 'queue', error: null });
  });
});

describe('createDispatcherWith', () => {
  it.each<[string, readonly unknown[], Error]>([
    [
      'two surfaces for agents',
      [counting(['a'], ['agent']), counting(['b'], ['agent'])],
      expect.failure('dispatch.duplicate_surface', 'agent', 'a and b'),
    ],
    [
      'an unknown provenance',
      [counting(['queue'], ['anyone' as InvocationProvenance])],
      expect.failure('dispatch.invalid_surface', 'the surface of queue', 'accepts'),
    ],
    [
      'accepts that is no list',
      [{ ...counting(['queue']), accepts: 'agent' }],
      expect.failure('dispatch.invalid_surface', 'the surface of queue', 'accepts'),
    ],
    [
      'attach that is no function',
      [{ ...fixed(), serves: ['queue'], attach: 1 }],
      expect.failure('dispatch.invalid_surface', 'the surface of queue', 'attach'),
    ],
    ['65 surfaces', Array.from({ length: 65 }, () => counting([])), expect.failure('dispatch.invalid_surface', '64')],
    ['no surface at all', [null], expect.failure('dispatch.invalid_surface', 'serves', 'serve()')],
    [
      'rows without alternatives',
      [{ ...invoke(), rows: [{ kind: 'invoke' }] }],
      expect.failure('dispatch.invalid_extension', 'invoke', 'row'),
    ],
    [
      'rows that are no list',
      [{ ...invoke(), rows: null }],
      expect.failure('dispatch.invalid_extension', 'invoke', 'row'),
    ],
    [
      'a condition without a path',
      [{ ...invoke(), rows: [{ kind: 'invoke', anyOf: [[{ test: 'text' }]] }] }],
      expect.failure('dispatch.invalid_extension', 'invoke', 'row'),
    ],
    [
      'a kind for agents beside one that nothing tells',
      [counting(['a', 'b'], ['agent'])],
      expect.failure('dispatch.invalid_surface', 'no row', ' b'),
    ],
  ])('rejects %s', (_name, surfaces, failure) => {
    expect(() => createDispatcherWith({}, ...(surfaces as Surface[]))).toThrow(failure);
  });

  it('takes 64 surfaces', () => {
    expect(() => createDispatcherWith({}, ...Array.from({ length: 64 }, () => counting([])))).not.toThrow();
  });

  it('rejects another word for directInvocations', () => {
    expect(() => createDispatcherWith({ directInvocations: 'maybe' as 'serve' })).toThrow(
      expect.failure('app.invalid_configuration', 'option "directInvocations"'),
    );
  });
});
