import { guardHook, silentLogger } from '../src/observability/hooks.js';

describe('guardHook', () => {
  it('calls the hook with its arguments', () => {
    const seen: unknown[] = [];
    guardHook((a: number, b: string) => seen.push(a, b), 1, 'x');
    expect(seen).toEqual([1, 'x']);
  });

  it('does nothing without a hook', () => {
    expect(() => guardHook(undefined)).not.toThrow();
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('x');
      },
    ],
    [
      'throws nothing',
      () => {
        throw undefined;
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
    [
      'gives a thenable that throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a hostile thenable is the case under test.
        then() {
          throw new Error('x');
        },
      }),
    ],
    [
      'gives an object whose then cannot be read',
      () =>
        Object.defineProperty({}, 'then', {
          get() {
            throw new Error('x');
          },
        }),
    ],
  ])('rejects the request if the hook %s', async (_, hook) => {
    expect(() => guardHook(hook)).not.toThrow();
    await new Promise(setImmediate);
  });
});

it('the silent logger is silent at every level and remains so', () => {
  const bound = silentLogger.with({ a: 1 });
  expect(bound).toBe(silentLogger);
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    expect(bound[level]('x')).toBeUndefined();
    expect(bound.isEnabled(level)).toBe(false);
  }
});
