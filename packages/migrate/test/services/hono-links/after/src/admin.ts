import { json, noContent } from '@sallyport/http';
import { type StatedPosture, defineRoutes } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { links } from './links';

export const admin = defineRoutes<StatedPosture>((admin) => {
  admin.delete('/links/{slug}', (ctx) => {
  const wasThere = links.delete(ctx.param('slug'));
  return wasThere ? noContent() : json(404, { error: 'unknown link' });
}, choosePosture('DELETE /admin/links/{slug}'));

  admin.get('/visits', () => json(200, { links: [...links.keys()] }), choosePosture('GET /admin/visits'));
});
