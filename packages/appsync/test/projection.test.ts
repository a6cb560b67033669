import { FrameworkError, type Handler, type LogRecord } from '@sallyport/core';
import { binary, json, text } from '@sallyport/http';
import { createService, MASKED, portable, resolverEvent } from './support/service.js';

const answer = async (handler: Handler, tier: 'p0' | 'p2' = 'p2') => {
  const service = createService({ tier });
  service.graphql.register('Query', 'note', handler);
  return service.serve(resolverEvent());
};
const throwing =
  (error: unknown): Handler =>
  () => {
    throw error;
  };
const unsupported = (reason: string) =>
  portable('app.internal', 500, 'unsupported appsync response', 'GET', '/note', { reason });

describe('the payload', () => {
  it.each<[string, Handler, unknown]>([
    ['JSON null', () => json(200, null), null],
    ['a JSON list', () => json(200, [1]), [1]],
    ['a JSON text', () => json(200, 'x'), 'x'],
    ['a +json type', () => ({ headers: { 'content-type': 'application/problem+json' }, body: '{"a":1}' }), { a: 1 }],
    ['an empty body', () => text(200, ''), null],
    ['204', () => ({ status: 204 }), null],
    ['text', () => text(200, 'grüße'), 'grüße'],
    ['bytes that are UTF-8', () => ({ body: Buffer.from('grüße') }), 'grüße'],
    [
      'a type that only looks like JSON',
      () => ({ headers: { 'content-type': 'application/jsonx' }, body: '{}' }),
      '{}',
    ],
  ])('of %s', async (_name, handler, payload) => {
    expect(await answer(handler)).toEqual(payload);
  });
});

describe('the error object', () => {
  it.each<[string, Handler, unknown]>([
    ['a stream', () => ({ bodyStream: [Buffer.from('a')] }), unsupported('streaming_body_unsupported')],
    ['a binary answer', () => binary(200, Buffer.from('text')), unsupported('binary_body_unsupported')],
    ['bytes that are no UTF-8', () => ({ body: Buffer.from([0xff]) }), unsupported('binary_body_unsupported')],
    [
      'JSON that is none',
      () => ({ headers: { 'content-type': 'application/json' }, body: '{' }),
      portable('app.internal', 500, 'internal error', 'GET', '/note'),
    ],
    ['no response', () => null as never, portable('app.internal', 500, 'internal error', 'GET', '/note')],
    ['an exception', throwing(new Error('password=1')), MASKED],
    ['undefined thrown', throwing(undefined), MASKED],
    ['a string thrown', throwing('password=1'), MASKED],
    ['a rejection', () => Promise.reject(new TypeError('password=1')), MASKED],
    [
      'a framework error',
      throwing(new FrameworkError('app.conflict', 'taken', { details: { a: 1 } })),
      portable('app.conflict', 409, 'taken', 'GET', '/note', { a: 1 }),
    ],
    [
      'a code of the service',
      throwing(new FrameworkError('notes.full', 'no room')),
      portable('notes.full', 500, 'no room', 'GET', '/note'),
    ],
    [
      'EMPTY_BODY',
      throwing(new FrameworkError('EMPTY_BODY', 'x')),
      portable('app.bad_request', 400, 'request body is empty', 'GET', '/note'),
    ],
    [
      'INVALID_JSON',
      throwing(new FrameworkError('INVALID_JSON', 'x')),
      portable('app.bad_request', 400, 'invalid json', 'GET', '/note'),
    ],
    [
      'a nested error answer',
      () => json(403, { error: { code: 'app.forbidden', message: 'not yours', details: [1] } }),
      portable('app.forbidden', 403, 'not yours', 'GET', '/note', [1]),
    ],
    [
      'a flat error answer',
      () => json(500, { code: 'notes.full', message: 'no room' }),
      portable('notes.full', 500, 'no room', 'GET', '/note'),
    ],
    [
      'a status without a body',
      () => ({ status: 429 }),
      portable('app.rate_limited', 429, 'rate limited', 'GET', '/note'),
    ],
    [
      'a status with a body that says nothing',
      () => json(500, { error: 'x' }),
      portable('app.internal', 500, 'internal error', 'GET', '/note'),
    ],
    ['a status of no code', () => text(418, 'teapot'), portable('app.bad_request', 418, 'bad request', 'GET', '/note')],
    ['status 499', () => text(499, ''), portable('app.bad_request', 499, 'bad request', 'GET', '/note')],
    ['status 500', () => text(500, ''), portable('app.internal', 500, 'internal error', 'GET', '/note')],
    ['status 502', () => text(502, ''), portable('app.internal', 502, 'internal error', 'GET', '/note')],
    ['status 503', () => text(503, ''), portable('app.overloaded', 503, 'overloaded', 'GET', '/note')],
    [
      'an error answer without a message',
      () => json(409, { code: 'app.conflict' }),
      portable('app.conflict', 409, 'conflict', 'GET', '/note'),
    ],
    [
      'an error answer with a message that is no text',
      () => json(409, { error: { code: 'app.conflict', message: { en: 'taken' } } }),
      portable('app.conflict', 409, 'conflict', 'GET', '/note'),
    ],
    [
      'an error answer with a blank code',
      () => json(409, { code: ' ', message: 'taken' }),
      portable('app.conflict', 409, 'conflict', 'GET', '/note'),
    ],
    [
      'an error answer with a code that is no text',
      () => json(409, { code: 5, message: 'taken' }),
      portable('app.conflict', 409, 'conflict', 'GET', '/note'),
    ],
  ])('of %s', async (_name, handler, expected) => {
    expect(await answer(handler)).toEqual(expected);
  });

  it.each([[undefined], [null], [''], [{}], [[]]])('has no details for %j', async (details) => {
    const thrown = throwing(new FrameworkError('app.conflict', 'taken', { details }));
    expect(await answer(thrown)).toEqual(portable('app.conflict', 409, 'taken', 'GET', '/note'));
  });

  it.each([[0], [false], [' '], [[null]], [{ a: undefined }]])('has the details %j', async (details) => {
    const thrown = throwing(new FrameworkError('app.conflict', 'taken', { details }));
    expect(await answer(thrown)).toEqual(portable('app.conflict', 409, 'taken', 'GET', '/note', details));
  });

  it('carries the ids and the time of the error itself', async () => {
    const error = new FrameworkError('app.conflict', 'm', {
      requestId: 'own',
      traceId: 'trace',
      timestamp: 'now',
      cause: new Error('secret'),
    });
    const object = (await answer(throwing(error))) as { error_data: unknown };
    expect(object.error_data).toEqual({ status_code: 409, request_id: 'own', trace_id: 'trace', timestamp: 'now' });
    expect(Object.keys(object)).toEqual(['framework_error', 'error_message', 'error_type', 'error_data', 'error_info']);
    expect(JSON.stringify(object)).not.toContain('secret');
  });

  it('has no request id at P0', async () => {
    const object = (await answer(throwing(new FrameworkError('app.conflict')), 'p0')) as { error_data: object };
    expect(object.error_data).toMatchObject({ status_code: 409 });
    expect(object.error_data).not.toHaveProperty('request_id');
  });

  it('is not touched by the flat legacy format', async () => {
    const service = createService({ httpErrorFormat: 'flat_legacy' });
    expect(await service.serve(resolverEvent())).toEqual(portable('app.not_found', 404, 'not found', 'GET', '/note'));
  });

  it('closes a stream unread', async () => {
    let read = 0;
    let closed = false;
    const stream = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          read += 1;
          return { done: true as const, value: undefined };
        },
        return: async () => {
          closed = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    await answer(() => ({ bodyStream: stream }));
    await new Promise((resolve) => setImmediate(resolve));
    expect([read, closed]).toEqual([0, true]);
  });
});

describe('a middleware or the policy hook', () => {
  it('that answers 403 makes an error object, not data', async () => {
    const service = createService();
    service.use(() => json(403, { error: { code: 'app.forbidden', message: 'forbidden' } }));
    service.graphql.register('Query', 'note', () => text(200, 'data'));
    expect(await service.serve(resolverEvent())).toEqual(portable('app.forbidden', 403, 'forbidden', 'GET', '/note'));
  });

  it('that rejects loses its headers', async () => {
    const service = createService({
      policyHook: () => ({ code: 'app.rate_limited', headers: { 'retry-after': '1' } }),
    });
    service.graphql.register('Query', 'note', () => text(200, 'data'));
    expect(await service.serve(resolverEvent())).toEqual(
      portable('app.rate_limited', 429, 'rate limited', 'GET', '/note'),
    );
  });
});

describe('observability', () => {
  it('runs after the projection and counts its failures', async () => {
    const logs: LogRecord[] = [];
    const service = createService({ observability: { log: (record) => logs.push(record) } });
    service.graphql.register('Query', 'good', () => json(200, [1]));
    service.graphql.register('Query', 'bytes', () => binary(200, Buffer.from([1])));
    service.graphql.register('Query', 'refused', () => json(403, {}));
    for (const field of ['good', 'bytes', 'refused', 'missing']) await service.serve(resolverEvent({ field }));
    expect(logs.map(({ trigger, route, status, error_code }) => [trigger, route, status, error_code])).toEqual([
      ['appsync', 'Query.good', 200, ''],
      ['appsync', 'Query.bytes', 500, 'app.internal'],
      ['appsync', 'Query.refused', 403, 'app.forbidden'],
      ['appsync', '(unmatched)', 404, 'app.not_found'],
    ]);
  });
});
