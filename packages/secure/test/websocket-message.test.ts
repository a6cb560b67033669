import type { StandardSchema } from '@sallyport/core';
import { json, message } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import { buildWebSocketEvent, createTestEnv } from '@sallyport/testkit';

const Text = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: { readonly text?: unknown } | undefined) =>
      typeof value?.text === 'string'
        ? { value: value.text.toUpperCase() }
        : { issues: [{ message: 'wrong', path: ['text'] }] },
  },
} as StandardSchema<unknown, string>;

async function send(body: string, options?: object) {
  const env = createTestEnv();
  const seen: string[] = [];
  const handler = message(
    Text,
    (_ctx, text) => {
      seen.push(text);
      return json(200, {});
    },
    options,
  );
  const app = new SecureApp(env.options()).webSocket('send', handler, Public());
  const event = buildWebSocketEvent({ routeKey: 'send', body });
  const { statusCode } = (await app.handleLambda(event, env.lambdaContext())) as { readonly statusCode: number };
  return [statusCode, seen];
}

it.each<[what: string, body: string, options: object | undefined, expected: unknown]>([
  ['the output of the schema', '{"action":"send","data":{"text":"hi"}}', undefined, [200, ['HI']]],
  ['another member', '{"action":"send","draft":{"text":"hi"}}', { member: 'draft' }, [200, ['HI']]],
  ['a value that does not fit', '{"action":"send","data":{"text":1}}', undefined, [422, []]],
  ['no member', '{"action":"send"}', undefined, [422, []]],
  ['no JSON', 'hello', undefined, [400, []]],
])('a message with %s is answered', async (_what, body, options, expected) => {
  expect(await send(body, options)).toEqual(expected);
});

it.each([
  ['no schema', () => message({} as never, () => json(200, {}))],
  ['no handler', () => message(Text, undefined as never)],
  ['an unknown option', () => message(Text, () => json(200, {}), { members: 'a' } as never)],
])('%s is rejected', (_what, make) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration'));
});
