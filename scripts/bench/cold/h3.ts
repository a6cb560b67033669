import { H3 } from 'h3';
import { toLambdaHandler } from 'srvx/aws-lambda';

const app = new H3();
app.get('/health', () => ({ ok: true }));

export const handler = toLambdaHandler({ fetch: app.fetch });
