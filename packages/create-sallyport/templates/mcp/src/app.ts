import { mountMcp } from '@sallyport/mcp';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import { createToolServer } from './handlers/tools.js';
import { createSignIn } from './sign-in.js';

/** What the service answers, and who may call it. */
export function createService(options: SecureOptions, signIn = createSignIn(process.env)): SecureApp {
  const app = new SecureApp({ ...(signIn && { challenge: signIn.challenge }), ...options });
  mountMcp(app, createToolServer(), {
    posture: Authenticated('mcp'),
    ...(signIn && { discovery: signIn.discovery }),
  });
  return app;
}
