import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Path of the sign-in page; the id of the interaction follows. */
export const SIGN_IN_PATH = '/sign-in/';

interface Interaction {
  readonly params: {
    readonly client_id: string;
    readonly scope?: string;
    readonly resource?: string | readonly string[];
  };
}

interface Grant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}

/** The parts of `oidc-provider` that are used here. */
export interface SignInProvider {
  readonly Grant: new (of: { accountId: string; clientId: string }) => Grant;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}

/** The page for sign-in and consent: GET shows the form, POST receives it. */
export async function serveSignIn(
  provider: SignInProvider,
  password: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(request, response);
    if (request.method !== 'POST') return answer(response, 200, page(params));
    const form = new URLSearchParams(await readForm(request));
    const account = form.get('account') ?? '';
    if (account === '' || !isSame(form.get('password') ?? '', password)) return answer(response, 403, page(params));
    const grantId = await grant(provider, account, params);
    await provider.interactionFinished(request, response, { login: { accountId: account }, consent: { grantId } });
  } catch {
    answer(response, 400, '<p>There is no such sign-in.</p>');
  }
}

/** A grant of exactly the requested scopes for exactly the requested resources. */
function grant(
  provider: SignInProvider,
  accountId: string,
  { client_id, scope = '', resource = [] }: Interaction['params'],
): Promise<string> {
  const made = new provider.Grant({ accountId, clientId: client_id });
  made.addOIDCScope(scope);
  for (const one of [resource].flat()) made.addResourceScope(one, scope);
  return made.save();
}

function page({ client_id, scope = '', resource = [] }: Interaction['params']): string {
  const what = `${client_id} wants ${scope} at ${[resource].flat().join(', ')}`;
  return `<!doctype html><title>Sign in</title><p>${escapeHtml(what)}</p><form method="post">
<input name="account" autocomplete="username"><input name="password" type="password"><button>Allow</button></form>`;
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

function answer(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; form-action 'self' http://127.0.0.1:* http://localhost:*; frame-ancestors 'none'",
  });
  response.end(html);
}

const MAX_FORM_BYTES = 4_096;

async function readForm(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_FORM_BYTES) throw new Error('the form is too large');
  }
  return text;
}

/** Compares in constant time. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
