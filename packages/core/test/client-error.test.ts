import { FrameworkError } from '@sallyport/core';
import { toClientError } from '@sallyport/core/internal';

const view = (thrown: unknown) => {
  const { code, status, message, details } = toClientError(thrown);
  return { code, status, message, details };
};

describe('what a client sees of an error', () => {
  it.each([
    ['a missing package', new FrameworkError('app.missing_package', 'framework: install x'), 'app.missing_package'],
    [
      'a wrong option',
      new FrameworkError('app.invalid_configuration', 'framework: option "a"'),
      'app.invalid_configuration',
    ],
    [
      'a text of a store',
      new FrameworkError('vectorstore.invalid_input', 'vectorstore: filter of "secret"'),
      'vectorstore.invalid_input',
    ],
    ['a code of ours without a prefix', new FrameworkError('jobs.store_failed', 'PutItem failed'), 'jobs.store_failed'],
    [
      'a text of ours with a code of the application',
      new FrameworkError('orders.failed', 'framework: no'),
      'orders.failed',
    ],
    [
      'details',
      new FrameworkError('vectorstore.unavailable', 'vectorstore: x', { details: { done: 1 } }),
      'vectorstore.unavailable',
    ],
  ])('%s is an internal error', (_name, error, code) => {
    expect(view(error)).toEqual({ code, status: 500, message: 'internal error', details: undefined });
  });

  it.each([
    ['an error of the application', new FrameworkError('orders.sold_out', 'nothing left', { details: { left: 0 } })],
    ['its own text with our general code', new FrameworkError('app.internal', 'try later')],
    ['a code that begins like ours', new FrameworkError('jobsboard.failed', 'no such board')],
    ['a status below 500', new FrameworkError('app.validation_failed', 'framework: input does not fit')],
    [
      'a status that says when to try again',
      new FrameworkError('vectorstore.x', 'vectorstore: x', { statusCode: 503 }),
    ],
  ])('%s is kept', (_name, error) => {
    expect(toClientError(error)).toBe(error);
  });

  it.each([
    ['an error', new Error('secret')],
    ['a text', 'secret'],
    ['nothing', undefined],
    ['null', null],
  ])('%s is app.internal', (_name, thrown) => {
    expect(view(thrown)).toEqual({ code: 'app.internal', status: 500, message: 'internal error', details: undefined });
  });

  it('keeps headers, request and trace, and the error itself as its cause', () => {
    const init = { requestId: 'r', traceId: 't', headers: { 'retry-after': '1' } };
    const error = new FrameworkError('app.internal', 'framework: x', init);
    expect(toClientError(error)).toMatchObject({ ...init, cause: error });
  });
});
