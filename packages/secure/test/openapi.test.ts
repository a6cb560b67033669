import { bind, json } from '@sallyport/http';
import { generateOpenAPI } from '@sallyport/http/openapi';
import {
  Authenticated,
  AuthenticatedAnyOf,
  InternalOnly,
  Optional,
  type Posture,
  Public,
  SecureApp,
  type SecureOpenApiSpec,
} from '@sallyport/secure';
import { createNotes, type DescribedSpec, NOTES_SPEC } from './support/notes.js';

type Operations = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

const handler = () => json(200, 1);
const schemes = {
  a1: { type: 'http', scheme: 'bearer' },
  a2: { type: 'http', scheme: 'basic' },
  i: { type: 'http', scheme: 'bearer' },
};
const two = { authenticated: ['a1', 'a2'], internalOnly: ['i'] };

function documentOf(posture: Posture, authSchemes: SecureOpenApiSpec['authSchemes'] = two) {
  const document = new SecureApp().get('/op', handler, posture).generateOpenAPI({
    title: 'T',
    version: '1',
    routes: [{ method: 'GET', path: '/op', operationId: 'op' }],
    securitySchemes: schemes,
    authSchemes,
  });
  return (document.paths as Operations)['/op']?.get ?? {};
}

describe('security by posture', () => {
  it.each<[string, Posture, unknown, string, string[] | undefined]>([
    ['public', Public(), [], 'public', undefined],
    ['optional', Optional(), [{ a1: [] }, { a2: [] }, {}], 'optional', undefined],
    [
      'authenticated',
      Authenticated('s1', 's2'),
      [{ a1: ['s1', 's2'] }, { a2: ['s1', 's2'] }],
      'authenticated',
      ['s1', 's2'],
    ],
    ['authenticated without scopes', Authenticated(), [{ a1: [] }, { a2: [] }], 'authenticated', undefined],
    [
      'any of',
      AuthenticatedAnyOf('s1', 's2'),
      [{ a1: ['s1'] }, { a1: ['s2'] }, { a2: ['s1'] }, { a2: ['s2'] }],
      'authenticated_any_of',
      ['s1', 's2'],
    ],
    ['internal', InternalOnly(), [{ i: [] }], 'internal_only', undefined],
  ])('%s', (_, posture, security, kind, scopes) => {
    const operation = documentOf(posture);
    expect(operation.security).toEqual(security);
    expect(operation['x-framework-auth-posture']).toBe(kind);
    expect(operation['x-framework-required-scopes']).toEqual(scopes);
    expect(operation).not.toHaveProperty('x-framework-proxy');
  });
});

test('without routes the document has all operations, with ids of their methods and paths, and nothing is stated twice', () => {
  const app = new SecureApp({ principalResolver: () => null })
    .get('/notes/{id}', handler, Authenticated('s1'))
    .get('/notes-id', handler, Public())
    .post('/notes/id', bind({ query: { from: { type: 'int' } } }, handler), Optional());
  const document = app.generateOpenAPI({ title: 'T', version: '1', securitySchemes: schemes, authSchemes: two });
  const found = Object.entries(document.paths as Operations).flatMap(([path, methods]) =>
    Object.values(methods).map(({ operationId, parameters = [] }) => [
      path,
      operationId,
      (parameters as object[]).length,
    ]),
  );
  expect(found).toEqual([
    ['/notes-id', 'getNotesId2', 0],
    ['/notes/id', 'postNotesId', 1],
    ['/notes/{id}', 'getNotesId', 1],
  ]);
});

test('all missing members are reported in one run', () => {
  const app = new SecureApp({ principalResolver: () => null }).get('/a', handler, Authenticated());
  expect(() => app.generateOpenAPI({} as never)).toThrow('lacks title, version, securitySchemes, authSchemes');
});

describe('a bound handler', () => {
  const bound = bind({ query: { from: { type: 'int' } } }, () => ({}));
  const other = bind({ query: { until: { type: 'int' } } }, () => ({}));
  const spec = (name: string) => [{ field: name, source: 'query', name, type: 'string' } as const];

  it.each<[string, Partial<DescribedSpec['routes'][number]>, readonly string[]]>([
    ['its contract', {}, ['from']],
    ['its contract, with the description of an answer', { response: { description: 'Done' } }, ['from']],
    ['another contract', { contract: other.contract }, ['until']],
    ['the fields of the request', { request: { fields: spec('since') } }, ['since']],
    ['the fields of the answer', { response: { fields: [{ field: 'ok', name: 'ok', type: 'bool' }] } }, []],
  ])('is described by %s', (_, parts, names) => {
    const document = new SecureApp().get('/op', bound, Public()).generateOpenAPI({
      title: 'T',
      version: '1',
      routes: [{ method: 'GET', path: '/op', operationId: 'op', ...parts }],
      securitySchemes: {},
      authSchemes: { authenticated: [], internalOnly: [] },
    });
    const { parameters = [] } = ((document.paths as Operations)['/op']?.get ?? {}) as {
      parameters?: readonly { readonly name: string }[];
    };
    expect(parameters.map(({ name }) => name)).toEqual(names);
  });
});

describe('the document', () => {
  const document = createNotes().generateOpenAPI(NOTES_SPEC);
  const paths = document.paths as Operations;

  it('names the contract that it follows', () => {
    expect(document['x-framework-contract-mode']).toBe('secure-v1');
    expect(document.openapi).toBe('3.1.0');
  });

  it('contains HTTP operations only', () => {
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(operations).toEqual([
      'get /feed',
      'get /files/{path}',
      'get /health',
      'post /notes',
      'get /notes/{id}',
      'delete /notes/{id}',
    ]);
  });

  it('copies the schemes under their names', () => {
    expect(document.components.securitySchemes).toEqual({
      oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example/.well-known/openid-configuration' },
      bearer: { type: 'http', scheme: 'bearer' },
      iam: { type: 'apiKey', in: 'header', name: 'authorization' },
    });
  });

  it('writes a catch-all as a parameter', () => {
    expect(paths['/files/{path}']?.get).toMatchObject({
      'x-framework-proxy': true,
      parameters: [{ name: 'path', in: 'path', required: true, schema: { type: 'string' } }],
    });
  });

  it('uses request and response schemas of a bound handler', () => {
    expect(paths['/notes']?.post).toMatchObject({
      requestBody: {
        content: { 'application/json': { schema: { properties: { title: { type: 'string', minLength: 1 } } } } },
      },
      responses: { 201: { content: { 'application/json': { schema: { required: ['id', 'title'] } } } } },
    });
  });

  it('keeps a description that is written by hand', () => {
    const routes = NOTES_SPEC.routes.map((route) =>
      route.operationId === 'createNote'
        ? { ...route, response: { fields: [{ field: 'x', name: 'x', type: 'int' as const }] } }
        : route,
    );
    const own = createNotes().generateOpenAPI({ ...NOTES_SPEC, routes }).paths as Operations;
    expect(JSON.stringify(own['/notes']?.post?.responses)).toContain('"x"');
    expect(own['/notes']?.post).not.toHaveProperty('requestBody');
  });

  it('is the same as canonical JSON', () => {
    const text = createNotes().generateOpenAPIJSON(NOTES_SPEC);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
    expect(text.startsWith('{"components":{"responses":{"AppBadRequest":')).toBe(true);
    expect(text).toBe(createNotes().generateOpenAPIJSON({ ...NOTES_SPEC, routes: [...NOTES_SPEC.routes].reverse() }));
  });

  it('shares nothing with what it was written from', () => {
    const app = createNotes();
    const given = structuredClone(NOTES_SPEC) as unknown as {
      securitySchemes: Record<string, Record<string, unknown>>;
      authSchemes: { authenticated: string[] };
    };
    const before = app.generateOpenAPI(given as never);
    (given.securitySchemes.bearer as Record<string, unknown>).scheme = 'none';
    given.authSchemes.authenticated.push('iam');
    expect((before.components.securitySchemes as Record<string, unknown>).bearer).toEqual({
      type: 'http',
      scheme: 'bearer',
    });
    (before.paths as Record<string, unknown>)['/health'] = 'spoilt';
    expect((app.generateOpenAPI(NOTES_SPEC).paths as Operations)['/health']?.get).toMatchObject({ security: [] });
  });

  it('cannot be written by the generator for the legacy contract', () => {
    const app = createNotes();
    for (const secure of [app, app.routes(), { title: 'T', version: '1', routes: app.routes() }]) {
      expect(() => generateOpenAPI(secure as never)).toThrow(
        expect.failure('app.invalid_configuration', 'openapi cannot describe a secure application'),
      );
    }
  });
});

describe('a specification is rejected', () => {
  const build = () =>
    new SecureApp()
      .get('/a/{id}', handler, Authenticated('s'))
      .get('/i', handler, InternalOnly())
      .appSyncField('Query', 'note', handler, Public());
  const valid: DescribedSpec = {
    title: 'T',
    version: '1',
    routes: [
      { method: 'GET', path: '/a/{id}', operationId: 'a' },
      { method: 'GET', path: '/i', operationId: 'i' },
    ],
    securitySchemes: schemes,
    authSchemes: two,
  };
  const [a, i] = valid.routes;
  const missing = { method: 'GET', path: '/gone', operationId: 'gone' };

  it.each<[string, unknown, string]>([
    ['a route twice', { routes: [a, { ...a, operationId: 'b', path: 'a/:id' }, i] }, 'route GET /a/{id} is duplicated'],
    ['a route that is not described', { routes: [a] }, 'missing route GET /i'],
    ['several routes that are not described', { routes: [] }, 'missing route GET /a/{id}, GET /i'],
    ['another name of a parameter', { routes: [{ ...a, path: '/a/{x}' }, i] }, 'missing route GET /a/{id}'],
    ['a route that does not exist', { routes: [a, i, missing] }, 'extra route GET /gone'],
    [
      'a GraphQL field',
      { routes: [a, i, { method: 'GET', path: '/note', operationId: 'n' }] },
      'extra route GET /note',
    ],
    ['a scheme without a name', { securitySchemes: { ...schemes, ' ': {} } }, 'security scheme name is required'],
    ['a scheme twice', { securitySchemes: { ...schemes, ' a1': {} } }, 'security scheme a1 is duplicated'],
    [
      'a scheme that is not there',
      { authSchemes: { ...two, authenticated: ['a1', 'a3'] } },
      'auth scheme a3 is not defined',
    ],
    [
      'a scheme of Object',
      { authSchemes: { ...two, internalOnly: ['toString'] } },
      'auth scheme toString is not defined',
    ],
    [
      '__proto__ for a scheme',
      { authSchemes: { ...two, internalOnly: ['__proto__'] } },
      'auth scheme __proto__ is not defined',
    ],
    [
      'no scheme for callers',
      { authSchemes: { ...two, authenticated: [] } },
      'authenticated scheme binding is required',
    ],
    [
      'no scheme for internal callers',
      { authSchemes: { ...two, internalOnly: [] } },
      'internal scheme binding is required',
    ],
    [
      'a function in a scheme',
      { securitySchemes: { ...schemes, a1: { type: () => 'http' } } },
      'security scheme a1 has a function',
    ],
    [
      'a number in a scheme',
      { securitySchemes: { ...schemes, a1: { flows: [5] } } },
      'security scheme a1 has a number',
    ],
    ['a scheme of null', { securitySchemes: { ...schemes, a1: null } }, 'security scheme a1 must be an object'],
    ['schemes in a list', { securitySchemes: [] }, 'securitySchemes must be an object'],
    ['no bindings', { authSchemes: undefined }, 'authSchemes must be an object'],
    ['an unknown binding', { authSchemes: { ...two, external: [] } }, 'authSchemes has the unknown key "external"'],
    [
      'a text for a binding',
      { authSchemes: { ...two, authenticated: 'a1' } },
      'authSchemes.authenticated must be a list',
    ],
    ['an unknown key', { servers: [] }, 'specification has the unknown key "servers"'],
    ['routes that are no list', { routes: {} as never }, 'routes must be a list'],
    [
      'several members that are missing, in one error',
      { title: undefined, securitySchemes: undefined, authSchemes: undefined },
      'specification lacks title, securitySchemes, authSchemes',
    ],
  ])('%s', (_, change, message) => {
    expect(() => build().generateOpenAPI({ ...valid, ...(change as object) })).toThrow(
      expect.failure('app.invalid_configuration', `secure openapi ${message}`),
    );
  });

  it('emitted paths that collide', () => {
    const app = new SecureApp().get('/f/{path}', handler, Public()).get('/f/{path+}', handler, Public());
    const routes = [
      { method: 'GET', path: '/f/{path}', operationId: 'one' },
      { method: 'GET', path: '/f/{path+}', operationId: 'all' },
    ];
    expect(() => app.generateOpenAPI({ ...valid, routes })).toThrow(
      expect.failure('app.invalid_configuration', 'secure openapi', 'GET /f/{path}'),
    );
  });

  it('for the first of its faults, in the order of the contract', () => {
    const faults: readonly (readonly [object, string])[] = [
      [{ routes: [a, a] }, 'route GET /a/{id} is duplicated'],
      [{ routes: [missing] }, 'missing route GET /a/{id}'],
      [{ routes: [a, i, missing] }, 'extra route GET /gone'],
      [{ securitySchemes: { ' ': {}, a1: {}, 'a1 ': {} } }, 'security scheme name is required'],
      [{ securitySchemes: { a1: {}, 'a1 ': {} } }, 'security scheme a1 is duplicated'],
      [{ authSchemes: { authenticated: [], internalOnly: ['x'] } }, 'auth scheme x is not defined'],
      [{ authSchemes: { authenticated: [], internalOnly: [] } }, 'authenticated scheme binding is required'],
    ];
    for (const [index, [fault, message]] of faults.entries()) {
      // All later faults are present too.
      const later = Object.assign(
        {},
        ...faults
          .slice(index + 1)
          .map(([change]) => change)
          .reverse(),
      );
      expect(() => build().generateOpenAPI({ ...valid, ...later, ...fault })).toThrow(
        expect.failure('app.invalid_configuration', `secure openapi ${message}`),
      );
    }
  });

  it.each<[string, object, string]>([
    ['no title', { title: '' }, 'openapi title is required'],
    ['an operation id twice', { routes: [a, { ...i, operationId: 'a' }] }, 'openapi operation id a is duplicated'],
    ['an invalid path', { routes: [{ ...a, path: '/a//b' }] }, 'openapi path "/a//b" is invalid'],
    ['no path', { routes: [null] }, 'openapi path undefined is invalid'],
    ['an impossible status', { routes: [{ ...a, successStatus: 422 }, i] }, 'openapi success status 422'],
  ])('like the legacy generator’s: %s', (_, change, message) => {
    expect(() => build().generateOpenAPI({ ...valid, ...change })).toThrow(
      expect.failure('app.invalid_configuration', message),
    );
  });
});
