import awsLambdaFastify from '@fastify/aws-lambda';
import fastify from 'fastify';

const app = fastify();
app.get('/health', async () => ({ ok: true }));

export const handler = awsLambdaFastify(app);
