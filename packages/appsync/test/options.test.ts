import { createOpenKernel } from '@sallyport/http/internal';
import { AppSyncSurface } from '../src/internal.js';
import { createService } from './support/service.js';

describe('options of the surface', () => {
  it.each<[object, string]>([
    [{ batchConcurrency: 0 }, 'option "batchConcurrency"'],
    [{ batchConcurrency: 1.5 }, 'option "batchConcurrency"'],
    [{ batchResult: 'list' }, 'option "batchResult"'],
    [{ errorMode: 'reject' }, 'option "errorMode"'],
    [{ deadlineMarginMs: -1 }, 'option "deadlineMarginMs"'],
    [{ errormode: 'throw' }, 'unknown option "errormode"'],
  ])('%j is rejected', (options, message) => {
    expect(() => new AppSyncSurface(createOpenKernel({}), options)).toThrow(
      expect.failure('app.invalid_configuration', message),
    );
  });

  it('may all be left out', () => {
    expect(createService().graphql.serves).toEqual(['appsync']);
  });
});
