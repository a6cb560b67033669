import { json } from '@sallyport/http';
import { honoCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';

/** The application as it was before its routes began to move. */
export const old = new SecureApp({ ...honoCompat });

old.get('/notes/{id}/history', (ctx) => json(200, [{ id: ctx.param('id'), at: 0 }]), choosePosture('GET /notes/{id}/history'));

export const handler = old.handleLambda;
