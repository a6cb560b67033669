import type { Framework, MiddlewareRule } from './framework.js';

const CORS: MiddlewareRule = {
  cors: {
    origin: 'allowedOrigins',
    credentials: 'allowCredentials',
    allowHeaders: 'allowHeaders',
    exposeHeaders: 'exposeHeaders',
    maxAge: 'maxAgeSeconds',
    allowMethods: '',
  },
};
const MODULE = '@aws-lambda-powertools/event-handler';

/** Powertools' errors with their statuses. */
const ERRORS: readonly (readonly [string, number])[] = [
  ['BadRequestError', 400],
  ['UnauthorizedError', 401],
  ['ForbiddenError', 403],
  ['NotFoundError', 404],
  ['MethodNotAllowedError', 405],
  ['RequestTimeoutError', 408],
  ['RequestEntityTooLargeError', 413],
  ['InternalServerError', 500],
  ['ServiceUnavailableError', 503],
];

/** The event handler of Powertools for AWS Lambda. */
export const POWERTOOLS: Framework = {
  name: 'Powertools',
  modules: [MODULE],
  makers: { [`${MODULE}/http#Router`]: 'app', [`${MODULE}/experimental-rest#Router`]: 'app' },
  adapters: [],
  resolvers: ['resolve'],
  mounts: { includeRouter: 'router first' },
  preset: 'powertoolsCompat',
  presetAnswers: 'isFrameworkError(err)',
  routeOptions: '{ trailingSlash: true }',
  handler: ['r'],
  middleware: ['m'],
  errorHandler: ['err', 'r'],
  hooks: { notFound: 'notFound' },
  returnsValues: true,
  aliases: { 'm.reqCtx': 'r', 'm.next': 'next' },
  bags: { 'r.params': "ctx.param('$name')" },
  rewrites: [
    { before: 'r.params.$name', after: "ctx.param('$name')" },
    { before: 'r.params', after: 'ctx.params' },
    { before: 'await r.req.json()', after: 'ctx.bodyJson$T()' },
    { before: 'await r.req.text()', after: 'ctx.bodyText()' },
    { before: 'r.req.headers.get($name)', after: '(ctx.header($name) ?? null)' },
    { before: 'r.req.method', after: 'ctx.request.method' },
    { before: 'new URL(r.req.url).searchParams.get($name)', after: '(ctx.query($name) ?? null)' },
    { before: 'r.event.queryStringParameters.$name', after: "ctx.query('$name')" },
    { before: 'r.event', after: '(ctx.event as any)' },
    { before: 'r.context.$name', after: 'ctx.lambdaContext?.$name' },
    { before: 'r.context', after: 'ctx.lambdaContext' },
    { before: 'r.get($key)', after: 'ctx.get($key)' },
    { before: 'r.set($key, $value)', after: 'ctx.set($key, $value)' },
    ...ERRORS.flatMap(([name, status]) => [
      { before: `new ${name}($message)`, after: `#error(${status}, $message)` },
      { before: `new ${name}()`, after: `#error(${status}, '')` },
    ]),
  ],
  middlewares: {
    [`${MODULE}/http/middleware#cors`]: CORS,
    [`${MODULE}/experimental-rest/middleware#cors`]: CORS,
    [`${MODULE}/http/middleware#compress`]: { todo: 'CloudFront compresses answers' },
    [`${MODULE}/http/middleware/tracer#tracer`]: { drop: true },
    '@aws-lambda-powertools/tracer/middleware#captureLambdaHandler': { drop: true },
  },
  todos: {
    'r.req': "the request: ctx.query('name'), ctx.header('name'), ctx.bodyJson()",
    'r.res': 'the answer of next(ctx)',
    'r.shared': 'values of one request: ctx.set and ctx.get',
    r: 'the request is ctx',
    next: 'the next handler: await next(ctx)',
  },
};
