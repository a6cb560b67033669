import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import httpRouter from '@middy/http-router';
import {
  boom,
  describeUpload,
  findUser,
  type Order,
  placeOrder,
  readFile,
  registerAll,
  showPage,
  showResource,
  showTrail,
} from '../application.js';
import { type HttpOptions, httpHandlers, type Invoke } from '../invoke.js';

interface MiddyEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly queryStringParameters: Readonly<Record<string, string>>;
  readonly pathParameters: Record<string, string>;
  readonly body: unknown;
}

/** The store for values that Middy's middlewares pass to the handler: the context of the invocation. */
type Store = Record<string, unknown>;

type Route = Parameters<typeof httpRouter>[0] extends infer R ? (R extends readonly (infer X)[] ? X : never) : never;

const json = (statusCode: number, value: unknown) => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

function createHttp({ steps, stores }: HttpOptions): Invoke {
  const routes: Route[] = [];
  const add = (method: string, path: string, handler: unknown) => routes.push({ method, path, handler } as Route);
  registerAll(
    100,
    ({ method, pattern, resource }) => add(method, pattern, async () => json(200, showResource(resource))),
    () => {
      add('GET', '/users/{id}', async (event: MiddyEvent) => json(200, findUser(event.pathParameters.id ?? '')));
      add('GET', '/pages/{id}', async (event: MiddyEvent) => {
        const { pathParameters, queryStringParameters, headers } = event;
        return json(200, showPage(pathParameters.id ?? '', queryStringParameters.page, headers['x-client-version']));
      });
      add('GET', '/trails/{id}', async (event: MiddyEvent, context: Store) =>
        json(
          200,
          showTrail(
            event.pathParameters.id ?? '',
            steps.map((step) => context[step]),
          ),
        ),
      );
      add('GET', '/boom', async () => boom());
      const order = async (event: MiddyEvent) => json(201, placeOrder(event.body as Order));
      add(
        'POST',
        '/orders',
        middy()
          .use(httpJsonBodyParser())
          .handler(order as never),
      );
      add('POST', '/uploads', async (event: MiddyEvent) =>
        json(200, describeUpload(Buffer.from(event.body as string, 'base64'))),
      );
      add('GET', '/files/{id}', async () => ({
        statusCode: 200,
        headers: { 'content-type': 'application/octet-stream' },
        body: readFile().toString('base64'),
        isBase64Encoded: true,
      }));
    },
  );
  const stack = middy()
    .use(httpHeaderNormalizer())
    .use(httpErrorHandler({ logger: false }));
  for (const [index, step] of steps.entries()) {
    stack.use({
      ...(stores && {
        before({ context }) {
          (context as unknown as Store)[step] = index;
        },
      }),
      after(request) {
        (request.response as { headers: Record<string, string> }).headers[step] = '1';
      },
    });
  }
  return stack.handler(httpRouter(routes) as never) as unknown as Invoke;
}

export const handlers = httpHandlers(createHttp);
