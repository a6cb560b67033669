import lambdaApi, { type API, type NextFunction, type Options, type Request, type Response } from 'lambda-api';
import {
  boom,
  colonPattern,
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
import { type Handlers, type HttpOptions, httpHandlers, type Invoke } from '../invoke.js';

/** The package's declarations describe its CommonJS build, the import is its ESM build. */
const createApi = lambdaApi as unknown as (options: Options) => API;

function createHttp({ steps, stores }: HttpOptions): Invoke {
  const app = createApi({ logger: false });
  for (const [index, step] of steps.entries()) {
    app.use((req: Request, res: Response, next: NextFunction) => {
      if (stores) req[step] = index;
      res.header(step, '1');
      next();
    });
  }
  registerAll(
    100,
    ({ method, pattern, resource }) => app.METHOD(method, colonPattern(pattern), () => showResource(resource)),
    () => {
      app.get('/users/:id', (req: Request) => findUser(req.params.id ?? ''));
      app.get('/pages/:id', (req: Request) =>
        showPage(req.params.id ?? '', req.query.page, req.headers['x-client-version']),
      );
      app.get('/trails/:id', (req: Request) =>
        showTrail(
          req.params.id ?? '',
          steps.map((step) => req[step]),
        ),
      );
      app.get('/boom', () => boom());
      app.post('/orders', (req: Request, res: Response) => res.status(201).json(placeOrder(req.body as Order)));
      // Its body is text, which destroys binary bytes: read from the event.
      app.post('/uploads', (req: Request) => {
        const { body } = (req.app as unknown as { _event: { body: string } })._event;
        return describeUpload(Buffer.from(body, 'base64'));
      });
      app.get('/files/:id', (_req: Request, res: Response) => {
        res.header('content-type', 'application/octet-stream').sendFile(readFile(), {});
      });
    },
  );
  return (event, context) => app.run(event, context as never);
}

export const handlers: Handlers = httpHandlers(createHttp);
