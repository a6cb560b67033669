import { get as httpGet } from 'node:http';
import type { Handler, LambdaContext } from '@sallyport/core';
import { binary, html, json, noContent, text } from '@sallyport/http';

const MIB = 1024 * 1024;

/** A string that no answer and no error report may show. */
const SECRET = 'the connection string';

/** Members of the runtime's context that the framework's type does not have. */
type Given = LambdaContext & { readonly clientContext?: unknown; readonly identity?: unknown };

/** Resolves when the test lets the function continue. */
function gate(): Promise<void> {
  return new Promise((resolve, reject) => {
    httpGet(process.env.GATE_URL ?? '', (answer) => answer.resume().once('end', resolve)).once('error', reject);
  });
}

/** Never settles, and keeps the process alive only as a real request would. */
function never(): Promise<never> {
  return new Promise(() => {});
}

const stream = (chunks: () => AsyncGenerator<Uint8Array>): Handler => {
  return () => ({ status: 200, headers: { 'content-type': 'text/plain' }, bodyStream: chunks() });
};

/** Routes of both containers, by path; the hand-written function answers the same. */
export const ROUTES: Readonly<Record<string, Handler>> = {
  '/hello': () => json(200, { hello: 'world' }),
  '/html': () => ({ ...html(404, '<p>grüße</p>'), cookies: ['a=1', 'b=2'] }),
  '/bytes': () => binary(200, new Uint8Array([0, 255, 128, 10])),
  '/empty': () => text(200, ''),
  '/no-content': () => noContent(),
  '/large': stream(async function* () {
    for (let index = 0; index < 24; index += 1) yield Buffer.alloc(MIB / 16, 97 + index);
  }),
  '/two-chunks': stream(async function* () {
    yield Buffer.from('one;');
    await gate();
    yield Buffer.from('two;');
  }),
  '/fails-before': () => {
    throw new Error(SECRET);
  },
  '/fails-after': stream(async function* () {
    yield Buffer.from('begin;');
    throw new Error(SECRET);
  }),
  '/outlives-deadline': stream(async function* () {
    yield Buffer.from('begin;');
    await never();
  }),
  '/context': (ctx) => {
    const given = ctx.lambdaContext as Given | undefined;
    return json(200, {
      invocation: given?.awsRequestId,
      tenant: given?.tenantId ?? '',
      clientContext: given?.clientContext ?? null,
      identity: given?.identity ?? null,
      timed: ctx.remainingMs > 0 && ctx.remainingMs <= 60_000,
      polluted: 'polluted' in {},
    });
  },
};
