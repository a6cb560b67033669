import { Router } from '@aws-lambda-powertools/event-handler/http';

export const shelves = new Router();

shelves.get('/', async () => ({ shelves: ['a', 'b'] }));

shelves.get('/:name', async ({ params }) => {
  return { name: params.name };
});
