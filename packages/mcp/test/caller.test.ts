import { Authenticated, SecureApp } from '@sallyport/secure';
import { createMcpServer, memoryMcpStore, mountMcp } from '../src/index.js';
import { toEvent } from './support/rig.js';

const PARAMS = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tester', version: '1' } };
const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

interface Sent {
  /** Of the Lambda context: tenant isolation. */
  readonly runtime?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server whose callers all have one identity and name no tenant themselves. */
function createService(sessions: 'durable' | 'sealed', trustTenantHeader: boolean) {
  const app = new SecureApp({ principalResolver: () => ({ identity: 'ada' }), trustTenantHeader });
  const store = memoryMcpStore();
  mountMcp(
    app,
    createMcpServer({ name: 'tested', version: '1', secret: { current: 's'.repeat(32) }, store, sessions }),
    {
      posture: Authenticated(),
    },
  );
  const send = async (message: object, { runtime, headers }: Sent) => {
    const event = toEvent('POST', JSON.stringify({ jsonrpc: '2.0', ...message }), {
      headers: { ...ACCEPT, ...headers },
    });
    const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 };
    const answer = await app.serveLambdaFunctionURL(
      event,
      runtime === undefined ? context : { ...context, tenantId: runtime },
    );
    return answer as { statusCode: number; headers: Record<string, string> };
  };
  return {
    async connect(sent: Sent) {
      const { headers } = await send({ id: 1, method: 'initialize', params: PARAMS }, sent);
      return headers['mcp-session-id'] ?? '';
    },
    async ping(session: string, sent: Sent) {
      const headers = { ...sent.headers, 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' };
      return (await send({ id: 2, method: 'ping' }, { ...sent, headers })).statusCode;
    },
  };
}

describe.each(['durable', 'sealed'] as const)('a %s session of a caller who names no tenant', (sessions) => {
  it.each<[string, boolean, (tenant: string) => Sent]>([
    ['the runtime', false, (runtime) => ({ runtime })],
    ['a trusted header', true, (tenant) => ({ headers: { 'x-tenant-id': tenant } })],
  ])('opens for the tenant of %s alone', async (_, trusted, of) => {
    const { connect, ping } = createService(sessions, trusted);
    const session = await connect(of('t1'));
    expect([await ping(session, of('t1')), await ping(session, of('t2')), await ping(session, {})]).toEqual([
      200, 404, 404,
    ]);
  });
});
