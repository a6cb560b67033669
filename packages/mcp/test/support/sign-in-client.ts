import { Browser } from '@sallyport/oauth-lab';
import { createPkceVerifier, pkceChallenge } from '../../src/oauth.js';
import type { SignInLab } from './sign-in.js';

export const REDIRECT = 'https://client.example/callback';

/** An OAuth client without a library, which can send wrong requests. */
export class ByHand {
  readonly lab: SignInLab;
  readonly browser: Browser;
  readonly verifier = createPkceVerifier();
  clientId = '';

  constructor(lab: SignInLab, decision?: string) {
    this.lab = lab;
    this.browser = new Browser(decision === undefined ? lab.person : { ...lab.person, decision });
  }

  async register(metadata: object = {}): Promise<Response> {
    const body = JSON.stringify({ client_name: 'Reader', redirect_uris: [REDIRECT], ...metadata });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.lab.door.origin}/oauth/register`, { method: 'POST', headers, body });
    const answer = (await response.clone().json()) as { client_id?: string };
    this.clientId = answer.client_id ?? '';
    return response;
  }

  /** The authorization URL; `undefined` removes a parameter. */
  authorizationUrl(changes: Readonly<Record<string, string | undefined>> = {}): URL {
    const url = new URL(`${this.lab.door.origin}/oauth/authorize`);
    const parameters = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: REDIRECT,
      state: 'the state of the client',
      scope: 'notes:read',
      resource: this.lab.url.href,
      code_challenge: pkceChallenge(this.verifier),
      code_challenge_method: 'S256',
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  }

  /** The user signs in; returns the parameters that the client receives. */
  async signIn(changes: Readonly<Record<string, string | undefined>> = {}): Promise<URLSearchParams> {
    const url = this.authorizationUrl(changes);
    const redirectUri = url.searchParams.get('redirect_uri') ?? '';
    return (await this.browser.open(url, ({ href }) => href.startsWith(redirectUri))).searchParams;
  }

  async token(form: Readonly<Record<string, string>>): Promise<{ status: number; body: Record<string, unknown> }> {
    const body = new URLSearchParams({ client_id: this.clientId, ...form });
    const response = await fetch(`${this.lab.door.origin}/oauth/token`, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  redeem(code: string | null, changes: Readonly<Record<string, string>> = {}) {
    const grant = {
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: REDIRECT,
      code_verifier: this.verifier,
    };
    return this.token({ ...grant, ...changes });
  }

  refresh(refreshToken: unknown, changes: Readonly<Record<string, string>> = {}) {
    return this.token({ grant_type: 'refresh_token', refresh_token: String(refreshToken), ...changes });
  }

  /** Registers and signs in; returns the tokens. */
  async tokens(): Promise<Record<string, unknown>> {
    await this.register();
    return (await this.redeem((await this.signIn()).get('code'))).body;
  }
}

/** Calls the tool `who` with a token; returns the status and the answer. */
export async function callTool(
  lab: SignInLab,
  token: unknown,
  name = 'who',
): Promise<{ status: number; text: string }> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(lab.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ ...message, params: { ...message.params, _meta: meta } }),
  });
  return { status: response.status, text: await response.text() };
}
