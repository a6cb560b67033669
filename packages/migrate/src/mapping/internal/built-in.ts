import type { Mapping } from '../mapping.js';

const PAGE = 'see docs/migrating.md of Sallyport';

/**
 * The mapping without a mapping file. No Sallyport export has been renamed yet. Imports that are left after the rule
 * `frameworks` have no counterpart that could replace them by name, so they are kept and become manual steps.
 */
export const BUILT_IN: Mapping = {
  version: 1,
  modules: {
    '@middy/core': { manual: `a middy chain becomes a route with a posture and middlewares; ${PAGE}` },
    '@middy/http-error-handler': { manual: `built in: throw FrameworkError of @sallyport/core; ${PAGE}` },
    '@middy/http-json-body-parser': { manual: `built in: ctx.bodyJson(); ${PAGE}` },
    '@middy/http-router': { manual: `app.get(path, handler, posture) and its like; ${PAGE}` },
    '@middy/sqs-partial-batch-failure': { manual: `app.queue(name, handler) reports failures automatically; ${PAGE}` },
    '@middy/validator': { manual: `bind of @sallyport/http with any Standard Schema; ${PAGE}` },
    '@aws-lambda-powertools/batch': { manual: `app.queue, app.kinesis and app.tableStream; ${PAGE}` },
    '@aws-lambda-powertools/event-handler': { manual: `SecureApp of @sallyport/secure; ${PAGE}` },
    '@aws-lambda-powertools/idempotency': { manual: `withIdempotency of @sallyport/jobs; ${PAGE}` },
    '@aws-lambda-powertools/parser': { manual: `payload of @sallyport/streams, bind of @sallyport/http; ${PAGE}` },
    '@nestjs/core': {
      manual: `NestJS keeps its routes: mountHandler of @sallyport/http/web mounts an adapter with fetch, and each other adapter keeps its function; ${PAGE}`,
    },
    'hono/aws-lambda': { manual: `mountHandler of @sallyport/http/web runs the application behind a posture; ${PAGE}` },
    'serverless-http': { manual: `the application keeps its function while its paths move; ${PAGE}` },
  },
};
