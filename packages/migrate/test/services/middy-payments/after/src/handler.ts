import { type Context, FrameworkError, type ResponseInput } from '@sallyport/core';
import { json, noContent } from '@sallyport/http';
import middy from '@middy/core';
import httpCors from '@middy/http-cors';
import httpErrorHandler from '@middy/http-error-handler';
import httpRouterHandler from '@middy/http-router';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { respond } from './respond';

const payments = new Map([['p-1', { id: 'p-1', amount: 100, state: 'open' }]]);

async function listPayments(event: APIGatewayProxyEventV2): Promise<ResponseInput> {
  const { state } = event.queryStringParameters ?? {};
  const found = [...payments.values()].filter((payment) => !state || payment.state === state);
  return respond(200, { payments: found });
}

async function getPayment(event: APIGatewayProxyEventV2) {
  const id = event.pathParameters?.id ?? '';
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


async function removePayment(event: APIGatewayProxyEventV2) {
  payments.delete(event.pathParameters!.id!);
  return noContent();
}


// TODO(sallyport): the method and the path of this function are in its deployment: app.post(path, handler, posture)
export const handler = middy()
  .use(httpErrorHandler({ logger: false }))
  .use(httpCors({ origins: ['https://pay.example'] }))
  .handler(httpRouterHandler(routes));

/** The answer with further headers. */
function withHeaders(answer: ResponseInput, headers: Record<string, string>): ResponseInput {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
