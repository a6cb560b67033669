import type { LambdaContext, Surface, SurfaceDoor, SurfaceHost } from '@sallyport/core';
import { unknownProvenance } from '@sallyport/core/internal';
import { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import type { TriggerExtension } from '@sallyport/dispatch';
import { type AppOptions, createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { EVENTS } from './support/events.js';

const AGENT: LambdaContext = { clientContext: { custom: { bedrockAgentCoreToolName: 'notes___add' } } };
const DIRECT: LambdaContext = { clientContext: {} };
const UPLOAD = { Records: [{ eventSource: 'aws:s3', s3: {} }] };

interface Uploads extends TriggerExtension {
  readonly hosts: SurfaceHost[];
  readonly served: unknown[];
}

function uploads(over: Partial<TriggerExtension> = {}): Uploads {
  const hosts: SurfaceHost[] = [];
  const served: unknown[] = [];
  return {
    serves: ['s3'],
    rows: [{ kind: 's3', anyOf: [[{ path: 'Records[0].eventSource', test: 'equals', value: 'aws:s3' }]] }],
    sample: UPLOAD,
    hosts,
    served,
    attach: (host) => void hosts.push(host),
    triggers: () => [{ kind: 's3', name: 'uploads' }],
    async serve(kind, event) {
      served.push(event);
      return kind;
    },
    ...over,
  };
}

describe('the option surfaces', () => {
  it('adds a trigger to the one entrypoint, to explain and to triggers()', async () => {
    const surface = uploads();
    const app = createApp({ surfaces: [surface] });
    app.queue('orders', () => {});

    expect(await app.handleLambda(UPLOAD)).toBe('s3');
    expect(app.explain(UPLOAD).kind).toBe('s3');
    expect(app.triggers()).toEqual([
      { kind: 'queue', name: 'orders' },
      { kind: 's3', name: 'uploads' },
    ]);
    expect(Object.isFrozen(app.triggers())).toBe(true);
  });

  it('is read once, so that a list changed later adds nothing', async () => {
    const surfaces: Surface[] = [];
    const app = createApp({ surfaces });
    surfaces.push(uploads());

    expect(app.explain(UPLOAD).kind).toBeNull();
  });

  it.each<[string, unknown, Error]>([
    ['no list', uploads(), expect.failure('app.invalid_configuration', 'option "surfaces"')],
    [
      'a fixed kind',
      [{ serves: ['queue'], serve: async () => null }],
      expect.failure('dispatch.duplicate_surface', 'queue'),
    ],
    ['a kind twice', [uploads(), uploads()], expect.failure('dispatch.duplicate_surface', 's3')],
    ['a bad sample', [uploads({ sample: {} })], expect.failure('dispatch.invalid_extension', 'sample', 's3')],
    [
      'a bad row',
      [uploads({ rows: [{ kind: 's3' } as never] })],
      expect.failure('dispatch.invalid_extension', 's3', 'row'),
    ],
    [
      '65 surfaces',
      Array.from({ length: 65 }, () => ({ serves: [], serve: async () => null })),
      expect.failure('dispatch.invalid_surface', '64'),
    ],
  ])('is rejected with %s', (_name, surfaces, failure) => {
    expect(() => createApp({ surfaces: surfaces as Surface[] })).toThrow(failure);
  });

  it('attaches nothing when the construction fails', () => {
    const surface = uploads();

    expect(() => createApp({ surfaces: [surface, uploads()] })).toThrow(
      expect.failure('dispatch.duplicate_surface', 's3'),
    );
    expect(surface.hosts).toEqual([]);
    expect(() => createApp({ surfaces: [surface] })).not.toThrow();
  });

  it('attaches a surface to one container only', () => {
    const surface = uploads();
    createApp({ surfaces: [surface] });

    expect(() => createApp({ surfaces: [surface] })).toThrow(
      expect.failure('dispatch.invalid_surface', 'the surface of s3', 'container'),
    );
    expect(surface.hosts).toHaveLength(1);
  });

  it('may share a surface that has no attach()', () => {
    const { attach: _, ...surface } = uploads();

    expect(() => [createApp({ surfaces: [surface] }), createApp({ surfaces: [surface] })]).not.toThrow();
  });
});

/** A front door that reads `{ method, path }`. */
const LATTICE: SurfaceDoor = {
  kind: 'lattice',
  traits: { maxAnswerBytes: 1_000_000, streams: 'collect', measure: (_response, { body }) => body.length },
  read(event) {
    const { method, path } = event as { method: string; path: string };
    const source = {
      headers: () => ({}),
      header: () => [],
      query: () => ({}),
      cookieValues: () => [],
      rawBody: '',
      isBase64: false,
      provenance: unknownProvenance,
    };
    return { method, path, rawPath: path, source };
  },
  write: ({ status }, { body }) => ({ status, body }),
};

describe('what a container lends to a surface', () => {
  function hostOf(options: AppOptions = {}, ...more: Surface[]) {
    const surface = uploads();
    const app = createApp({ ...options, surfaces: [surface, ...more] });
    return { app, surface, host: surface.hosts[0] as SurfaceHost };
  }

  it('is its clock, ids and environment, and what streams defaults to', () => {
    const clock = new ManualClock(5);
    const ids = new ManualIdGenerator();
    const environment = { A: 'b' };
    const { host } = hostOf({ clock, ids, environment });

    expect(host.clock.now()).toEqual(new Date(5));
    expect([host.ids, host.environment]).toEqual([ids, environment]);
    expect(host).toMatchObject({
      deadlineMarginMs: 500,
      maskErrors: false,
      failureText: 'framework: event handler failed',
    });
    expect(host.gate).toBeUndefined();
    expect(hostOf({ deadlineMarginMs: 7, maskErrors: true }).host).toMatchObject({
      deadlineMarginMs: 7,
      maskErrors: true,
    });
  });

  it('serves a request of its routes through a front door of the surface’s', async () => {
    const { app, host } = hostOf();
    app.get('/notes', (ctx) => json(200, [ctx.triggerKind, ctx.invocationProvenance]));
    const event = { method: 'GET', path: '/notes' };

    expect(await host.serveHttp(LATTICE, event, { lambdaContext: undefined })).toMatchObject({
      status: 200,
      body: '["lattice","provider"]',
    });
    expect(await host.serveHttp(LATTICE, { ...event, path: '/x' }, { lambdaContext: undefined })).toMatchObject({
      status: 404,
    });
  });

  it('dispatches to everything but the asking surface', async () => {
    const { app, surface, host } = hostOf();
    const orders: string[] = [];
    app.queue('orders', (_ctx, { body }) => void orders.push(body));

    expect(await host.dispatch(EVENTS.queue, { lambdaContext: undefined })).toEqual({ batchItemFailures: [] });
    expect(orders).toHaveLength(1);
    await expect(host.dispatch(UPLOAD, { lambdaContext: undefined })).rejects.toThrow(
      expect.failure('dispatch.unknown_event'),
    );
    expect(surface.served).toEqual([]);
  });

  it('dispatches no agent’s arguments, and no direct event where those are rejected', async () => {
    const { host } = hostOf({ directInvocations: 'refuse' });

    await expect(host.dispatch(EVENTS.queue, { lambdaContext: AGENT })).rejects.toThrow(
      expect.failure('dispatch.no_adapter', 'agent'),
    );
    await expect(host.dispatch(EVENTS.queue, { lambdaContext: DIRECT })).rejects.toThrow(
      expect.failure('dispatch.direct_refused'),
    );
  });
});

describe('direct entrypoints', () => {
  const entrypoints = [
    ['serveQueueEvent', 'queue'],
    ['serveTableStream', 'table-stream'],
    ['serveStreamEvent', 'stream'],
    ['serveKinesisEvent', 'stream'],
    ['serveTopicEvent', 'topic'],
    ['serveEventBus', 'event-bus'],
    ['serveAppSync', 'appsync'],
    ['serveWebSocket', 'websocket'],
    ['serveGatewayV2', 'gateway-v2'],
    ['serveLambdaFunctionURL', 'function-url'],
    ['serveLoadBalancer', 'load-balancer'],
    ['serveGatewayProxy', 'gateway-v1'],
  ] as const;

  it.each(entrypoints)('%s rejects an agent, and a direct invocation where those are rejected', async (name, kind) => {
    const app = createApp();
    const closed = createApp({ directInvocations: 'refuse' });

    await expect(app[name](EVENTS[kind], AGENT)).rejects.toThrow(expect.failure('dispatch.no_adapter', 'agent'));
    await expect(closed[name](EVENTS[kind], DIRECT)).rejects.toThrow(expect.failure('dispatch.direct_refused'));
  });

  it.each(entrypoints)('%s hands an agent’s arguments to the surface for agents', async (name, kind) => {
    const tools: Surface = { serves: ['tools'], accepts: ['agent'], serve: async (served) => served };

    await expect(createApp({ surfaces: [tools] })[name](EVENTS[kind], AGENT)).resolves.toBe('tools');
  });
});

it.each<[string, unknown]>([
  ['nothing', null],
  ['a function', () => new Date()],
  ['no now', {}],
  ['a now that is no function', { now: 5 }],
  ['a monotonicMs that is no function', { now: () => new Date(), monotonicMs: 5 }],
  ['an after that is no function', { now: () => new Date(), after: 5 }],
  ['neither', { now: () => new Date(), monotonicMs: 5, after: 5 }],
])('a clock is rejected that is or has %s', (_what, clock) => {
  expect(() => createApp({ clock: clock as never })).toThrow(
    expect.failure('app.invalid_configuration', 'option "clock"'),
  );
});
