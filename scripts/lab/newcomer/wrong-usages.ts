/** The outcome of a mistake at run time. */
export interface Outcome {
  /** Thrown at construction or registration: the code and a part of the message. */
  readonly throws?: readonly [code: string, text: string];
  /** Answered: the status, and the code of an error or the body. */
  readonly answers?: readonly [status: number, body: string];
  /** The result of the code, as JSON. */
  readonly gives?: string;
  /** A part of a line in the log, from the level on. */
  readonly logs?: readonly [level: 'ERROR' | 'WARN', text: string];
}

/** One mistake of a user who has read only the first example. */
export interface WrongUsage extends Outcome {
  /** Its number in the list of fifty. */
  readonly no: number;
  /** The code: `app` is a `SecureApp`, `options` the options of a test environment, `ok` a handler; `return app` requests `GET /x`. */
  readonly code: string;
  /** A part of the compiler's message; `''` if there is no error. */
  readonly types: string;
}

const INTERNAL = [500, 'app.internal'] as const;

/** The list of fifty. Each is rejected with a message that names the fix, or it works. */
export const WRONG_USAGES: readonly WrongUsage[] = [
  {
    no: 1,
    code: 'new SecureApp({ principalResolvr: () => null })',
    types: "Did you mean to write 'principalResolver'?",
    throws: ['app.invalid_configuration', 'unknown option "principalResolvr"; known are '],
  },
  {
    no: 2,
    code: "app.queue('orders', () => {}, { concurency: 2 })",
    types: "Did you mean to write 'concurrency'?",
    throws: ['app.invalid_configuration', 'unknown option "concurency"; known are concurrency'],
  },
  {
    no: 3,
    code: "app.get('/x', ok)",
    types: 'Expected at least 3 arguments, but got 2',
    throws: ['app.bad_request', 'GET /x has no posture: did you forget to call Public()?'],
  },
  {
    no: 4,
    code: "app.get('/x', ok, Public)",
    types: "is not assignable to parameter of type 'Posture'",
    throws: ['app.bad_request', 'GET /x has the function Public for a posture: call it, Public()'],
  },
  {
    no: 5,
    code: "app.get('/x', ok, { kind: 'public' })",
    types: "is not assignable to parameter of type 'Posture'",
    throws: ['app.bad_request', 'GET /x has a posture that this package did not make: use Public(), '],
  },
  {
    no: 6,
    code: "Authenticated(['a', 'b'])",
    types: "Argument of type 'string[]' is not assignable to parameter of type 'string'",
    throws: ['app.bad_request', 'authenticated scopes must be strings'],
  },
  {
    no: 7,
    code: "app.get('/u/{a}', ok, Public()).get('/u/{b}', ok, Public())",
    types: '',
    throws: ['app.bad_request', 'duplicate route: GET /u/{b}, registered before as /u/{a}'],
  },
  {
    no: 8,
    code: "app.get('/:id', (ctx) => text(200, ctx.param('id')), Public()); return app",
    types: '',
    answers: [200, 'x'],
  },
  { no: 9, code: "app.get('x', ok, Public()); return app", types: '', answers: [200, '"ok"'] },
  {
    no: 10,
    code: "app.get('/x', () => json(200, Promise.resolve(1)), Public()); return app",
    types: "Type 'AwaitTheValueFirst' is not assignable to type 'Result'",
    answers: INTERNAL,
    logs: ['ERROR', 'the value of a response is a promise; await it first'],
  },
  {
    no: 11,
    code: "app.get('/x', () => ({ ok: true }), Public()); return app",
    types: "Type '{ ok: boolean; }' is not assignable to type 'Result'",
    answers: INTERNAL,
    logs: [
      'ERROR',
      'a handler or middleware returned an object with \\"ok\\" instead of a response; for example, return json(200, value)',
    ],
  },
  {
    no: 12,
    code: "app.get('/x', () => {}, Public()); return app",
    types: "Type 'void' is not assignable to type 'Result'",
    answers: INTERNAL,
    logs: [
      'ERROR',
      'a handler or middleware returned nothing instead of a response; for example, return json(200, value)',
    ],
  },
  {
    no: 13,
    code: "app.get('/x', () => 'hi', Public()); return app",
    types: "Type 'string' is not assignable to type 'Result'",
    answers: INTERNAL,
    logs: [
      'ERROR',
      'a handler or middleware returned a string instead of a response; for example, return json(200, value)',
    ],
  },
  {
    no: 14,
    code: "app.get('/x', () => ({ statusCode: 201, body: 'x' }), Public()); return app",
    types: "Type 'number' is not assignable to type 'undefined'",
    answers: INTERNAL,
    logs: [
      'ERROR',
      'a handler or middleware returned an object with \\"statusCode\\" instead of a response; for example, return json(200, value)',
    ],
  },
  { no: 15, code: "app.get('/x', () => new Response('web'), Public()); return app", types: '', answers: [200, 'web'] },
  {
    no: 16,
    code: "app.get('/x', () => { throw new Error('broken'); }, Public()); return app",
    types: '',
    answers: INTERNAL,
    logs: ['ERROR', '"error":{"name":"Error","message":"broken","stack":['],
  },
  {
    no: 16,
    code: "app.get('/x', () => { throw 'broken'; }, Public()); return app",
    types: '',
    answers: INTERNAL,
    logs: ['ERROR', '"error":{"name":"NonError","message":"string","value":"broken"}'],
  },
  {
    no: 16,
    code: "app.get('/x', () => { throw null; }, Public()); return app",
    types: '',
    answers: INTERNAL,
    logs: ['ERROR', '"error":{"name":"NonError"'],
  },
  {
    no: 16,
    code: "app.get('/x', () => { throw { a: 1 }; }, Public()); return app",
    types: '',
    answers: INTERNAL,
    logs: ['ERROR', '"error":{"name":"NonError","message":"object","value":{"a":1}}'],
  },
  {
    no: 16,
    code: "app.get('/x', () => { throw Object.assign(new Error('gone'), { status: 410 }); }, Public()); return app",
    types: '',
    answers: INTERNAL,
    logs: ['ERROR', '"error":{"name":"Error","message":"gone","status":410,'],
  },
  {
    no: 17,
    code: "await app.serve({ method: 'GET', path: '/' }); app.get('/x', ok, Public()); return app",
    types: '',
    answers: [200, '"ok"'],
  },
  {
    no: 18,
    code: "app.queue('orders', () => {}).queue('orders', () => {})",
    types: '',
    throws: ['app.invalid_configuration', 'duplicate handler for queue "orders"'],
  },
  {
    no: 19,
    code: "app.queue('orders', () => {}); return app.handleLambda(queueEvent)",
    types: '',
    gives: '{"batchItemFailures":[{"itemIdentifier":"msg-1"}]}',
    logs: [
      'ERROR',
      'Stack-Orders-AB12\\"; handlers are registered for \\"orders\\"; FRAMEWORK_EVENT_SOURCES maps their names to deployed ones',
    ],
  },
  {
    no: 20,
    code: "app.post('/x', bind({ body: z.object({ a: z.string() }) }, () => null), Public()); return post(app, { a: 1 })",
    types: '',
    answers: [422, 'app.validation_failed'],
  },
  {
    no: 21,
    code: 'bind({ body: oldZod }, () => null)',
    types: "is not assignable to type 'Schema'",
    throws: [
      'app.invalid_configuration',
      'option "body" must be a Standard Schema (version 1) or a map of fields; this validator is older than Standard Schema: zod has it since 3.24',
    ],
  },
  {
    no: 22,
    code: "bind({ body: { type: 'object', properties: { a: { type: 'string' } } } }, () => null)",
    types: "Type 'string' is not assignable to type 'FieldSpec'",
    throws: [
      'app.invalid_configuration',
      'option "body" must be a Standard Schema (version 1) or a map of fields, not a JSON Schema',
    ],
  },
  {
    no: 23,
    code: "createDynamoRateLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 1000 }), onStoreError: 'deny' })",
    types: '',
    throws: [
      'ratelimit.invalid_config',
      'option "tableName" or the variable FRAMEWORK_RATE_LIMIT_TABLE_NAME must be the name of the table',
    ],
  },
  {
    no: 24,
    code: 'createJobLedger()',
    types: '',
    throws: [
      'app.invalid_configuration',
      'option "tableName" or the variable FRAMEWORK_JOBS_TABLE_NAME must be the name of the table',
    ],
  },
  {
    no: 25,
    code: "createDynamoRateLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 1000 }), tableName: 't' })",
    types: "Property 'onStoreError' is missing",
    throws: ['ratelimit.invalid_config', 'option "onStoreError" must be one of "deny", "allow", or a limiter'],
  },
  {
    no: 26,
    code: 'fixedWindow({ limit: 1, windowMs: 60 })',
    types: '',
    throws: [
      'ratelimit.invalid_config',
      'option "windowMs" must be a whole number of milliseconds from 100 to 2,678,400,000',
    ],
  },
  {
    no: 28,
    code: "jwtPrincipalResolver({ issuer: 'https://i.example', audience: ['a'], jwksUri: 'http://i.example/jwks' })",
    types: '',
    throws: ['app.invalid_configuration', 'option "jwksUri" must be an https URL without user name'],
  },
  {
    no: 28,
    code: "jwtPrincipalResolver({ issuer: 'https://i.example', audience: 'a', jwksUri: 'https://i.example/jwks' })",
    types: "Type 'string' is not assignable to type 'readonly string[]'",
    throws: ['app.invalid_configuration', 'option "audience" must be a list of at least one string'],
  },
  {
    no: 28,
    code: "jwtPrincipalResolver({ issuer: 'https://i.example', jwksUri: 'https://i.example/jwks' })",
    types: "Property 'audience' is missing",
    throws: ['app.invalid_configuration', 'option "audience" must be a list of at least one string'],
  },
  {
    no: 30,
    code: 'const handler: LambdaHandler = app; return typeof handler',
    types: "Type 'SecureApp' is not assignable to type 'LambdaHandler'",
    gives: '"object"',
  },
  {
    no: 31,
    code: "app.use(async (_ctx, next) => { await next(); }); app.get('/x', ok, Public()); return app",
    types: "Type 'Promise<void>' is not assignable to type 'Result'",
    answers: INTERNAL,
    logs: ['ERROR', 'next() was called without the context; return next(ctx)'],
  },
  {
    no: 32,
    code: "app.use(async (ctx, next) => { await next(ctx); }); app.get('/x', ok, Public()); return app",
    types: "Type 'Promise<void>' is not assignable to type 'Result'",
    answers: INTERNAL,
    logs: [
      'ERROR',
      'a handler or middleware returned nothing instead of a response; for example, return json(200, value)',
    ],
  },
  {
    no: 33,
    code: "app.get('/x', ok, Public()); app.use(async (ctx, next) => ({ ...(await next(ctx)), status: 203 })); return app",
    types: '',
    answers: [203, '"ok"'],
  },
  {
    no: 34,
    code: 'app.use((_req, _res, next) => next())',
    types: 'Target signature provides too few arguments. Expected 3 or more, but got 2',
    throws: [
      'app.bad_request',
      'middleware must be a function of (ctx, next), which returns an answer: return next(ctx)',
    ],
  },
  {
    no: 35,
    code: "return app.handleLambda({ key1: 'value1' })",
    types: '',
    throws: ['dispatch.unknown_event', 'unknown event type'],
    logs: ['ERROR', 'looks like the default test event of the Lambda console, which no service sends'],
  },
  {
    no: 35,
    code: "return app.handleLambda({ Records: [{ eventSource: 'aws:s3', s3: {} }] })",
    types: '',
    throws: ['dispatch.unknown_event', 'unknown event type'],
    logs: ['ERROR', 'looks like an S3 notification; no opt-in row is registered'],
  },
  {
    no: 36,
    code: "app.get('/{id}', (ctx) => text(200, ctx.param('ID')), Public()); return app",
    types: 'Argument of type \'"ID"\' is not assignable to parameter of type \'"id"\'',
    answers: [200, ''],
  },
  {
    no: 36,
    code: "app.get('/{id}', bind({ params: z.object({ orderId: z.string() }) }, () => null), Public())",
    types: 'Type \'Context<"id">\' is not assignable to type \'Context<"orderId">\'',
    throws: ['app.bad_request', 'the names of bind({ params }) (orderId) must be those of the pattern (id): GET /{id}'],
  },
  {
    no: 37,
    code: "app.get('/x', bind({ response: { id: { type: 'int' } } }, () => ({ id: 'seven' })), Public()); return app",
    types: "Type 'string' is not assignable to type 'number'",
    answers: INTERNAL,
    logs: ['ERROR', 'the answer does not fit its schema: '],
  },
  {
    no: 38,
    code: "const own = new SecureApp({ ...options, principalResolver: () => ({ sub: 'ada' }) }); own.get('/x', ok, Authenticated()); return own",
    types: "is not assignable to type 'SecurePrincipalResolver'",
    answers: [401, 'app.unauthorized'],
    logs: [
      'WARN',
      'principal resolver returned no identity; return { identity, scopes: [] }, or null for an anonymous caller',
    ],
  },
  {
    no: 38,
    code: "const own = new SecureApp({ ...options, principalResolver: () => 'ada' }); own.get('/x', ok, Authenticated()); return own",
    types: "is not assignable to type 'SecurePrincipalResolver'",
    answers: [401, 'app.unauthorized'],
    logs: [
      'WARN',
      'principal resolver returned no object; return { identity, scopes: [] }, or null for an anonymous caller',
    ],
  },
  {
    no: 38,
    code: "const own = new SecureApp({ ...options, principalResolver: () => ({ identity: 'ada', scopes: 'a b' }) }); own.get('/x', ok, Authenticated('a')); return own",
    types: "is not assignable to type 'SecurePrincipalResolver'",
    answers: [403, 'app.forbidden'],
    logs: ['WARN', 'principal resolver returned scopes that are not a list; return { identity, scopes: [] }'],
  },
  {
    no: 39,
    code: "const open = createApp(options); open.get('/x', ok, { authRequired: true }); return open",
    types: '',
    answers: [401, 'app.unauthorized'],
    logs: ['WARN', 'the route has authRequired, but the option authHook is missing: every call is rejected'],
  },
  {
    no: 40,
    code: "app.queue('orders', idempotentHandler(createMemoryJobLedger(), { key: () => undefined }, () => {})); return app.handleLambda(ordersEvent)",
    types: "Type 'undefined' is not assignable to type 'string'",
    gives: '{"batchItemFailures":[{"itemIdentifier":"msg-1"}]}',
    logs: ['ERROR', '"message":"framework: key must be a non-empty string","code":"jobs.invalid_input"'],
  },
  {
    no: 41,
    code: "mcp.tool('a b', {}, () => 'x')",
    types: '',
    throws: ['mcp.invalid_registration', 'tool name "a b" is not of the form [A-Za-z0-9_.-]{1,128}'],
  },
  {
    no: 41,
    code: "mcp.tool('a', {}, () => 'x'); mcp.tool('a', {}, () => 'x')",
    types: '',
    throws: ['mcp.invalid_registration', 'tool "a" is registered twice'],
  },
  {
    no: 41,
    code: "mcp.tool('a', { inputSchema: {} }, () => 'x')",
    types: "'inputSchema' does not exist in type 'ToolOptions",
    throws: ['mcp.invalid_registration', 'tool "a": unknown option "inputSchema"; known are title, '],
  },
  {
    no: 41,
    code: "createMcpServer({ name: 'a', version: '1', secret: { current: 'short' } })",
    types: '',
    throws: ['app.invalid_configuration', 'option "secret" must be keys of at least 32 bytes'],
  },
  {
    no: 41,
    code: "createMcpServer({ name: 'a' })",
    types: "Property 'version' is missing",
    throws: ['app.invalid_configuration', 'option "version" must be a string that is not empty'],
  },
  {
    no: 41,
    code: 'mountMcp(app, mcp, {})',
    types: "Property 'posture' is missing",
    throws: [
      'app.invalid_configuration',
      'option "posture" must be a posture: Authenticated(), InternalOnly(), Optional() or Public()',
    ],
  },
  {
    no: 42,
    code: "new SecureApp({ cors: { origin: '*' } })",
    types: "'origin' does not exist in type 'CorsOptions'",
    throws: ['app.invalid_configuration', 'unknown option "cors.origin"; known are allowedOrigins, '],
  },
  {
    no: 42,
    code: "new SecureApp({ cors: { allowedOrigins: '*' } })",
    types: "Type 'string' is not assignable to type 'readonly string[]'",
    throws: ['app.invalid_configuration', 'option "cors.allowedOrigins" must be a list of header values'],
  },
  {
    no: 42,
    code: "new SecureApp({ cors: { allowedOrigins: ['*'], allowCredentials: true } })",
    types: '',
    throws: [
      'app.invalid_configuration',
      'option "cors.allowedOrigins" must be a list of origins when credentials are allowed',
    ],
  },
  {
    no: 43,
    code: "app.get('*', ok, Public())",
    types: '',
    throws: ['app.bad_request', 'use {rest+} for the rest of a path: GET *'],
  },
  {
    no: 43,
    code: "app.get('/files/*', ok, Public())",
    types: '',
    throws: ['app.bad_request', 'use {rest+} for the rest of a path: GET /files/*'],
  },
  {
    no: 43,
    code: "app.get('/{path*}', ok, Public())",
    types: '',
    throws: ['app.bad_request', 'use {rest+} for the rest of a path: GET /{path*}'],
  },
  {
    no: 44,
    code: "app.get('/x', Public(), ok)",
    types: "Argument of type 'Posture' is not assignable to parameter of type 'Handler",
    throws: ['app.bad_request', 'route handler must be a function: GET /x: pass the posture after the handler'],
  },
  {
    no: 45,
    code: "app.use('/x', (ctx, next) => next(ctx))",
    types: "Argument of type 'string' is not assignable to parameter of type 'Middleware'",
    throws: [
      'app.invalid_configuration',
      'too many arguments, expected use(middleware), or { use: [middleware] } of a route or group',
    ],
  },
  {
    no: 46,
    code: 'bind({ boddy: {} }, () => null)',
    types: "Did you mean to write 'body'?",
    throws: ['app.invalid_configuration', 'unknown option "boddy"; known are params, query, headers, cookies, body, '],
  },
  {
    no: 46,
    code: "bind({ query: { a: { type: 'integer' } } }, () => null)",
    types: "Type '\"integer\"' is not assignable to type 'FieldType'",
    throws: [
      'app.invalid_configuration',
      'option "query.a.type" must be "string", "int", "float", "bool" or "duration"',
    ],
  },
  {
    no: 46,
    code: "bind({ query: { a: { type: 'string', rules: [min(1)] } } }, () => null)",
    types: '',
    throws: ['app.invalid_configuration', 'rule "min" must be on a field of type int, float or duration'],
  },
  {
    no: 47,
    code: "app.get('/x', ok, Public()); app.generateOpenAPI({ ...described, routes: [] })",
    types: '',
    throws: ['app.invalid_configuration', 'missing route GET /x'],
  },
  {
    no: 47,
    code: "app.generateOpenAPI({ ...described, routes: [{ method: 'GET', path: '/y', operationId: 'y' }] })",
    types: '',
    throws: ['app.invalid_configuration', 'extra route GET /y'],
  },
  {
    no: 47,
    code: "app.get('/x', ok, Public()); app.generateOpenAPI({ ...described, routes: [{ method: 'GET', path: '/x', operationId: 'x', sumary: 'a' }] })",
    types: "Did you mean to write 'summary'?",
    throws: ['app.invalid_configuration', 'route GET /x has the unknown key "sumary"'],
  },
  {
    no: 47,
    code: "app.get('/x', ok, Public()); app.generateOpenAPI({ ...described, routes: [{ method: 'GET', path: '/x' }] })",
    types: "Property 'operationId' is missing",
    throws: ['app.invalid_configuration', 'operation id of GET /x is required'],
  },
  {
    no: 48,
    code: "app.eventBus('billing', () => {})",
    types: "Type '\"billing\"' has no properties in common with type 'EventBusSelector'",
    throws: ['app.invalid_configuration', "event-bus selector must be an object, for example { source: 'billing' }"],
  },
  {
    no: 48,
    code: "app.eventBus({ source: ['billing'] }, () => {})",
    types: "Type 'string[]' is not assignable to type 'string'",
    throws: ['app.invalid_configuration', 'option "source" of an event-bus selector must be a string'],
  },
  {
    no: 49,
    code: "new SecureApp({ environment: { FRAMEWORK_EVENT_SOURCES: 'orders=Stack-Orders' } })",
    types: '',
    throws: ['app.invalid_configuration', 'FRAMEWORK_EVENT_SOURCES must be a JSON object of names'],
  },
  {
    no: 50,
    code: "return (await simulate(() => createApp({ log: false }).queue('orders', () => {}), queue.standard('orders', [{ body: 'x' }]))).violations",
    types: '',
    gives:
      '[{"kind":"lost","record":"msg-1","text":"record msg-1 was removed though its handler never completed: no invocation was recorded; create the app with env.options()"}]',
  },
];
