// The floor: hand-written handlers that do only the work itself.
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

interface BareEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly queryStringParameters?: Readonly<Record<string, string>>;
  readonly rawPath?: string;
  readonly path?: string;
  readonly httpMethod?: string;
  readonly body?: string;
  readonly requestContext: { readonly http?: { readonly method: string } };
}

interface BareAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

type Handle = (last: string, event: BareEvent, store: Record<string, unknown>) => BareAnswer;

const json = (statusCode: number, value: unknown): BareAnswer => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
  isBase64Encoded: false,
});

function createHttp({ steps, stores }: HttpOptions): Invoke {
  const handles = new Map<string, Handle>();
  registerAll(
    100,
    ({ method, pattern, resource }) => handles.set(`${method} ${pattern}`, () => json(200, showResource(resource))),
    () => {
      handles.set('GET /users/', (id) => json(200, findUser(id)));
      handles.set('GET /pages/', (id, { queryStringParameters, headers }) =>
        json(200, showPage(id, queryStringParameters?.page, headers['x-client-version'])),
      );
      handles.set('GET /trails/', (id, _event, store) =>
        json(
          200,
          showTrail(
            id,
            steps.map((step) => store[step]),
          ),
        ),
      );
      handles.set('GET /boom', () => boom());
      handles.set('POST /orders', (_, { body }) => json(201, placeOrder(JSON.parse(body ?? '') as Order)));
      handles.set('POST /uploads', (_, { body }) => json(200, describeUpload(Buffer.from(body ?? '', 'base64'))));
      handles.set('GET /files/', () => ({
        statusCode: 200,
        headers: { 'content-type': 'application/octet-stream' },
        body: readFile().toString('base64'),
        isBase64Encoded: true,
      }));
    },
  );
  function serve(event: BareEvent): BareAnswer {
    const method = event.requestContext.http?.method ?? event.httpMethod ?? '';
    const path = event.rawPath ?? event.path ?? '';
    const slash = path.indexOf('/', 1);
    const key = slash < 0 ? path : path.slice(0, slash + 1);
    const handle = handles.get(`${method} ${key}`);
    if (!handle) return json(404, { error: 'not found' });
    const store: Record<string, unknown> = {};
    if (stores) for (const [index, step] of steps.entries()) store[step] = index;
    return handle(slash < 0 ? '' : decodeURIComponent(path.slice(slash + 1)), event, store);
  }
  return async (event: BareEvent) => {
    try {
      const answer = serve(event);
      for (const step of steps) answer.headers[step] = '1';
      return answer;
    } catch {
      return json(500, { error: 'internal error' });
    }
  };
}

export const handlers = httpHandlers(createHttp);
