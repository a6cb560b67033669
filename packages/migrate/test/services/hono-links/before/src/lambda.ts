import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { bearerAuth } from 'hono/bearer-auth';
import { getCookie } from 'hono/cookie';
import { secureHeaders } from 'hono/secure-headers';
import { admin } from './admin';
import { links, slugOf } from './links';
import { countVisit, requireJson } from './middleware';

const app = new Hono()
  .use(secureHeaders())
  .get('/', (c) => c.html(`<p>${links.size} links</p>`))
  .get('/r/:slug', countVisit, (c) => {
    const target = links.get(c.req.param('slug'));
    if (target === undefined) {
      return c.json({ error: 'unknown link' }, 404);
    }
    return c.redirect(target, 307);
  });

app.post('/links', requireJson, async (c) => {
  const { url } = await c.req.json();
  try {
    const slug = slugOf(new URL(url));
    links.set(slug, url);
    return c.json({ slug, self: `${c.req.path}/${slug}` }, { status: 201 });
  } catch {
    return c.json({ error: 'not a URL' }, 400);
  }
});

app.put('/links/:slug', requireJson, async (c) => {
  const slug = c.req.param('slug');
  if (!links.has(slug)) return c.json({ error: 'unknown link' }, 404);
  const { url } = await c.req.json();
  links.set(slug, url);
  return c.json({ slug });
});

app.get('/me', (c) => {
  const theme = getCookie(c, 'theme') ?? 'light';
  const agent = c.req.header('User-Agent');
  return c.json({ theme, agent, method: c.req.method });
});

app.get('/export.csv', (c) => {
  c.header('Content-Type', 'text/csv');
  return c.body([...links].map((pair) => pair.join(',')).join('\n'));
});

app.get('/files/*', (c) => c.text(`file ${c.req.path}`));
app.get('/count', (c) => c.json(links.size));

app.use('/admin/*', bearerAuth({ token: 'secret' }));
app.route('/admin', admin);

app.notFound((c) => c.json({ error: 'no such page', path: c.req.path }, 404));

export const handler = handle(app);
