import { Hono } from 'hono';
import { books } from './store';

const authors = new Hono();

authors.get('/', (c) => c.json(['Knuth', 'Lovelace']));

authors.get('/:name/books', (c) => {
  const name = c.req.param('name');
  return c.json({ name, count: books.length });
});

export { authors };
