import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { createMicrovmController, internalCaller, MicrovmError, SecretToken } from '@sallyport/microvm';
import { createFakeMicrovmProvider, createMemoryMicrovmRegistry, scanForLeaks } from '@sallyport/microvm/testing';
import { type LeakWatch, watchLeaks } from './support/leaks.js';
import { IMAGE } from './support/wire.js';

const SECRET = 'eyJhbGciOiJkaXIifQ..c2VjcmV0.c2VjcmV0MQ.c2VjcmV0Mg';
const secrets = ['s3cret/value+1'];
const watch = watchLeaks();

describe('the scanner finds', () => {
  it.each<readonly [string, unknown, string]>([
    ['a secret', { a: [{ b: 'x s3cret/value+1 y' }] }, 'a.0.b'],
    ['a secret in base64', { a: Buffer.from('s3cret/value+1').toString('base64') }, 'a'],
    ['a secret in the middle of base64', { a: Buffer.from('s3cret/value+1, more').toString('base64') }, 'a'],
    ['a secret in base64, one byte later', { a: Buffer.from('a s3cret/value+1, more').toString('base64') }, 'a'],
    ['a secret in base64url, two bytes later', { a: Buffer.from('as3cret/value+1?>').toString('base64url') }, 'a'],
    ['a secret percent-encoded', { a: encodeURIComponent('s3cret/value+1') }, 'a'],
    ['a secret in bytes', { a: Buffer.from('s3cret/value+1') }, 'a'],
    ['a secret as a name', { 's3cret/value+1': 1 }, 's3cret/value+1'],
    ['a secret in a map', new Map([['a', 's3cret/value+1']]), 'a'],
    ['a secret in a set', new Set(['s3cret/value+1']), '0'],
    ['a secret in the message of an error', new Error('s3cret/value+1'), 'message'],
    ['a token', { a: SECRET }, 'a'],
    ['a bearer token', { a: 'Bearer abc' }, 'a'],
    ['a key of AWS', { a: 'id AKIAIOSFODNN7EXAMPLE.' }, 'a'],
    ['a private key', { a: '-----BEGIN EC PRIVATE KEY-----' }, 'a'],
    ['the name of a credential', { headers: { 'X-Aws-Proxy-Auth': 'x' } }, 'headers.X-Aws-Proxy-Auth'],
    ['the name of a credential with underscores', { aws_secret_access_key: 'x' }, 'aws_secret_access_key'],
  ])('%s', (_, value, path) => {
    expect(scanForLeaks(value, { secrets }).map((leak) => leak.path)).toContain(path);
  });

  it.each<readonly [string, unknown]>([
    [
      'ids and states',
      { session_id: 'mvm-0123', state: 'running', token_id: 'auth-0123456789abcdef', token_type: 'auth' },
    ],
    ['a JSON web token of three parts', { a: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln' }],
    ['a text about bearers', { a: 'the bearer of this' }],
    ['what leads back to itself', circle()],
  ])('nothing in %s', (_, value) => {
    expect(scanForLeaks(value, { secrets })).toEqual([]);
  });
});

function circle(): object {
  const value: Record<string, unknown> = { a: 1 };
  value.self = value;
  return value;
}

it('a credential that is leaked on purpose is found by the check that every test file has', () => {
  const planted = watchedBy((watch) => watch.keep({ body: SECRET }));
  expect(planted).toHaveLength(1);
  expect(watchedBy((watch) => watch.event({ session_id: SECRET } as never))).toHaveLength(1);
  expect(watchedBy((watch) => watch.logger.info('a message of the service'))).toHaveLength(1);
  expect(watchedBy((watch) => watch.logger.error('x', { error: new Error('a message of the service') }))).not.toEqual(
    [],
  );
  expect(watchedBy((watch) => watch.observability.log?.({ level: 'info', event: SECRET }))).toHaveLength(1);
});

/** Leaks that a watch finds in the shown values. */
function watchedBy(show: (watch: LeakWatch) => unknown) {
  const before = watch.leaks().length;
  const undo = watch.mark();
  show(watch);
  const found = watch.leaks().slice(before);
  undo();
  return found;
}

it('every test file that makes a controller has this check', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const without = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => {
      const text = readFileSync(`${folder}${name}`, 'utf8');
      return /\.run\(|microvmConformance|createService\(/.test(text) && !/watchLeaks\(\)|microvmConformance/.test(text);
    });
  // The tests of options create no visible machines.
  expect(without).toEqual(['options.test.ts']);
});

it('a secret token is not shown however it is printed', async () => {
  const token = new SecretToken(SECRET);
  const provider = createFakeMicrovmProvider();
  const controller = createMicrovmController({
    provider,
    registry: createMemoryMicrovmRegistry(),
    images: [{ ref: IMAGE }],
  });
  const caller = internalCaller({ identity: 'a', tenantId: 't', namespace: 'n' });
  await controller.run(caller, { sessionId: 's1' });
  await controller.authToken(caller, { sessionId: 's1', ports: [{ port: 8080 }] });
  watch.secrets(() => [...provider.secrets, SECRET]);
  const error = new MicrovmError('microvm.provider_failed', 'service failed', { cause: token });
  for (const value of [token, controller, error, { token }]) {
    watch.keep([
      String(value),
      JSON.stringify(value),
      inspect(value, { depth: 9, showHidden: true }),
      `${Object.entries(value)}`,
    ]);
  }
  expect([String(token), JSON.stringify({ token }), inspect(token)]).toEqual([
    '[REDACTED]',
    '{"token":"[REDACTED]"}',
    '[REDACTED]',
  ]);
});
