import { FrameworkError, type Handler } from '@sallyport/core';
import { binary, json } from '@sallyport/http';
import { createService, MASKED, portable, resolverEvent } from './support/service.js';

const throwing =
  (error: unknown): Handler =>
  () => {
    throw error;
  };
/** The rejection as the Lambda runtime sends it: `errorType`, `errorMessage` and the stack. */
const rejectionOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => new Error('not rejected'),
    (thrown: unknown) => thrown as Error,
  );
  return { errorType: error.name, errorMessage: error.message, trace: String(error.stack) };
};
const serve = (handler: Handler, event: unknown = resolverEvent()) => {
  const service = createService({ errorMode: 'throw' });
  service.graphql.register('Query', 'note', handler);
  return service.serve(event);
};

describe('with errorMode throw', () => {
  it.each<[string, Handler, string, string]>([
    ['a framework error', throwing(new FrameworkError('app.conflict', 'taken')), 'app.conflict', 'taken'],
    ['a code of its own', throwing(new FrameworkError('notes.gone', 'no such note')), 'notes.gone', 'no such note'],
    ['an answer of status 403', () => json(403, { error: { code: 'x.no', message: 'no' } }), 'x.no', 'no'],
    ['an answer of status 404', () => ({ status: 404 }), 'app.not_found', 'not found'],
    ['a binary answer', () => binary(200, Buffer.from('x')), 'app.internal', 'unsupported appsync response'],
    ['no answer', () => null as never, 'app.internal', 'internal error'],
    ['an exception', throwing(new TypeError('password=1')), 'SYSTEM_ERROR', 'internal error'],
    ['a rejection', () => Promise.reject(new TypeError('password=1')), 'SYSTEM_ERROR', 'internal error'],
    ['undefined thrown', throwing(undefined), 'SYSTEM_ERROR', 'internal error'],
    ['a text thrown', throwing('password=1'), 'SYSTEM_ERROR', 'internal error'],
  ])('%s rejects by type and message, and nothing raw', async (_case, handler, errorType, errorMessage) => {
    const rejection = await rejectionOf(serve(handler));
    expect(rejection).toMatchObject({ errorType, errorMessage });
    expect(rejection.trace).not.toContain('password');
    await expect(serve(handler)).rejects.not.toHaveProperty('cause');
  });

  it.each<[string, unknown, string, string]>([
    ['an unknown field', resolverEvent({ field: 'other' }), 'app.not_found', 'not found'],
    ['an unfit event', { info: {}, arguments: {} }, 'app.bad_request', 'invalid appsync event'],
  ])('%s rejects', async (_case, event, errorType, errorMessage) => {
    expect(await rejectionOf(serve(() => json(200, 1), event))).toMatchObject({ errorType, errorMessage });
  });

  it('a payload remains a payload, even if it looks like an error', async () => {
    expect(await serve(() => json(200, null))).toBe(null);
    expect(await serve(() => json(200, { framework_error: true }))).toEqual({ framework_error: true });
  });

  it.each(['object', 'throw'] as const)('a batch keeps its errors in place (%s)', async (errorMode) => {
    const service = createService({ errorMode });
    service.graphql.register('Query', 'note', (ctx) => {
      const { n } = ctx.bodyJson() as { n: number };
      if (n === 1) throw new FrameworkError('app.conflict', 'taken');
      if (n === 2) throw new Error('password=1');
      return json(200, n);
    });
    const events = [0, 1, 2, 3].map((n) => resolverEvent({ args: { n } }));
    expect(await service.serve(events, { awsRequestId: 'req-1' })).toEqual([
      0,
      {
        ...portable('app.conflict', 409, 'taken', 'GET', '/note'),
        error_data: { status_code: 409, request_id: 'req-1#1' },
      },
      MASKED,
      3,
    ]);
  });

  it('a batch of one keeps its error in place', async () => {
    expect(await serve(throwing(new Error('x')), [resolverEvent()])).toEqual([MASKED]);
  });
});

it.each([{}, { errorMode: 'object' as const }])('with %j an error is the error object', async (options) => {
  const service = createService(options);
  service.graphql.register('Query', 'note', throwing(new Error('x')));
  expect(await service.serve(resolverEvent())).toEqual(MASKED);
});
