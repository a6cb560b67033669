import lambdaApi, { type API, type NextFunction, type Options, type Request, type Response } from 'lambda-api';
import {
  boom,
  colonPattern,
  describeUpload,
  FILE,
  findUser,
  type Order,
  placeOrder,
  registerAll,
  STEPS,
  showResource,
} from '../application.js';
import { type Handlers, httpHandlers, type Invoke } from '../invoke.js';

/** The package's declarations describe its CommonJS build, the import is its ESM build. */
const createApi = lambdaApi as unknown as (options: Options) => API;

function createHttp({ steps }: { steps: boolean }): Invoke {
  const app = createApi({ logger: false });
  for (const step of steps ? STEPS : []) {
    app.use((_req: Request, res: Response, next: NextFunction) => {
      res.header(step, '1');
      next();
    });
  }
  registerAll(
    100,
    ({ method, pattern, resource }) => app.METHOD(method, colonPattern(pattern), () => showResource(resource)),
    () => {
      app.get('/users/:id', (req: Request) => findUser(req.params.id ?? ''));
      app.get('/boom', () => boom());
      app.post('/orders', (req: Request, res: Response) => res.status(201).json(placeOrder(req.body as Order)));
      // Its own body is text, which destroys binary bytes: read by hand.
      app.post('/uploads', (req: Request) => {
        const { body } = (req.app as unknown as { _event: { body: string } })._event;
        return describeUpload(Buffer.from(body, 'base64'));
      });
      app.get('/files/:id', (_req: Request, res: Response) => {
        res.header('content-type', 'application/octet-stream').sendFile(FILE, {});
      });
    },
  );
  return (event, context) => app.run(event, context as never);
}

export const handlers: Handlers = httpHandlers(createHttp);
