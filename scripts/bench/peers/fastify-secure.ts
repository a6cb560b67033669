import awsLambdaFastify from '@fastify/aws-lambda';
import fastify from 'fastify';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Invoke } from '../invoke.js';
import { AUDIENCE, addNote, ISSUER, type Note, readKeys } from '../secured.js';

const BODY = {
  type: 'object',
  required: ['title', 'text', 'tags'],
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 80 },
    text: { type: 'string', maxLength: 1000 },
    tags: { type: 'array', items: { type: 'string' } },
  },
};

/** Validation and logger are its own; jose in a hook checks the token. */
export async function createSecure(): Promise<Invoke> {
  const keys = createLocalJWKSet({ keys: readKeys() });
  const app = fastify({ logger: true });
  app.decorateRequest('author', '');
  app.addHook('onRequest', async (request) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const { payload } = await jwtVerify(token, keys, { issuer: ISSUER, audience: AUDIENCE, algorithms: ['RS256'] });
    Object.assign(request, { author: payload.sub });
  });
  app.post('/notes', { schema: { body: BODY } }, async (request, reply) => {
    const { author, body } = request as unknown as { author: string; body: Note };
    return reply.status(201).send(addNote(body, author));
  });
  const invoke = awsLambdaFastify(app);
  await app.ready();
  return invoke as unknown as Invoke;
}
