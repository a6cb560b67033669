/** The source of an application with this number of routes, each with a separate handler that reads its path parameters. */
export type Application = (routes: number) => string;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Every route has a different pattern, because equal types would be created only once. */
const ours: Application = (routes) => `
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
export const app = new SecureApp();
${numbers(routes)
  .map(
    (n) =>
      `app.get('/r${n}/{id${n}}/lines/{line}', (ctx) => json(200, [ctx.params.id${n}, ctx.param('line')]), Public());`,
  )
  .join('\n')}
`;

/** The same with patterns of type `string`, to measure the cost of the parameter names. */
const open: Application = (routes) => `
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
export const app = new SecureApp();
const patterns: string[] = [];
${numbers(routes)
  .map((n) => `app.get(String(patterns[${n}]), (ctx) => json(200, [ctx.params.id${n}, ctx.param('line')]), Public());`)
  .join('\n')}
`;

const hono: Application = (routes) => `
import { Hono } from 'hono';
export const app = new Hono();
${numbers(routes)
  .map((n) => `app.get('/r${n}/:id${n}/lines/:line', (c) => c.json([c.req.param('id${n}'), c.req.param('line')]));`)
  .join('\n')}
`;

/** Chained, as its client requires: the type of the application contains every route. */
const honoClient: Application = (routes) => `
import { Hono } from 'hono';
import { hc } from 'hono/client';
const app = new Hono()
${numbers(routes)
  .map((n) => `  .get('/r${n}/:id${n}/lines/:line', (c) => c.json([c.req.param('id${n}'), c.req.param('line')]))`)
  .join('\n')};
export const client = hc<typeof app>('https://api.example');
`;

export const APPLICATIONS: Readonly<Record<string, Application>> = {
  ours,
  'ours, patterns only text': open,
  Hono: hono,
  "Hono with its client's types": honoClient,
};
