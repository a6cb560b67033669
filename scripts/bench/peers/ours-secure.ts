import { createLogger } from '@sallyport/core/observability';
import { bind, created, maxLength, minLength, required } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import type { Invoke } from '../invoke.js';
import { AUDIENCE, addNote, ISSUER, type Note, readKeys } from '../secured.js';

const BODY = {
  title: { type: 'string', rules: [required(), minLength(1), maxLength(80)] },
  text: { type: 'string', rules: [required(), maxLength(1000)] },
  tags: { type: 'string', array: true, rules: [required()] },
} as const;

export function createSecure(): Invoke {
  const app = new SecureApp({
    log: createLogger(),
    principalResolver: jwtPrincipalResolver({ issuer: ISSUER, audience: [AUDIENCE], jwks: { keys: readKeys() } }),
  });
  app.post(
    '/notes',
    bind({ body: BODY }, (ctx, { body }) => {
      ctx.log.info('note added', { author: ctx.authIdentity });
      return created(addNote(body as Note, ctx.authIdentity), '/notes/1');
    }),
    Authenticated('notes:write'),
  );
  return app.handleLambda;
}
