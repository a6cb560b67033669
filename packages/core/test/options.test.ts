import { parseObservability } from '../src/observability/default-logger.js';
import { INVALID_CONFIGURATION, invalidOption } from '../src/options/define-options.js';
import { isLambda } from '../src/runtime/invocation.js';

it('names a rejected option and never its value', () => {
  expect(invalidOption('tier', 'p0, p1 or p2')).toMatchObject({
    code: INVALID_CONFIGURATION,
    message: 'framework: option "tier" must be p0, p1 or p2',
  });
});

describe('parseObservability', () => {
  it('accepts a whole set of hooks, or nothing', () => {
    const hooks = {
      log: () => {},
      metric: () => {},
      span: { start: () => undefined as never },
      logPath: false,
      metrics: { emit: () => {} },
    };
    expect(parseObservability(hooks)).toBe(hooks);
    expect(parseObservability(undefined)).toEqual({});
  });

  it.each([
    [null, 'option "observability" must be an object'],
    [{ logs: () => {} }, 'unknown option "observability.logs"; known are log, metric, span, logPath, metrics'],
    [{ log: {} }, 'option "observability.log" must be a function'],
    [{ metric: 'x' }, 'option "observability.metric" must be a function'],
    [{ span: () => {} }, 'option "observability.span" must be an object with start()'],
    [{ span: null }, 'option "observability.span" must be an object with start()'],
    [{ logPath: 'no' }, 'option "observability.logPath" must be true or false'],
    [{ metrics: {} }, 'option "observability.metrics" must be the result of defineMetrics()'],
  ])('rejects %j', (value, message) => {
    expect(() => parseObservability(value as never)).toThrow(expect.failure('app.invalid_configuration', message));
  });
});

describe('isLambda', () => {
  it.each([['AWS_LAMBDA_FUNCTION_NAME'], ['AWS_LAMBDA_RUNTIME_API'], ['LAMBDA_TASK_ROOT'], ['AWS_EXECUTION_ENV']])(
    'is read from %s, unless it is empty',
    (name) => {
      expect(isLambda({ [name]: 'x' })).toBe(true);
      expect(isLambda({ [name]: '' })).toBe(false);
    },
  );

  it('does not depend on any other variable', () => {
    expect(isLambda({ AWS_REGION: 'eu-west-1' })).toBe(false);
  });
});
