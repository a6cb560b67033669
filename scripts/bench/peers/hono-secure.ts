import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { jwk } from 'hono/jwk';
import { logger } from 'hono/logger';
import { validator } from 'hono/validator';
import type { Invoke } from '../invoke.js';
import { AUDIENCE, addNote, ISSUER, isNote, readKeys } from '../secured.js';

export function createSecure(): Invoke {
  const app = new Hono<{ Variables: { jwtPayload: { sub: string } } }>();
  app.use(logger());
  app.use(jwk({ keys: readKeys(), alg: ['RS256'], verification: { iss: ISSUER, aud: AUDIENCE } }));
  app.post(
    '/notes',
    validator('json', (value: unknown, c) => (isNote(value) ? value : c.json({ error: 'no note' }, 422))),
    (c) => c.json(addNote(c.req.valid('json'), c.get('jwtPayload').sub), 201),
  );
  return handle(app) as unknown as Invoke;
}
