import type { Program } from './cost.js';

/** A program that calls each of so many routes once, with one parameter, and reads one member of the answer. */
export type ClientProgram = (routes: number) => Program;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const lines = (count: number, line: (n: number) => string) => numbers(count).map(line).join('\n');

/** The flat file as `sallyport types` writes it. */
const ours: ClientProgram = (routes) => ({
  'contract.d.ts': `export interface Contract {
  http: {
${lines(routes, (n) => `    'GET /r${n}/{id}': { params: { id: string }; answer: { 200: R${n} }; error: 'app.not_found' };`)}
  };
}
${lines(routes, (n) => `export interface R${n} {\n  id: string;\n  n${n}: number;\n}`)}
`,
  'application.ts': `import { createClient } from '@sallyport/client';
import type { Contract } from './contract.js';
const api = createClient<Contract>({ url: 'https://api.example' });
export async function all(): Promise<void> {
${lines(
  routes,
  (n) => `  const a${n} = await api('GET /r${n}/{id}', { params: { id: 'a' } });
  if (a${n}.ok) a${n}.data.n${n}.toFixed();`,
)}
}
`,
});

/** The file as `openapi-typescript` writes it. */
const openapiFetch: ClientProgram = (routes) => ({
  'paths.d.ts': `export interface paths {
${lines(
  routes,
  (n) => `  '/r${n}/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get: {
      parameters: { query?: never; header?: never; path: { id: string }; cookie?: never };
      requestBody?: never;
      responses: {
        200: { headers: { [name: string]: unknown }; content: { 'application/json': { id: string; n${n}: number } } };
        404: { headers: { [name: string]: unknown }; content: { 'application/json': { error: { code: string } } } };
      };
    };
    put?: never; post?: never; delete?: never; options?: never; head?: never; patch?: never; trace?: never;
  };`,
)}
}
`,
  'application.ts': `import createClient from 'openapi-fetch';
import type { paths } from './paths.js';
const api = createClient<paths>({ baseUrl: 'https://api.example' });
export async function all(): Promise<void> {
${lines(
  routes,
  (n) => `  const a${n} = await api.GET('/r${n}/{id}', { params: { path: { id: 'a' } } });
  if (a${n}.data) a${n}.data.n${n}.toFixed();`,
)}
}
`,
});

const hono: ClientProgram = (routes) => ({
  'server.ts': `import { Hono } from 'hono';
export const app = new Hono()
${lines(routes, (n) => `  .get('/r${n}/:id', (c) => c.json({ id: c.req.param('id'), n${n}: 1 }))`)};
`,
  'application.ts': `import { hc } from 'hono/client';
import type { app } from './server.js';
const api = hc<typeof app>('https://api.example');
export async function all(): Promise<void> {
${lines(
  routes,
  (n) => `  const a${n} = await api.r${n}[':id'].$get({ param: { id: 'a' } });
  if (a${n}.ok) (await a${n}.json()).n${n}.toFixed();`,
)}
}
`,
});

const trpc: ClientProgram = (routes) => ({
  'server.ts': `import { initTRPC } from '@trpc/server';
const t = initTRPC.create();
const input = (value: unknown) => value as { id: string };
export const router = t.router({
${lines(routes, (n) => `  r${n}: t.procedure.input(input).query(({ input }) => ({ id: input.id, n${n}: 1 })),`)}
});
`,
  'application.ts': `import { createTRPCClient, httpLink } from '@trpc/client';
import type { router } from './server.js';
const api = createTRPCClient<typeof router>({ links: [httpLink({ url: 'https://api.example' })] });
export async function all(): Promise<void> {
${lines(
  routes,
  (n) => `  const a${n} = await api.r${n}.query({ id: 'a' });
  a${n}.n${n}.toFixed();`,
)}
}
`,
});

const orpc: ClientProgram = (routes) => ({
  'server.ts': `import { os, type } from '@orpc/server';
export const router = {
${lines(routes, (n) => `  r${n}: os.input(type<{ id: string }>()).handler(({ input }) => ({ id: input.id, n${n}: 1 })),`)}
};
`,
  'application.ts': `import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { RouterClient } from '@orpc/server';
import type { router } from './server.js';
const api: RouterClient<typeof router> = createORPCClient(new RPCLink({ url: 'https://api.example' }));
export async function all(): Promise<void> {
${lines(
  routes,
  (n) => `  const a${n} = await api.r${n}({ id: 'a' });
  a${n}.n${n}.toFixed();`,
)}
}
`,
});

export const CLIENTS = {
  ours,
  'openapi-fetch': openapiFetch,
  tRPC: trpc,
  oRPC: orpc,
  'Hono `hc`': hono,
} satisfies Record<string, ClientProgram>;
