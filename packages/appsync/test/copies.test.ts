import { stateOf } from '@sallyport/core/internal';
import { json } from '@sallyport/http';
import { resolver } from '../src/index.js';
import { createService, resolverEvent } from './support/service.js';

const ARGUMENTS = Symbol.for('sallyport.appsync.transport/1');
const SILENT = { log: false } as const;

/** Serves a field whose event is kept by what a copy of this package made. */
async function serveWith(transport: object) {
  const seen: unknown[] = [];
  const service = createService(SILENT);
  service.use((ctx, next) => {
    Object.assign(stateOf(ctx), { transport });
    return next(ctx);
  });
  const handler = resolver((_ctx, args) => {
    seen.push(args);
    return true;
  });
  service.graphql.register('Query', 'note', handler);
  return { answer: await service.serve(resolverEvent({ args: { tenant: 't-1' } })), seen };
}

describe('the arguments of a field', () => {
  it('are read from the event that another copy of the package keeps', async () => {
    const other = { appSync: () => ({}), [ARGUMENTS]: () => ({ tenant: 't-9' }) };
    expect(await serveWith(other)).toEqual({ answer: true, seen: [{ tenant: 't-9' }] });
  });

  it.each<[string, object]>([
    ['without the brand', { appSync: () => ({ arguments: { tenant: 't-9' } }), arguments: () => ({ tenant: 't-9' }) }],
    ['with a brand that is no function', { appSync: () => ({}), [ARGUMENTS]: { tenant: 't-9' } }],
    ['that keeps nothing', {}],
  ])('of another copy %s are an error, and never empty', async (_, other) => {
    expect(await serveWith(other)).toMatchObject({
      answer: {
        error_message: 'internal error',
        error_info: { code: 'app.internal' },
        error_data: { status_code: 500 },
      },
      seen: [],
    });
  });

  it('are empty in an invocation of another kind', async () => {
    const service = createService(SILENT);
    const seen: unknown[] = [];
    const handler = resolver((_ctx, args) => seen.push(args));
    service.graphql.register('Query', 'note', (ctx) => {
      Object.assign(stateOf(ctx), { transport: undefined, triggerKind: 'http-api' });
      return handler(ctx) && json(200, true);
    });
    expect([await service.serve(resolverEvent({ args: { a: 1 } })), seen]).toEqual([true, [{}]]);
  });
});

it('the package registers its copy, so that two copies are reported by name', () => {
  const copies = (globalThis as Record<symbol, unknown>)[Symbol.for('sallyport.copies/1')] as readonly [
    string,
    string,
  ][];
  expect(copies.filter(([name]) => name === '@sallyport/appsync')).toHaveLength(1);
});
