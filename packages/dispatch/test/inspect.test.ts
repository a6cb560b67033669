import { createEmfSink } from '@sallyport/core/observability';
import { createLambdaFunctionURLStreamingHandler, json } from '@sallyport/http';
import { createEventRouter } from '@sallyport/streams';
import { createApp } from '../src/app.js';
import { createDispatcher } from '../src/index.js';

interface Inspection {
  routes(): readonly object[];
  triggers(): readonly object[];
  openapi(): unknown;
  explain(event: unknown): { readonly kind: string | null };
}

const inspectionOf = (handler: object) =>
  (handler as { readonly [name: symbol]: unknown })[Symbol.for('framework.inspect')] as Inspection;

describe('the inventory of a handler', () => {
  const app = createApp({ log: false });
  app.get('/health', () => json(200, {}));
  app.queue('orders', () => {});

  test('handleLambda lists operations and event handlers, without other visible members', () => {
    const { routes, triggers, openapi, explain } = inspectionOf(app.handleLambda);
    expect(routes()).toEqual([{ surface: 'http', method: 'GET', path: '/health' }]);
    expect(triggers()).toEqual([{ kind: 'queue', name: 'orders' }]);
    expect(openapi()).toBeNull();
    expect(explain({ Records: [] }).kind).toBeNull();
    expect(Object.keys(app.handleLambda)).toEqual([]);
  });

  test('a streaming handler says the same', () => {
    expect(inspectionOf(createLambdaFunctionURLStreamingHandler(app)).routes()).toHaveLength(1);
  });

  test('a dispatcher without a container lists the triggers of its surfaces', () => {
    const events = createEventRouter({ log: false });
    events.topic('alerts', () => {});
    const { routes, triggers } = inspectionOf(createDispatcher(events).handleLambda);
    expect(routes()).toEqual([]);
    expect(triggers()).toEqual([{ kind: 'topic', name: 'alerts' }]);
  });
});

test.each([
  [{}, { cors: false, autoHead: false }],
  [
    { observability: { metric: createEmfSink({ namespace: 'Shop', service: 'orders' }) } },
    { cors: false, autoHead: false, metrics: { namespace: 'Shop', service: 'orders' } },
  ],
  [
    { cors: { allowedOrigins: ['https://app.example'] }, autoHead: true },
    { cors: true, autoHead: true },
  ],
])('a container with %j describes its doors', (options, deployment) => {
  expect(inspectionOf(createApp({ log: false, ...options }).handleLambda)).toMatchObject({ deployment });
});

test.each([
  [{ envelope: { route: 'do', data: 'payload' } }, true],
  [{ envelope: { root: 'do' } }, false],
  [{ envelope: { route: '' } }, false],
  ['do', false],
])('the envelope of WebSocket messages %j is accepted: %s', (socket, isAccepted) => {
  const make = () => inspectionOf(createApp({ log: false, socket } as never).handleLambda);
  if (isAccepted) expect(make()).toMatchObject({ socket });
  else expect(make).toThrow('{ envelope: { route, type, data } } with names of members');
});
