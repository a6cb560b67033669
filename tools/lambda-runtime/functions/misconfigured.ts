import { createApp } from '@sallyport/dispatch/app';

const app = createApp({ basePaths: '/v1' } as object);

export const buffered = app.handleLambda;
