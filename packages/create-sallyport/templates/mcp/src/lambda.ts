import { createLambdaFunctionURLStreamingHandler } from '@sallyport/http';
import { createService } from './app.js';
import { createPrincipalResolver } from './principal.js';
import { createSignIn } from './sign-in.js';

const signIn = createSignIn(process.env);
const app = createService({ principalResolver: createPrincipalResolver(signIn) }, signIn);

// The function URL has the invoke mode RESPONSE_STREAM.
export const handler = createLambdaFunctionURLStreamingHandler(app);
