import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyPlan, planMigration } from '../src/index.js';
import { runCommand } from '../src/internal/command.js';
import { loadHandler, runCase } from './support/handlers.js';
import { contentOf, makeService, removeServices } from './support/service.js';

afterAll(removeServices);

/** The file after the migration, and the outcome of each handler. */
function migrate(files: Readonly<Record<string, string>>, path = 'src/app.ts') {
  const root = makeService(files);
  const plan = planMigration({ root });
  applyPlan(plan);
  const handlers = plan.handlers.map(({ text, outcome }) => `${outcome}: ${text}`);
  return { root, plan, handlers, text: contentOf(root)[path] ?? '' };
}

/** The lines for the user in a file. */
function todosIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => line.split('// TODO(sallyport): ')[1] ?? []);
}

const EXPRESS = (body: string) => `import express from 'express';
import serverless from 'serverless-http';
const app = express();
${body}
export const handler = serverless(app);
`;
const HONO = (body: string) => `import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
const app = new Hono();
${body}
export const handler = handle(app);
`;

describe('one construct', () => {
  it.each<[string, string, string]>([
    ["app.get('/a', (req, res) => res.json(req.query.q));", 'Express', "json(200, ctx.query('q'))"],
    ["app.get('/a', (req, res) => { res.status(201).send('<p>x</p>'); });", 'Express', "return html(201, '<p>x</p>');"],
    ["app.get('/a', (req, res) => res.sendStatus(404));", 'Express', "text(404, 'Not Found')"],
    ["app.get('/a', ({ params: { id } }, res) => res.json({ id }));", 'Express', "json(200, { id: ctx.param('id') })"],
    [
      "app.get('/f/*path', (req, res) => res.json([req.ip]));",
      'Express',
      "app.get('/f/{path+}', (ctx) => json(200, [ctx.sourceIP()])",
    ],
    ["app.get('/a', (c) => c.json({ ok: true }, 202));", 'Hono', 'json(202, { ok: true })'],
    ["app.get('/a', (c) => c.text('x'));", 'Hono', "text(200, 'x')"],
    ["app.post('/a', async (c) => c.json(await c.req.json()));", 'Hono', 'json(200, ctx.bodyJson<any>())'],
    [
      "app.get('/f/:rest{.+}', (c) => c.text(c.req.param('rest')));",
      'Hono',
      "'/f/{rest+}', (ctx) => text(200, ctx.param('rest'))",
    ],
  ])('is rewritten: %s (%s)', (body, name, expected) => {
    const { text, plan } = migrate({ 'src/app.ts': name === 'Express' ? EXPRESS(body) : HONO(body) });
    expect(text).toContain(expected);
    expect(plan.manual).toEqual([]);
  });

  it.each<[string, string, string]>([
    [
      "app.get('/a', (req, res) => { res.cookie('a', 'b'); res.json(1); });",
      'Express',
      'res.cookie: cookies: setCookie of @sallyport/http',
    ],
    [
      "app.get('/a', (req, res) => { db.find((err, row) => { res.json(row); }); });",
      'Express',
      'code that is called later answers: return a promise of the answer',
    ],
    [
      "app.get('/a', (req, res) => { res.json(1); log('sent'); });",
      'Express',
      'code follows the answer: return the answer at the end',
    ],
    [
      "app.use(express.static('public'));",
      'Express',
      "express.static('public'): serve files from a bucket through CloudFront",
    ],
    [
      "app.all('/a', (req, res) => res.json(1));",
      'Express',
      "all('/a'): register each method with app.handle(method, path, handler, posture)",
    ],
    [
      "app.get('/a', jwt(), (c) => c.json(1));",
      'Hono',
      'jwt(): a middleware (ctx, next), or a posture and a principalResolver if it identifies the caller',
    ],
    ["app.get('/a/:id{[0-9]+}', (c) => c.json(1));", 'Hono', 'check the value of id in the handler'],
    ["app.get('/a/:id?', (c) => c.json(1));", 'Hono', ':id? is optional: register both paths with one handler'],
    [
      "app.get('/a', (c) => c.json(c.req.valid('json')));",
      'Hono',
      'c.req.valid: a validated request: bind of @sallyport/http',
    ],
  ])('leaves one line, which is counted: %s (%s)', (body, name, expected) => {
    const { text, plan } = migrate({ 'src/app.ts': name === 'Express' ? EXPRESS(body) : HONO(body) });
    expect(todosIn(text)).toEqual([expected]);
    expect(plan.manual.map((step) => step.text)).toEqual([expected]);
    expect(plan.handlers.every(({ outcome }) => outcome === 'left')).toBe(true);
  });

  it('never opens automatically: the user chooses each posture', () => {
    const { text } = migrate({ 'src/app.ts': HONO("app.get('/', (c) => c.text('x'));") });
    expect(text).toContain("choosePosture('GET /')");
    expect(text).not.toMatch(/Public|Optional/);
  });
});

describe('an application that cannot be rewritten', () => {
  const looped = HONO(`for (const path of ['/', '/api/orders']) app.get(path, (c) => c.text('old ' + path));
app.options('*', (c) => c.body(null, 204));
app.notFound((c) => c.text('old 404', 404));`);

  it('of Hono is mounted, and counted as mounted', () => {
    const { handlers, text } = migrate({ 'src/app.ts': looped });
    expect(handlers).toEqual(['mounted: GET path', 'mounted: OPTIONS *']);
    expect(text).toContain("{ posture: choosePosture('/{rest+}') }");
    expect(text).toContain('export const handler = mounted.handleLambda;');
  });

  it('answers after the mount as before it, also / and OPTIONS', async () => {
    const scratch = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), '.mounted-'));
    try {
      const cases = [
        { ask: 'GET /', status: 200, body: 'old /' },
        { ask: 'GET /api/orders', status: 200, body: 'old /api/orders' },
        { ask: 'OPTIONS /api/orders', status: 204, body: '' },
        { ask: 'GET /nowhere', status: 404, body: 'old 404' },
      ];
      const old = loadHandler(makeService({ 'src/app.ts': looped }), 'src/app.handler', scratch);
      const now = loadHandler(migrate({ 'src/app.ts': looped }).root, 'src/app.handler', scratch);
      for (const one of cases) {
        expect(await runCase(old, one)).toEqual(one);
        expect(await runCase(now, one)).toEqual(one);
      }
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });

  it('of Express keeps its function, with one line for the user', () => {
    const { handlers, text, root } = migrate({
      'src/app.ts': EXPRESS("register(app);\napp.get('/', (req, res) => res.json(1));"),
    });
    expect(handlers).toEqual(['left: GET /']);
    expect(todosIn(text)).toEqual([
      'the application is passed on: register(app): keep this application in a separate function, and move its routes step by step',
    ]);
    expect(text).toContain("app.get('/', (req, res) => res.json(1));");
    expect(planMigration({ root }).changes).toEqual([]);
  });

  it('of NestJS is listed with two ways to keep it', () => {
    const { plan, text } = migrate({
      'src/app.ts': "import { NestFactory } from '@nestjs/core';\nNestFactory.create(App);\n",
    });
    expect(plan.manual.map((step) => step.text)).toEqual([
      expect.stringContaining("'@nestjs/core': NestJS keeps its routes"),
    ]);
    expect(text).toContain('NestFactory.create(App);');
  });
});

describe('services that are not tidy', () => {
  it('has four frameworks side by side', () => {
    const { handlers } = migrate({
      'src/express.ts': EXPRESS("app.get('/e', (req, res) => res.json(1));"),
      'src/hono.ts': HONO("app.get('/h', (c) => c.json(1));"),
      'src/powertools.ts': `import { Router } from '@aws-lambda-powertools/event-handler/http';
const app = new Router();
app.get('/p', () => ({ ok: true }));
export const handler = async (event, context) => app.resolve(event, context);
`,
      'src/middy.ts': `import middy from '@middy/core';
import httpRouterHandler from '@middy/http-router';
const get = async (event) => ({ statusCode: 200, body: JSON.stringify(event.pathParameters.id) });
export const handler = middy().handler(httpRouterHandler([{ method: 'GET', path: '/m/{id}', handler: get }]));
`,
    });
    expect(handlers).toEqual(['rewritten: GET /e', 'rewritten: GET /h', 'rewritten: GET /m/{id}', 'rewritten: GET /p']);
  });

  it('has two frameworks in one file', () => {
    const { handlers, text } = migrate({
      'src/app.ts': `${HONO("app.get('/h', (c) => c.json(1));")}
import express from 'express';
const web = express();
web.get('/e', (req, res) => res.json(2));
export { web };
`,
    });
    expect(handlers).toEqual(['rewritten: GET /h', 'rewritten: GET /e']);
    expect(text).toContain('new SecureApp({ ...honoCompat })');
    expect(text).toContain('new SecureApp({ ...expressCompat })');
  });

  it('has type errors, which do not matter, and a file that does not parse, which is named', () => {
    const { plan, text, handlers } = migrate({
      'src/app.ts': HONO("const port: number = 'text';\napp.get('/a', (c) => c.json(missing));"),
      'src/broken.ts': 'const = 1;\n',
    });
    expect(handlers).toEqual(['rewritten: GET /a']);
    expect(text).toContain('json(200, missing)');
    expect(plan.broken.map(({ path }) => path)).toEqual(['src/broken.ts']);
  });

  it('keeps CRLF and double quotes of imports', () => {
    const { text } = migrate({
      'src/app.ts': HONO("app.get('/a', (c) => c.json(1));").replaceAll("'", '"').replaceAll('\n', '\r\n'),
    });
    expect(text).toContain('import { json } from "@sallyport/http";\r\n');
    expect(text).not.toMatch(/[^\r]\n/);
  });
});

describe('the command', () => {
  const ask = (...args: string[]) => {
    const written = { out: '', err: '' };
    const exitCode = runCommand(args, {
      out: (text) => {
        written.out += text;
      },
      err: (text) => {
        written.err += text;
      },
    });
    return { exitCode, ...written };
  };
  const files = { 'src/app.ts': HONO("app.get('/a', (c) => c.json(1));\napp.get('/b', (c) => c.json(c.env.DB));") };

  it('reports how much is rewritten, mounted and left, and ends with 3 while something is left', () => {
    const root = makeService(files);
    const dry = ask('-root', root, '--dry-run');
    expect([dry.exitCode, dry.err.split('\n').slice(-3, -1)]).toEqual([
      1,
      [
        'sallyport-migrate: 2 handler(s): 1 rewritten, 0 mounted, 1 left',
        'sallyport-migrate: 1 file(s) would change (re-run with -apply)',
      ],
    ]);
    expect(contentOf(root)).toEqual(files);
    expect(ask('-root', root, '-apply')).toMatchObject({ exitCode: 3, out: '' });
    expect(ask('-root', root, '-apply', '-dry-run').exitCode).toBe(2);
  });

  it('ends with 0 when nothing is left', () => {
    const root = makeService({ 'src/app.ts': HONO("app.get('/a', (c) => c.json(1));") });
    expect(ask('-root', root, '-apply').exitCode).toBe(0);
    expect(ask('-root', root)).toMatchObject({ exitCode: 0, err: 'sallyport-migrate: no changes\n' });
  });

  it('prints JSON for programs', () => {
    const { out } = ask('-root', makeService(files), '--json');
    expect(JSON.parse(out)).toMatchObject({
      applied: false,
      files: ['src/app.ts'],
      count: { rewritten: 1, mounted: 0, left: 1 },
      handlers: [
        { path: 'src/app.ts', line: 4, text: 'GET /a', outcome: 'rewritten' },
        { path: 'src/app.ts', line: 5, text: 'GET /b', outcome: 'left' },
      ],
    });
  });
});
