import { openDoor, type Person, startAuthorizationServer } from '@sallyport/oauth-lab';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { createMcpServer, memoryMcpStore, mountMcp } from '../../src/index.js';
import { createBearerGuard, jwtBearerValidator, mcpDiscovery } from '../../src/oauth.js';

/** A server that requires a token, and an authorization server of another maker (`oidc-provider`) with a user. */
export interface ClosedServer {
  readonly url: string;
  readonly person: Person;
  close(): Promise<unknown>;
}

const SCOPE = 'notes';

/** Clients register themselves. The tool `who` returns the identity of the caller. */
export async function startClosedServer(): Promise<ClosedServer> {
  const door = await openDoor('gateway v2');
  const resource = `${door.origin}/mcp`;
  const authorization = await startAuthorizationServer({ resources: [resource], scopes: [SCOPE] });
  const { issuer, keysUrl } = authorization;
  const validator = jwtBearerValidator({
    issuer,
    // Keys must be fetched by https; these are served on loopback.
    jwksUri: 'https://keys.example/jwks',
    fetch: (_url, init) => fetch(keysUrl, init),
    audience: [resource],
    typ: 'at+jwt',
  });
  const { principalResolver, challenge } = createBearerGuard({ validator });
  const app = new SecureApp({ principalResolver, challenge, log: false });
  const server = createMcpServer({ name: 'closed', version: '1.0.0', store: memoryMcpStore() });
  server.tool('who', {}, (_, { principal }) => `signed in as ${principal?.identity}`);
  mountMcp(app, server, {
    posture: Authenticated(SCOPE),
    discovery: mcpDiscovery({ publicBaseUrl: door.origin, authorizationServers: [issuer], scopesSupported: [SCOPE] }),
  });
  door.handler = app.handleLambda as NonNullable<typeof door.handler>;
  const person = { account: 'ada', password: authorization.password };
  return { url: resource, person, close: () => Promise.all([door.close(), authorization.close()]) };
}
