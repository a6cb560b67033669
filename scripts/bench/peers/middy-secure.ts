import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import httpRouter from '@middy/http-router';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Invoke } from '../invoke.js';
import { AUDIENCE, addNote, ISSUER, isNote, readKeys } from '../secured.js';

interface Event {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const json = (statusCode: number, value: unknown) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** It has no token check and no logger: jose in a middleware, and the console. */
export function createSecure(): Invoke {
  const keys = createLocalJWKSet({ keys: readKeys() });
  const add = middy()
    .use(httpJsonBodyParser())
    .handler((async ({ body }: Event, { author }: { author: string }) => {
      if (!isNote(body)) return json(422, { error: 'no note' });
      console.log(JSON.stringify({ level: 'info', message: 'note added', author }));
      return json(201, addNote(body, author));
    }) as never);
  return middy()
    .use(httpHeaderNormalizer())
    .use(httpErrorHandler({ logger: false }))
    .use({
      async before({ event, context }) {
        const token = (event as Event).headers.authorization?.replace(/^Bearer /, '') ?? '';
        const { payload } = await jwtVerify(token, keys, { issuer: ISSUER, audience: AUDIENCE, algorithms: ['RS256'] });
        Object.assign(context, { author: payload.sub });
      },
    })
    .handler(httpRouter([{ method: 'POST', path: '/notes', handler: add as never }]) as never) as unknown as Invoke;
}
