import { Validator } from '@cfworker/json-schema';
import { FrameworkError } from '@sallyport/core';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import {
  type BindSpec,
  bind,
  createHttpRouter,
  max,
  min,
  minLength,
  oneOf,
  pattern,
  required,
  type StandardSchema,
  serveRequest,
} from '../src/index.js';
import {
  buildDocument,
  compareCodePoints,
  generateOpenAPI,
  generateOpenAPIJSON,
  type OpenApiField,
  type OpenApiRoute,
  type OpenApiSpec,
  toCanonicalJson,
  toOpenApiPath,
} from '../src/openapi.js';

const route = (over: Partial<OpenApiRoute> = {}): OpenApiRoute => ({
  method: 'GET',
  path: '/a',
  operationId: 'a',
  ...over,
});
const contractOf = (given: BindSpec) => bind(given, () => null).contract;
const spec = (...routes: OpenApiRoute[]): OpenApiSpec => ({ title: 'Notes', version: '1.0', routes });

// biome-ignore lint/suspicious/noExplicitAny: a document is read by path.
const document = (...routes: OpenApiRoute[]): any => generateOpenAPI(spec(...routes));
interface Described {
  readonly components: {
    readonly schemas: { readonly FrameworkError: object };
    readonly responses: { readonly AppBadRequest: { readonly content: object } };
  };
}
const ERRORS = {
  400: { $ref: '#/components/responses/AppBadRequest' },
  422: { $ref: '#/components/responses/AppValidationFailed' },
};

describe('generateOpenAPI', () => {
  it('writes a whole document', () => {
    expect(
      generateOpenAPI(
        spec({
          method: 'post',
          path: '/users/:id?x=1',
          operationId: 'updateUser',
          summary: 'Updates a user',
          tags: ['users'],
          successStatus: 202,
          request: {
            fields: [
              { field: 'trace', source: 'header', name: 'X-Trace', type: 'string' },
              { field: 'dry', source: 'query', name: 'dry_run', type: 'bool', required: true },
              { field: 'id', source: 'path', name: 'id', type: 'int', validation: { min: 1 } },
              {
                field: 'name',
                source: 'body',
                name: 'name',
                type: 'string',
                required: true,
                validation: { maxLength: 9 },
              },
              { field: 'age', source: 'body', name: 'age', type: 'int', validation: { enum: [1, 2] } },
            ],
          },
          response: { description: 'Accepted', fields: [{ field: 'id', name: 'id', type: 'int', required: true }] },
        }),
      ),
    ).toEqual({
      openapi: '3.1.0',
      info: { title: 'Notes', version: '1.0' },
      paths: {
        '/users/{id}': {
          post: {
            operationId: 'updateUser',
            summary: 'Updates a user',
            tags: ['users'],
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
              { name: 'dry_run', in: 'query', required: true, schema: { type: 'boolean' } },
              { name: 'X-Trace', in: 'header', required: false, schema: { type: 'string' } },
            ],
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    additionalProperties: false,
                    properties: { age: { type: 'integer', enum: [1, 2] }, name: { type: 'string', maxLength: 9 } },
                    required: ['name'],
                  },
                },
              },
            },
            responses: {
              202: {
                description: 'Accepted',
                content: {
                  'application/json': {
                    schema: {
                      type: 'object',
                      additionalProperties: false,
                      properties: { id: { type: 'integer' } },
                      required: ['id'],
                    },
                  },
                },
              },
              ...ERRORS,
            },
          },
        },
      },
      components: {
        schemas: {
          FrameworkError: {
            type: 'object',
            required: ['error'],
            properties: {
              error: {
                type: 'object',
                required: ['code', 'message'],
                properties: {
                  code: { type: 'string' },
                  message: { type: 'string' },
                  status_code: { type: 'integer' },
                  details: {},
                  request_id: { type: 'string' },
                  trace_id: { type: 'string' },
                  timestamp: { type: 'string' },
                  stack_trace: { type: 'string' },
                },
              },
            },
          },
        },
        responses: {
          AppBadRequest: {
            description: 'The request cannot be read.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/FrameworkError' } } },
          },
          AppValidationFailed: {
            description: 'The request is not valid.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/FrameworkError' } } },
          },
        },
      },
    });
  });

  it.each(['nested', 'problem', 'flat_legacy'] as const)('describes error bodies in the format %s', async (format) => {
    const http = createHttpRouter({ httpErrorFormat: format });
    const handler = bind({ query: { page: { type: 'int', rules: [required()] } } }, () => null);
    http.get('/notes', handler);
    const described = { ...spec(route({ path: '/notes', contract: handler.contract })), httpErrorFormat: format };
    const { components } = generateOpenAPI(described) as unknown as Described;
    const [mediaType] = Object.keys(components.responses.AppBadRequest.content);
    const judge = new Validator({ ...components.schemas.FrameworkError, additionalProperties: false }, '2020-12');
    for (const [path, status] of [
      ['/notes?page=a', 400],
      ['/notes', 422],
    ] as const) {
      const answer = await serveRequest(http, { method: 'GET', path, headers: { 'x-request-id': 'r' } });
      expect([answer.status, answer.headers['content-type']?.[0]?.split(';')[0]]).toEqual([status, mediaType]);
      expect(judge.validate(JSON.parse(Buffer.from(answer.body).toString())).errors).toEqual([]);
    }
  });

  it('orders paths by code point and methods as OpenAPI does', () => {
    const paths = ['/b', '/\u{1f600}', '/\uff5e', '/a', '/B', '/a/b', '/a-b'];
    const methods = ['TRACE', 'PATCH', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'GET'];
    const { paths: written } = document(
      ...paths.map((path, index) => route({ path, operationId: `p${index}` })),
      ...methods.map((method) => route({ method, path: '/m', operationId: method })),
    );
    expect(Object.keys(written)).toEqual(['/B', '/a', '/a-b', '/a/b', '/b', '/m', '/\uff5e', '/\u{1f600}']);
    expect(Object.keys(written['/m'])).toEqual(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
  });

  it('orders parameters path, query, header, then by name', () => {
    const field = (source: 'path' | 'query' | 'header', name: string): OpenApiField => ({
      field: name,
      source,
      name,
      type: 'string',
    });
    const { paths } = document(
      route({
        path: '/{b}/{a}',
        request: {
          fields: [
            field('header', 'a'),
            field('query', 'b'),
            field('query', 'B'),
            field('query', 'a'),
            field('path', 'b'),
          ],
        },
      }),
    );
    const listed = paths['/{b}/{a}'].get.parameters.map(
      (parameter: { in: string; name: string }) => `${parameter.in} ${parameter.name}`,
    );
    expect(listed).toEqual(['path a', 'path b', 'query B', 'query a', 'query b', 'header a']);
  });

  it('makes every path parameter required, described or not', () => {
    const { paths } = document(
      route({
        path: '/{a}/{b}',
        request: { fields: [{ field: 'a', source: 'path', name: 'a', type: 'int', required: false }] },
      }),
    );
    expect(paths['/{a}/{b}'].get.parameters).toEqual([
      { name: 'a', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'b', in: 'path', required: true, schema: { type: 'string' } },
    ]);
  });

  it('writes a catch-all as one parameter', () => {
    expect(Object.keys(document(route({ path: '/files/:path+' })).paths)).toEqual(['/files/{path}']);
  });

  it.each<[Partial<OpenApiField>, object]>([
    [
      { type: 'string', validation: { minLength: 1, maxLength: 2, pattern: '^a' } },
      { type: 'string', pattern: '^a', minLength: 1, maxLength: 2 },
    ],
    [
      { type: 'float', validation: { min: 0, max: 1.5 } },
      { type: 'number', minimum: 0, maximum: 1.5 },
    ],
    [
      { type: 'int', validation: { enum: [1, 2] } },
      { type: 'integer', enum: [1, 2] },
    ],
    [{ type: 'bool' }, { type: 'boolean' }],
    [
      { type: 'duration', validation: { min: 5 } },
      { type: 'string', format: 'duration' },
    ],
    [
      { type: 'int', array: true, validation: { min: 0, minLength: 1, maxLength: 3 } },
      { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1, maxItems: 3 },
    ],
  ])('writes the field %j as %j', (field, schema) => {
    const { paths } = document(
      route({ request: { fields: [{ field: 'f', source: 'query', name: 'f', type: 'string', ...field }] } }),
    );
    expect(paths['/a'].get.parameters[0].schema).toEqual(schema);
  });

  it('accepts field names that Object.prototype has', () => {
    const fields: OpenApiField[] = ['__proto__', 'constructor', 'toString'].map((name) => ({
      field: name,
      source: 'body',
      name,
      type: 'string',
    }));
    const json = generateOpenAPIJSON(spec(route({ method: 'POST', path: '/__proto__', request: { fields } })));
    expect(json).toContain('"/__proto__":{"post":');
    expect(json).toContain(
      '"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"}}',
    );
  });

  it('writes headers of an answer', () => {
    const { paths } = document(
      route({ response: { fields: [{ field: 'etag', source: 'header', name: 'etag', type: 'string' }] } }),
    );
    expect(paths['/a'].get.responses[200]).toEqual({
      description: 'Success',
      headers: { etag: { required: false, schema: { type: 'string' } } },
    });
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'specification must be an object'],
    ['an unknown key', { ...spec(), servers: [] }, 'specification has the unknown key "servers"'],
    ['no title', { ...spec(), title: ' ' }, 'title is required'],
    ['no version', { ...spec(), version: undefined }, 'version is required'],
    ['no routes', { title: 'a', version: '1' }, 'routes must be a list'],
    ['a route that is none', spec(null as never), 'route must be an object'],
    ['a method that OpenAPI lacks', spec(route({ method: 'CONNECT' })), 'method "CONNECT" is not supported'],
    ['a bad path', spec(route({ path: '/a{b}' })), 'path "/a{b}" is invalid'],
    ['an unknown route key', spec({ ...route(), posture_: 1 } as never), 'route GET /a has the unknown key "posture_"'],
    ['no operation id', spec(route({ operationId: '' })), 'operation id of GET /a is required'],
    ['tags that are text', spec(route({ tags: 'a' as never })), 'tags of GET /a must be a list of strings'],
    ['a route twice', spec(route(), route({ operationId: 'b', method: 'get ' })), 'route GET /a is duplicated'],
    ['an operation id twice', spec(route(), route({ path: '/b' })), 'operation id a is duplicated'],
    [
      'two templates of one shape',
      spec(route({ path: '/{a}' }), route({ path: '/{b}', method: 'PUT', operationId: 'b' })),
      'path /{b} collides with /{a}',
    ],
    [
      'a catch-all that looks like a parameter',
      spec(route({ path: '/f/{p}' }), route({ path: '/f/{p+}', operationId: 'b' })),
      'emitted route GET /f/{p} collides',
    ],
    ['success status 400', spec(route({ successStatus: 400 })), 'success status 400 of GET /a is not possible'],
    ['success status 422', spec(route({ successStatus: 422 })), 'success status 422 of GET /a is not possible'],
    ['success status 99', spec(route({ successStatus: 99 })), 'success status 99 of GET /a is not possible'],
    [
      '204 with fields',
      spec(route({ successStatus: 204, response: { fields: [{ field: 'a', name: 'a', type: 'int' }] } })),
      'success status 204 of GET /a has no body',
    ],
    ['fields that are no list', spec(route({ request: {} as never })), 'fields of request of GET /a must be a list'],
    [
      'an unknown type',
      spec(route({ request: { fields: [{ field: 'a', source: 'query', name: 'a', type: 'date' as never }] } })),
      'type of field a of request of GET /a is not possible',
    ],
    [
      'an unknown source',
      spec(route({ request: { fields: [{ field: 'a', source: 'cookie' as never, name: 'a', type: 'int' }] } })),
      'source of field a of request of GET /a is not possible',
    ],
    [
      'a field without source',
      spec(route({ request: { fields: [{ field: 'a', name: 'a', type: 'int' }] } })),
      'source of field a of request of GET /a is not possible',
    ],
    [
      'a field twice',
      spec(
        route({
          request: {
            fields: [
              { field: 'a', source: 'header', name: 'X-A', type: 'int' },
              { field: 'b', source: 'header', name: 'x-a', type: 'int' },
            ],
          },
        }),
      ),
      'field header x-a of request of GET /a is duplicated',
    ],
    [
      'a path field that is not in the path',
      spec(route({ request: { fields: [{ field: 'a', source: 'path', name: 'a', type: 'int' }] } })),
      'path field a is not in /a',
    ],
    [
      'an unknown validation',
      spec(
        route({
          request: {
            fields: [{ field: 'a', source: 'query', name: 'a', type: 'int', validation: { gt: 1 } as never }],
          },
        }),
      ),
      'validation of field a of request of GET /a has the unknown key "gt"',
    ],
    [
      'an error format that is none',
      { ...spec(route({})), httpErrorFormat: 'flat' },
      'httpErrorFormat must be "nested", "problem" or "flat_legacy"',
    ],
    [
      'a contract that no bound handler has',
      spec(route({ contract: { body: { title: { type: 'string' } } } })),
      'contract of GET /a must be the contract of a bound handler',
    ],
    [
      'a copy of a contract',
      spec(route({ contract: { ...contractOf({ status: 201 }) } })),
      'contract of GET /a must be the contract of a bound handler',
    ],
    [
      'a contract beside fields',
      spec(route({ request: { fields: [] }, contract: contractOf({}) })),
      'route GET /a has fields and a contract: remove one of them',
    ],
  ])('rejects %s', (_, input, message) => {
    expect(() => generateOpenAPI(input as OpenApiSpec)).toThrow(
      expect.failure('app.invalid_configuration', `openapi ${message}`),
    );
    expect(() => generateOpenAPI(input as OpenApiSpec)).toThrow(FrameworkError);
  });

  it.each<[string, unknown]>([
    ['the application', { generateOpenAPI() {}, routes: () => [] }],
    ['its inventory', [{ surface: 'http', method: 'GET', path: '/a', posture: 'public' }]],
    [
      'a specification of its inventory',
      { ...spec(), routes: [{ surface: 'http', method: 'GET', path: '/a', posture: 'public' }] },
    ],
  ])('rejects a secure application: %s', (_, input) => {
    const refusal = expect.failure('app.invalid_configuration', 'secure application', 'generateOpenAPI');
    expect(() => generateOpenAPI(input as OpenApiSpec)).toThrow(refusal);
    expect(() => generateOpenAPIJSON(input as OpenApiSpec)).toThrow(refusal);
  });
});

describe('contracts of bound handlers', () => {
  it('return parameters, bodies and answers from field maps', () => {
    const { contract } = bind(
      {
        params: { id: { type: 'int', rules: [min(1)] } },
        query: {
          tags: { type: 'string', array: true, rules: [minLength(1)] },
          size: { type: 'int', name: 'page_size', rules: [required(), min(1), max(9)] },
          sort: { type: 'string', rules: [oneOf('asc', 'desc')] },
        },
        headers: { trace: { type: 'string', name: 'X-Trace', rules: [pattern('^a')] } },
        body: { wait: { type: 'duration', rules: [required()] } },
        bodyOptional: true,
        response: { ok: { type: 'bool', rules: [required()] } },
        status: 201,
      },
      () => ({ ok: true }),
    );
    const { post } = document(route({ method: 'POST', path: '/n/{id}', contract, response: { description: 'Made' } }))
      .paths['/n/{id}'];
    expect(post).toEqual({
      operationId: 'a',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } },
        { name: 'page_size', in: 'query', required: true, schema: { type: 'integer', minimum: 1, maximum: 9 } },
        { name: 'sort', in: 'query', required: false, schema: { type: 'string', enum: ['asc', 'desc'] } },
        {
          name: 'tags',
          in: 'query',
          required: false,
          schema: { type: 'array', items: { type: 'string' }, minItems: 1 },
        },
        { name: 'x-trace', in: 'header', required: false, schema: { type: 'string', pattern: '^a' } },
      ],
      requestBody: {
        required: false,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              additionalProperties: false,
              properties: { wait: { type: 'string', format: 'duration' } },
              required: ['wait'],
            },
          },
        },
      },
      responses: {
        201: {
          description: 'Made',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                additionalProperties: false,
                properties: { ok: { type: 'boolean' } },
                required: ['ok'],
              },
            },
          },
        },
        ...ERRORS,
      },
    });
  });

  const validators: Record<string, StandardSchema> = {
    zod: z.object({ id: z.string(), n: z.number().min(1).optional() }),
    valibot: toStandardJsonSchema(
      v.object({ id: v.string(), n: v.optional(v.pipe(v.number(), v.minValue(1))) }),
    ) as StandardSchema,
    arktype: type({ id: 'string', 'n?': 'number >= 1' }) as StandardSchema,
  };

  it.each(Object.entries(validators))("use %s's own JSON Schema", (_, schema) => {
    const { contract } = bind({ query: schema, body: schema }, () => null);
    const { post } = document(route({ method: 'POST', contract })).paths['/a'];
    expect(post.parameters).toEqual([
      { name: 'id', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'n', in: 'query', required: false, schema: { type: 'number', minimum: 1 } },
    ]);
    expect(post.requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { id: { type: 'string' }, n: { type: 'number', minimum: 1 } },
            required: ['id'],
          },
        },
      },
    });
  });

  it.each([
    ['field maps', { ok: { type: 'bool' } } as const],
    ['validators', z.object({ ok: z.boolean() })],
  ])('describe no content of an answer with the status 204: %s', (_what, response) => {
    const { contract } = bind({ response, status: 204 } as BindSpec, () => null);
    expect(document(route({ contract })).paths['/a'].get.responses[204]).toEqual({ description: 'Success' });
  });

  it('allow any value where a validator has no JSON Schema', () => {
    const opaque = v.object({ id: v.string() });
    const { contract } = bind({ params: opaque, query: opaque, body: opaque }, () => null);
    const { post } = document(route({ method: 'POST', path: '/{id}', contract })).paths['/{id}'];
    expect(post.parameters).toEqual([{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]);
    expect(post.requestBody.content).toEqual({ 'application/json': { schema: {} } });
  });

  it('describe requests by their input and answers by their output', () => {
    const both = z.object({ n: z.string().default('x') });
    const { contract } = bind({ body: both, response: both }, () => ({}));
    const { post } = document(route({ method: 'POST', contract })).paths['/a'];
    expect(post.requestBody.content['application/json'].schema.required).toBeUndefined();
    expect(post.responses[200].content['application/json'].schema.required).toEqual(['n']);
  });

  it('move recursive schemas to components', () => {
    const Node = z.object({
      name: z.string(),
      get kids() {
        return z.array(Node);
      },
    });
    const { contract } = bind({ body: Node as StandardSchema }, () => null);
    const { paths, components } = document(route({ method: 'POST', operationId: 'make tree', contract }));
    expect(paths['/a'].post.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/make_tree.body',
    });
    expect(components.schemas['make_tree.body']).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string' },
        kids: { type: 'array', items: { $ref: '#/components/schemas/make_tree.body' } },
      },
      required: ['name', 'kids'],
    });
  });

  it('share equal named schemas and keep different schemas apart', () => {
    const User = z.object({ x: z.string() }).meta({ id: 'User' });
    const { contract } = bind({ body: z.object({ a: User, b: User }) }, () => null);
    const one = document(route({ method: 'POST', contract }));
    expect(Object.keys(one.components.schemas)).toEqual(['FrameworkError', 'User']);
    expect(one.paths['/a'].post.requestBody.content['application/json'].schema.properties).toEqual({
      a: { $ref: '#/components/schemas/User' },
      b: { $ref: '#/components/schemas/User' },
    });
    const withDefs = (userType: string): StandardSchema => ({
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => ({ value }),
        jsonSchema: {
          input: () => ({ $ref: '#/$defs/User', $defs: { User: { type: userType } } }),
          output: () => ({}),
        },
      },
    });
    const two = document(
      route({ method: 'POST', contract: contractOf({ body: withDefs('string') }) }),
      route({ method: 'PUT', operationId: 'b', contract: contractOf({ body: withDefs('string') }) }),
      route({ method: 'PATCH', operationId: 'c', contract: contractOf({ body: withDefs('number') }) }),
    );
    expect(two.components.schemas).toMatchObject({ User: { type: 'string' }, 'c.body.User': { type: 'number' } });
    expect(two.paths['/a'].patch.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/c.body.User',
    });
  });

  it('moves only real references', () => {
    const odd: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => ({ value }),
        jsonSchema: {
          input: () => ({
            type: 'object',
            properties: { $ref: { const: { $ref: '#/x' } }, a: { anyOf: [{ $ref: '#/$defs/a~1b' }, true] } },
            default: { $ref: '#' },
            $defs: { 'a/b': { type: 'string' } },
          }),
          output: () => ({}),
        },
      },
    };
    const { paths, components } = document(route({ method: 'POST', contract: contractOf({ body: odd }) }));
    expect(paths['/a'].post.requestBody.content['application/json'].schema).toEqual({
      type: 'object',
      properties: { $ref: { const: { $ref: '#/x' } }, a: { anyOf: [{ $ref: '#/components/schemas/a_b' }, true] } },
      default: { $ref: '#' },
    });
    expect(components.schemas.a_b).toEqual({ type: 'string' });
  });

  it('describe a schema that cannot be written as any value, with the reason', () => {
    const { contract } = bind({ body: z.object({ at: z.date() }), query: z.object({ until: z.date() }) }, () => null);
    const { post } = document(route({ method: 'POST', contract })).paths['/a'];
    expect(post.requestBody.content['application/json'].schema).toEqual({
      description: 'Unknown: Date cannot be represented in JSON Schema',
    });
    expect(post.parameters).toBeUndefined();
  });

  it('reject a parameter that is not in the path', () => {
    expect(() => document(route({ contract: contractOf({ params: { id: { type: 'int' } } }) }))).toThrow(
      expect.failure('app.invalid_configuration', 'openapi path field id', '/a'),
    );
  });
});

describe('JSON form', () => {
  it('is compact, with keys by code point, numbers among them', () => {
    expect(
      toCanonicalJson({ b: [1, { d: null, c: undefined }], 9: 1, 10: 2, '\u{1f600}': 1, '\uff5e': 2, a: 'ü' }),
    ).toBe('{"10":2,"9":1,"a":"ü","b":[1,{"d":null}],"\uff5e":2,"\u{1f600}":1}');
  });

  it('does not depend on the order of routes and fields', () => {
    const a = route({
      method: 'POST',
      request: {
        fields: [
          { field: 'x', source: 'body', name: 'x', type: 'int' },
          { field: 'y', source: 'body', name: 'y', type: 'int' },
        ],
      },
    });
    const b = route({ path: '/b', operationId: 'b' });
    const swapped = { ...a, request: { fields: [...(a.request?.fields ?? [])].reverse() } };
    expect(generateOpenAPIJSON(spec(a, b))).toBe(generateOpenAPIJSON(spec(b, swapped)));
  });

  it.each([
    ['a', 'b', -1],
    ['a', 'ab', -1],
    ['', '', 0],
    ['\uff5e', '\u{1f600}', -1],
    ['b', 'a', 1],
  ])('compares %j with %j', (a, b, sign) => {
    expect(Math.sign(compareCodePoints(a, b))).toBe(sign);
  });
});

describe('parts for other generators', () => {
  it('add to root, components and operations', () => {
    const built = buildDocument(spec(route({ path: '/f/{p+}' })), {
      root: { 'x-mode': 'm' },
      components: { securitySchemes: {} },
      operation: ({ key, path }) => ({ 'x-key': key, 'x-proxy': path.catchAll }),
    });
    expect(built).toMatchObject({
      'x-mode': 'm',
      components: { securitySchemes: {} },
      paths: { '/f/{p}': { get: { operationId: 'a', 'x-key': 'GET /f/{p+}', 'x-proxy': true } } },
    });
  });

  it('read patterns as the router does', () => {
    expect(toOpenApiPath('files/:path+')).toEqual({
      canonical: '/files/{path+}',
      shape: '/files/{}',
      emitted: '/files/{path}',
      params: ['path'],
      catchAll: true,
    });
  });
});
