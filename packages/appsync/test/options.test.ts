import { createOpenKernel } from '@sallyport/http/internal';
import { AppSyncSurface } from '../src/surface.js';
import { createService } from './support/service.js';

describe('options of the surface', () => {
  it.each<[object, string]>([
    [{ batchConcurrency: 0 }, 'framework: option "batchConcurrency" must be a whole number, at least 1'],
    [{ batchConcurrency: 1.5 }, 'framework: option "batchConcurrency" must be a whole number, at least 1'],
    [{ batchResult: 'list' }, 'framework: option "batchResult" must be "native" or "envelope"'],
    [{ errorMode: 'reject' }, 'framework: option "errorMode" must be "object" or "throw"'],
    [{ deadlineMarginMs: -1 }, 'framework: option "deadlineMarginMs" must be a number of milliseconds, at least 0'],
    [
      { errormode: 'throw' },
      'framework: unknown option "errormode"; known are batchConcurrency, batchResult, deadlineMarginMs, errorMode',
    ],
  ])('%j is refused', (options, message) => {
    expect(() => new AppSyncSurface(createOpenKernel({}), options)).toThrow(
      expect.objectContaining({ message, code: 'app.invalid_configuration' }),
    );
  });

  it('may all be left out', () => {
    expect(createService().graphql.serves).toEqual(['appsync']);
  });
});
