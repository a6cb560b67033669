import { Hono } from 'hono';
import { links } from './links';

export const admin = new Hono();

admin.delete('/links/:slug', (c) => {
  const wasThere = links.delete(c.req.param('slug'));
  return wasThere ? c.body(null, 204) : c.json({ error: 'unknown link' }, 404);
});

admin.get('/visits', (c) => c.json({ links: [...links.keys()] }));
