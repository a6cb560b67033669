import { json } from '@sallyport/http';
import { type StatedPosture, defineRoutes } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { books } from './store';

const authors = defineRoutes<StatedPosture>((authors) => {
  authors.get('/', () => json(200, ['Knuth', 'Lovelace']), choosePosture('GET /authors'));

  authors.get('/{name}/books', (ctx) => {
  const name = ctx.param('name');
  return json(200, { name, count: books.length });
}, choosePosture('GET /authors/{name}/books'));
});

export { authors };
