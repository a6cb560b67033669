import { resolver } from '@sallyport/appsync';
import type { StandardSchema } from '@sallyport/core';
import { Public, SecureApp } from '@sallyport/secure';
import { buildAppSyncEvent, createTestEnv } from '@sallyport/testkit';

/** A schema that accepts an object with a number `n`, and returns it as a string; issues have one path. */
const numbers = (path: readonly string[] = ['n']): StandardSchema =>
  ({
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: { readonly n?: unknown } | null) =>
        typeof value?.n === 'number' ? { value: { n: String(value.n) } } : { issues: [{ message: 'secret', path }] },
    },
  }) as StandardSchema;

async function answer(handler: ReturnType<typeof resolver>, args: Record<string, unknown>) {
  const env = createTestEnv();
  const app = new SecureApp(env.options()).appSyncField('Query', 'one', handler, Public());
  const event = buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'one', arguments: args });
  return JSON.stringify(await app.handleLambda(event, env.lambdaContext()));
}

describe('a field with schemas', () => {
  it('receives the output of the schema of its arguments, and answers that of its result', async () => {
    const seen: unknown[] = [];
    const field = resolver({ args: numbers(), result: numbers() }, (_ctx, args) => {
      seen.push(args);
      return { n: 7, hidden: true };
    });
    expect(await answer(field, { n: 1 })).toContain('{"n":"7"}');
    expect(seen).toEqual([{ n: '1' }]);
  });

  it('rejects arguments before the resolver runs; the error names the path and no value', async () => {
    let runs = 0;
    const text = await answer(
      resolver({ args: numbers() }, () => (runs += 1)),
      { n: 'x' },
    );
    expect(text).toContain('app.validation_failed');
    expect(text).toContain('arguments do not fit their schema at n');
    expect(text).not.toContain('secret');
    expect(runs).toBe(0);
  });

  it('names the root for an issue without a path', async () => {
    expect(
      await answer(
        resolver({ args: numbers([]) }, () => null),
        {},
      ),
    ).toContain('at the root');
  });

  it('does not send a result that does not fit', async () => {
    const text = await answer(
      resolver({ result: numbers() }, () => ({ n: 'private' })),
      {},
    );
    expect(text).toContain('internal error');
    expect(text).not.toContain('private');
    expect(text).not.toContain('do not fit');
  });

  it('leaves arguments and result unchanged without schemas', async () => {
    expect(
      await answer(
        resolver({}, (_ctx, args) => args),
        { n: 1 },
      ),
    ).toContain('{"n":1}');
  });

  it.each([
    ['an unknown key', () => resolver({ arg: numbers() } as never, () => null)],
    ['a value that is not a schema', () => resolver({ args: {} } as never, () => null)],
    ['no resolver', () => resolver({}, undefined as never)],
  ])('%s is rejected', (_what, make) => {
    expect(make).toThrow(expect.failure('app.invalid_configuration'));
  });
});
