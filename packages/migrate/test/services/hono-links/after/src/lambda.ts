import type { ResponseInput } from '@sallyport/core';
import { html, json, redirect, secureHeaders, text } from '@sallyport/http';
import { honoCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { admin } from './admin';
import { links, slugOf } from './links';
import { countVisit, requireJson } from './middleware';

const app = new SecureApp({ ...honoCompat, onResponse: secureHeaders(), notFound: (ctx) => json(404, { error: 'no such page', path: ctx.request.path }) }).get('/', () => html(200, `<p>${links.size} links</p>`), choosePosture('GET /')).get('/r/{slug}', (ctx) => {
    const target = links.get(ctx.param('slug'));
    if (target === undefined) {
      return json(404, { error: 'unknown link' });
    }
    return redirect(target, 307);
  }, choosePosture('GET /r/{slug}'), { use: [countVisit] });

app.post('/links', async (ctx) => {
  const { url } = ctx.bodyJson<any>();
  try {
    const slug = slugOf(new URL(url));
    links.set(slug, url);
    return json(201, { slug, self: `${ctx.request.path}/${slug}` });
  } catch {
    return json(400, { error: 'not a URL' });
  }
}, choosePosture('POST /links'), { use: [requireJson] });

app.put('/links/{slug}', async (ctx) => {
  const slug = ctx.param('slug');
  if (!links.has(slug)) return json(404, { error: 'unknown link' });
  const { url } = ctx.bodyJson<any>();
  links.set(slug, url);
  return json(200, { slug });
}, choosePosture('PUT /links/{slug}'), { use: [requireJson] });

app.get('/me', (ctx) => {
  const theme = ctx.cookie('theme') ?? 'light';
  const agent = ctx.header('User-Agent');
  return json(200, { theme, agent, method: ctx.request.method });
}, choosePosture('GET /me'));

app.get('/export.csv', () => {
  const headers: Record<string, string> = {};
  headers['content-type'] = 'text/csv';
  return withHeaders({ status: 200, body: [...links].map((pair) => pair.join(',')).join('\n') }, headers);
}, choosePosture('GET /export.csv'));

app.get('/files/{rest+}', (ctx) => text(200, `file ${ctx.request.path}`), choosePosture('GET /files/{rest+}'));
app.get('/count', () => json(200, links.size), choosePosture('GET /count'));

// TODO(sallyport): bearerAuth({ token: 'secret' }): a principalResolver of SecureApp, and a posture on each route
app.group('/admin', {}, admin);

export const handler = app.handleLambda;

/** The answer with further headers. */
function withHeaders(answer: ResponseInput, headers: Record<string, string>): ResponseInput {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
