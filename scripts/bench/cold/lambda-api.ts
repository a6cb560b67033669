import lambdaApi, { type API } from 'lambda-api';

const app = (lambdaApi as unknown as () => API)();
app.get('/health', () => ({ ok: true }));

export const handler = (event: never, context: never) => app.run(event, context);
