/** Several functions of a service: one contract and one document; an operation belongs to one function. */
import { type DescribedService, toContract, toOpenApi } from '../src/service.js';

const route = (method: string, path: string) => ({ surface: 'http', method, path, posture: 'authenticated' });
const service = (file: string, more: Partial<DescribedService>): DescribedService => ({
  function: file,
  routes: [],
  triggers: [],
  sends: {},
  ...more,
});

test('every operation and source that two functions register is in one error, with both files', () => {
  const orders = service('src/orders.ts', {
    routes: [route('GET', '/orders/{id}'), route('GET', '/health')],
    triggers: [{ kind: 'queue', name: 'jobs' }],
  });
  const billing = service('src/billing.ts', {
    routes: [route('GET', '/orders/{order}'), route('POST', '/bills')],
    triggers: [
      { kind: 'queue', name: 'jobs' },
      { kind: 'topic', name: 'jobs' },
    ],
  });
  expect(() => toContract('shop', [orders, billing])).toThrow(
    expect.objectContaining({
      code: 'app.invalid_configuration',
      message:
        'framework: contract: registered by two functions: GET /orders/{id} (src/billing.ts and src/orders.ts); queue jobs (src/billing.ts and src/orders.ts)',
    }),
  );
});

test('one document has the operations of all functions, with one id each, and nothing is stated a second time', () => {
  const functions = Array.from({ length: 40 }, (_, team) =>
    service(`src/team-${team}.ts`, {
      routes: Array.from({ length: 10 }, (_, index) => route('GET', `/team-${team}/things-${index}/{id}`)),
    }),
  );
  const document = toOpenApi(toContract('shop', functions)) as {
    paths: Record<string, { get: { operationId: string } }>;
  };
  const ids = Object.values(document.paths).map(({ get }) => get.operationId);
  expect([ids.length, new Set(ids).size]).toEqual([400, 400]);
  expect(document.paths['/team-7/things-3/{id}']?.get.operationId).toBe('getTeam7Things3Id');
});
