import { mountMcp } from '@sallyport/mcp';
import { Authenticated, SecureApp, type SecureOptions } from '@sallyport/secure';
import { createToolServer } from './handlers/tools.js';
import { createSignIn } from './sign-in.js';

/** Creates the service: its routes with their postures. */
export function createService(options: SecureOptions, signIn = createSignIn(process.env)): SecureApp {
  const app = new SecureApp({ ...(signIn && { challenge: signIn.challenge }), ...options });
  const discovery = signIn?.discovery;
  mountMcp(app, createToolServer(), { posture: Authenticated('mcp'), ...(discovery && { discovery }) });
  return app;
}
