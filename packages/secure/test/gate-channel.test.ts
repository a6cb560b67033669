import { channel } from 'node:diagnostics_channel';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit/events';
import { Authenticated, Public, SecureApp } from '../src/index.js';

describe('decisions of the gate for tools on a developer’s machine', () => {
  const seen: unknown[] = [];
  const note = (message: unknown) => void seen.push(message);
  const app = new SecureApp({
    log: false,
    principalResolver: async (ctx) => {
      const scopes = ctx.header('x-scopes');
      return scopes === undefined ? null : { identity: 'ada', scopes: scopes.split(' ') };
    },
  });
  app.get('/health', () => json(200, {}), Public());
  app.get('/notes', () => json(200, {}), Authenticated('notes:read'));
  const call = (path: string, scopes?: string) =>
    app.handleLambda(
      buildAPIGatewayV2Request('GET', path, scopes === undefined ? {} : { headers: { 'x-scopes': scopes } }),
    );

  beforeEach(() => {
    seen.length = 0;
    channel('framework.gate').subscribe(note);
  });
  afterEach(() => void channel('framework.gate').unsubscribe(note));

  test.each([
    [
      '/health',
      undefined,
      { record: 'GET /health', posture: 'public', required: [], outcome: 'allowed', principalKind: null, scopes: [] },
    ],
    [
      '/notes',
      undefined,
      {
        record: 'GET /notes',
        posture: 'authenticated',
        required: ['notes:read'],
        outcome: 'unauthenticated',
        principalKind: null,
        scopes: [],
      },
    ],
    [
      '/notes',
      'other',
      {
        record: 'GET /notes',
        posture: 'authenticated',
        required: ['notes:read'],
        outcome: 'forbidden',
        principalKind: null,
        scopes: [],
      },
    ],
    [
      '/notes',
      'notes:read',
      {
        record: 'GET /notes',
        posture: 'authenticated',
        required: ['notes:read'],
        outcome: 'allowed',
        principalKind: 'external',
        scopes: ['notes:read'],
      },
    ],
  ])('%s with scopes %s', async (path, scopes, decision) => {
    await call(path, scopes);
    expect(seen).toEqual([decision]);
    expect(JSON.stringify(seen)).not.toContain('ada');
  });

  test('the document of what is registered needs no description', () => {
    const inspection = (app.handleLambda as unknown as Record<symbol, { openapi(): { paths: object } }>)[
      Symbol.for('framework.inspect')
    ];
    expect(Object.keys(inspection?.openapi().paths ?? {})).toEqual(['/health', '/notes']);
  });
});
