import { Router } from '@aws-lambda-powertools/event-handler/http';

const app = new Router();
app.get('/health', async () => ({ ok: true }));

export const handler = (event: unknown, context: unknown) => app.resolve(event, context as never);
