import { bind, json } from '@sallyport/http';
import {
  Authenticated,
  AuthenticatedAnyOf,
  InternalOnly,
  Optional,
  Public,
  SecureApp,
  type SecureOpenApiSpec,
  type SecureOptions,
} from '@sallyport/secure';
import { z } from 'zod';

const Note = z.object({ id: z.string(), title: z.string() });

/** A service with an operation of every posture. */
export function createNotes(options: SecureOptions = {}): SecureApp {
  return new SecureApp(options)
    .get('/health', () => json(200, { ok: true }), Public())
    .get('/feed', () => json(200, []), Optional())
    .get(
      '/notes/{id}',
      bind({ params: { id: { type: 'string' } }, response: Note }, (ctx, { params }) => ({
        id: params.id,
        title: ctx.authIdentity,
      })),
      Authenticated('notes:read', 'notes:list'),
    )
    .post(
      '/notes',
      bind({ body: z.object({ title: z.string().min(1) }), response: Note, status: 201 }, (_, { body }) => ({
        id: 'n1',
        title: body.title,
      })),
      AuthenticatedAnyOf('notes:write', 'admin'),
    )
    .get('files/:path+', (ctx) => json(200, ctx.param('path')), Authenticated())
    .delete('/notes/{id}', () => json(200, null), InternalOnly())
    .appSyncField('Query', 'health', () => json(200, 1), Public())
    .webSocket('$connect', () => json(200, 1), Authenticated());
}

/** A specification that lists its routes. */
export type DescribedSpec = SecureOpenApiSpec & Required<Pick<SecureOpenApiSpec, 'routes'>>;

export const NOTES_SPEC: DescribedSpec = {
  title: 'Notes',
  version: '1.0.0',
  routes: [
    { method: 'GET', path: '/health', operationId: 'health', summary: 'Says that all is well' },
    { method: 'GET', path: '/feed', operationId: 'feed', summary: 'Lists what is new' },
    { method: 'GET', path: '/notes/{id}', operationId: 'getNote', summary: 'Gets a note' },
    { method: 'POST', path: '/notes', operationId: 'createNote', summary: 'Creates a note' },
    { method: 'get', path: 'files/:path+', operationId: 'getFile', summary: 'Gets a file' },
    { method: 'DELETE', path: '/notes/:id', operationId: 'deleteNote', summary: 'Deletes a note' },
  ],
  securitySchemes: {
    oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example/.well-known/openid-configuration' },
    bearer: { type: 'http', scheme: 'bearer' },
    ' iam ': { type: 'apiKey', in: 'header', name: 'authorization' },
  },
  authSchemes: { authenticated: ['oidc', ' bearer '], internalOnly: ['iam'] },
};
