import { json } from '@sallyport/http';
import { type StatedPosture, defineRoutes } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';

export const shelves = defineRoutes<StatedPosture>((shelves) => {
  shelves.get('/', async () => json(200, { shelves: ['a', 'b'] }), choosePosture('GET /shelves'), { trailingSlash: true });

  shelves.get('/{name}', async (ctx) => {
  return json(200, { name: ctx.param('name') });
}, choosePosture('GET /shelves/{name}'), { trailingSlash: true });
});
