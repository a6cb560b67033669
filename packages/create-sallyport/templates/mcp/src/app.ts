import { mountMcp } from '@sallyport/mcp';
import { Authenticated, Public, SecureApp, type SecureOptions } from '@sallyport/secure';
import { createToolServer } from './handlers/tools.js';
import { createChallenge, describeResource, METADATA_PATH } from './metadata.js';

/** What the service answers, and who may call it. */
export function createService(options: SecureOptions): SecureApp {
  const app = new SecureApp({ challenge: createChallenge(process.env), ...options });
  app.get(METADATA_PATH, describeResource(process.env), Public());
  mountMcp(app, createToolServer(), { posture: Authenticated('mcp') });
  return app;
}
