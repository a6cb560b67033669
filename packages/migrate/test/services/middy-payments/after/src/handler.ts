import { type Context, FrameworkError, type ResponseInput } from '@sallyport/core';
import { json, noContent } from '@sallyport/http';
import { middyCompat } from '@sallyport/http/compat';
import { SecureApp } from '@sallyport/secure';
import { choosePosture } from '@sallyport/secure/migrate';
import { respond } from './respond';

const payments = new Map([['p-1', { id: 'p-1', amount: 100, state: 'open' }]]);

async function listPayments(ctx: Context) {
  const state = ctx.query('state');
  const found = [...payments.values()].filter((payment) => !state || payment.state === state);
  return respond(200, { payments: found });
}

async function getPayment(ctx: Context) {
  const id = ctx.param('id') ?? '';
  const payment = payments.get(id);
  if (!payment) throw new FrameworkError('app.not_found', `no payment ${id}`);
  return json(200, payment);
}

const createPayment = async (ctx: Context) => {
  const { amount } = ctx.bodyJson<any>();
  if (typeof amount !== 'number') {
    throw new FrameworkError('app.validation_failed', JSON.stringify({ error: 'amount must be a number' }));
  }
  const payment = { id: `p-${payments.size + 1}`, amount, state: 'open' };
  payments.set(payment.id, payment);
  return withHeaders(json(201, payment), { Location: `/payments/${payment.id}` });
};

async function removePayment(ctx: Context) {
  payments.delete(ctx.param('id'));
  return noContent();
}

export const handler = new SecureApp({ ...middyCompat, cors: { allowedOrigins: ['https://pay.example'] } })
  .get('/payments', listPayments, choosePosture('GET /payments'), { trailingSlash: true })
  .get('/payments/{id}', getPayment, choosePosture('GET /payments/{id}'), { trailingSlash: true })
  .post('/payments', createPayment, choosePosture('POST /payments'), { trailingSlash: true })
  .put('/payments/{id}/capture', async (ctx) => {
    const payment = payments.get(ctx.param('id'));
    if (!payment) return respond(404, { error: 'unknown' });
    payment.state = ctx.bodyJson<any>().full ? 'captured' : 'partial';
    return respond(200, payment);
  }, choosePosture('PUT /payments/{id}/capture'), { trailingSlash: true })
  .delete('/payments/{id}', removePayment, choosePosture('DELETE /payments/{id}'), { trailingSlash: true })
  .handleLambda;

/** The answer with further headers. */
function withHeaders(answer: ResponseInput, headers: Record<string, string>): ResponseInput {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
