import { createLambdaFunctionURLStreamingHandler } from '@sallyport/http';
import { createService } from './app.js';
import { createPrincipalResolver } from './principal.js';

const app = createService({ principalResolver: createPrincipalResolver(process.env) });

// The function URL has the invoke mode RESPONSE_STREAM.
export const handler = createLambdaFunctionURLStreamingHandler(app);
