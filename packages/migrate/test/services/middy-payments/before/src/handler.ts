import middy from '@middy/core';
import httpCors from '@middy/http-cors';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import httpRouterHandler from '@middy/http-router';
import { createError } from '@middy/util';
import type { APIGatewayProxyEventV2, APIGatewayProxyResultV2 } from 'aws-lambda';
import { respond } from './respond';

const payments = new Map([['p-1', { id: 'p-1', amount: 100, state: 'open' }]]);

async function listPayments(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyResultV2> {
  const { state } = event.queryStringParameters ?? {};
  const found = [...payments.values()].filter((payment) => !state || payment.state === state);
  return respond(200, { payments: found });
}

async function getPayment(event: APIGatewayProxyEventV2) {
  const id = event.pathParameters?.id ?? '';
  const payment = payments.get(id);
  if (!payment) throw createError(404, `no payment ${id}`);
  return { statusCode: 200, body: JSON.stringify(payment) };
}

const createPayment = async (event: any) => {
  const { amount } = event.body;
  if (typeof amount !== 'number') {
    throw createError(422, JSON.stringify({ error: 'amount must be a number' }));
  }
  const payment = { id: `p-${payments.size + 1}`, amount, state: 'open' };
  payments.set(payment.id, payment);
  return {
    statusCode: 201,
    headers: { Location: `/payments/${payment.id}` },
    body: JSON.stringify(payment),
  };
};

const capture = middy()
  .use(httpJsonBodyParser())
  .handler(async (event: any, context: any) => {
    const payment = payments.get(event.pathParameters.id);
    if (!payment) return respond(404, { error: 'unknown' });
    payment.state = event.body.full ? 'captured' : 'partial';
    return respond(200, payment);
  });

async function removePayment(event: APIGatewayProxyEventV2) {
  payments.delete(event.pathParameters!.id!);
  return { statusCode: 204 };
}

const routes = [
  { method: 'GET' as const, path: '/payments', handler: listPayments },
  { method: 'GET' as const, path: '/payments/{id}', handler: getPayment },
  { method: 'POST' as const, path: '/payments', handler: middy(createPayment).use(httpJsonBodyParser()) },
  { method: 'PUT' as const, path: '/payments/{id}/capture', handler: capture },
  { method: 'DELETE' as const, path: '/payments/{id}', handler: removePayment },
];

export const handler = middy()
  .use(httpErrorHandler({ logger: false }))
  .use(httpCors({ origins: ['https://pay.example'] }))
  .handler(httpRouterHandler(routes));
