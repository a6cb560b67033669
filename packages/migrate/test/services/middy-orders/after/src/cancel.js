import { noContent } from '@sallyport/http';
import { middyCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { orders } from './store.js';

export const handler = new SecureApp({ ...middyCompat })
  .delete('/orders/{id}', async (ctx) => {
  orders.delete(ctx.param('id'));
  return noContent();
}, choosePosture('DELETE /orders/{id}'), { trailingSlash: true })
  .handleLambda;
