/** Constructs around handlers: classes with decorators, validators, typed applications. */
import { applyPlan, planMigration } from '../src/index.js';
import { contentOf, makeService, removeServices } from './support/service.js';

afterAll(removeServices);

function migrate(text: string) {
  const root = makeService({ 'src/app.ts': text });
  const plan = planMigration({ root });
  applyPlan(plan);
  return { text: contentOf(root)['src/app.ts'] ?? '', manual: plan.manual.map(({ text: line }) => line), plan };
}

const POWERTOOLS = (after: string) => `import { Router } from '@aws-lambda-powertools/event-handler/http';
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';
const logger = new Logger();
const app = new Router();
app.get('/notes', async () => ({ notes: [] }));
${after}
`;
const HONO = (body: string, maker = 'new Hono()') => `import { type Context, Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { zValidator } from '@hono/zod-validator';
import * as z from 'zod';
type Env = { Variables: { user: string } };
const app = ${maker};
${body}
export const handler = handle(app);
`;

it.each([
  [
    'a class whose method has decorators',
    `class Lambda {
  @tracer.captureLambdaHandler()
  @metrics.logMetrics({ captureColdStartMetric: true })
  @logger.injectLambdaContext({ logEvent: true })
  public async handler(event: unknown, context: Context): Promise<unknown> {
    return app.resolve(event, context);
  }
}
const lambda = new Lambda();
export const handler = lambda.handler.bind(lambda);`,
  ],
  [
    'a class that passes itself on',
    `class Lambda {
  @logger.injectLambdaContext()
  async handler(event: unknown, context: Context) {
    return app.resolve(event, context, { scope: this });
  }
}`,
  ],
  [
    'a function that does more',
    `export const handler = async (event: unknown, context: Context) => {
  logger.addContext(context);
  return app.resolve(event, context);
};`,
  ],
])('the call that resolves an event is rewritten in %s, and the code around it is kept', (_title, after) => {
  const { text, manual } = migrate(POWERTOOLS(after));
  const kept = after.replace(
    /app\.resolve\(event, context(?:, \{ scope: this \})?\)/,
    'app.handleLambda(event, context)',
  );
  expect(text).toContain(kept);
  expect(manual).toEqual([]);
});

it('a streamed event is a line that names the replacement', () => {
  const { manual } = migrate(
    POWERTOOLS('export const handler = async (event: unknown, out: never) => app.resolveStream(event, out);'),
  );
  expect(manual).toEqual(['resolveStream: export createLambdaFunctionURLStreamingHandler(app) of @sallyport/http']);
});

it.each([
  ['new Hono<Env>()', "app.get('/a', (c) => c.json({ user: c.get('user') }));", "json(200, { user: ctx.get('user') })"],
  [
    'new Hono<{ Variables: { user: string } }>()',
    "app.get('/a', (c) => c.json(c.var.user));",
    "json(200, ctx.get('user'))",
  ],
  [
    'new Hono<Env>()',
    "const list = (c: Context<Env>) => c.json([]);\napp.get('/a', list);",
    'const list = () => json(200, []);',
  ],
])('an application with typed parameters is rewritten: %s', (maker, body, expected) => {
  const { text, manual } = migrate(HONO(body, maker));
  expect(text).toContain(expected);
  expect(text).toContain('new SecureApp({ ...honoCompat })');
  expect(manual).toEqual([]);
});

it.each([
  ["zValidator('json', schema)", "const { id } = c.req.valid('json'); return c.json({ id }, 201);"],
  ["zValidator('query', schema)", "return c.json(c.req.valid('query'));"],
])('%s is a line that names bind', (validator, rest) => {
  const { manual } = migrate(
    HONO(`const schema = z.object({ id: z.string() });\napp.post('/b', ${validator}, (c) => { ${rest} });`),
  );
  expect(manual).toEqual([
    expect.stringContaining(`${validator}: bind({ body: schema }, (ctx, { body }) => …) of @sallyport/http`),
    expect.stringContaining('c.req.valid: '),
  ]);
});
