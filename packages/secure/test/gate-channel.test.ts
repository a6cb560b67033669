import { channel } from 'node:diagnostics_channel';
import { json } from '@sallyport/http';
import { buildAPIGatewayV2Request } from '@sallyport/testkit/events';
import { Authenticated, Public, SecureApp } from '../src/index.js';

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;

describe('decisions of the gate for tools on a developer’s machine', () => {
  const seen: unknown[] = [];
  const note = (message: unknown) => void seen.push(message);
  const app = new SecureApp({
    log: false,
    principalResolver: async (ctx) => {
      const scopes = ctx.header('x-scopes');
      if (scopes === 'down') throw new Error('the directory of ada is down');
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
    [
      '/notes',
      'down',
      {
        record: 'GET /notes',
        posture: 'authenticated',
        required: ['notes:read'],
        outcome: 'failed',
        principalKind: null,
        scopes: [],
      },
    ],
  ])('%s with scopes %s', async (path, scopes, decision) => {
    await call(path, scopes);
    expect(seen).toEqual([decision]);
    expect(JSON.stringify(seen)).not.toContain('ada');
  });

  const pathsOf = ({ handleLambda }: SecureApp) => {
    const inspections = handleLambda as unknown as Record<symbol, { openapi(): { paths: Paths } }>;
    return inspections[Symbol.for('framework.inspect')]?.openapi().paths ?? {};
  };

  test('the document of registrations needs no description', () => {
    expect(Object.keys(pathsOf(app))).toEqual(['/health', '/notes']);
  });

  test('the document of registrations has one name for each operation', () => {
    const similar = new SecureApp({ log: false });
    for (const path of ['/a-b', '/a/b', '/a/b/{id}', '/ab']) similar.get(path, () => json(200, {}), Public());
    similar.post('/a/b', () => json(200, {}), Public());
    const operations = Object.entries(pathsOf(similar)).flatMap(([path, methods]) =>
      Object.values(methods).map(({ operationId }) => [path, operationId]),
    );
    expect(operations).toEqual([
      ['/a-b', 'getAB'],
      ['/a/b', 'getAB2'],
      ['/a/b', 'postAB'],
      ['/a/b/{id}', 'getABId'],
      ['/ab', 'getAb'],
    ]);
  });
});
