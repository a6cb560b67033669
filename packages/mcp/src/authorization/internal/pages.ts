import type { ResponseInput } from '@sallyport/core';
import { escapeHtml } from '@sallyport/core/internal';
import { MCP_SIGN_IN_PATHS } from '../../schema.js';
import type { KnownClient } from './clients.js';

/** Content of the consent page. */
export interface ConsentView {
  /** Display name of the MCP server. */
  readonly server: string;
  readonly client: KnownClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The encrypted request, which the form sends back. */
  readonly request: string;
}

/**
 * The consent page for one client. The name of a client proves nothing, so the page also shows where the user is sent and, for
 * a client with a metadata document, the host that serves it.
 */
export function consentPage(
  { server, client, redirectUri, scopes, request }: ConsentView,
  cookie: string,
): ResponseInput {
  const name = client.name ?? client.host ?? 'An application';
  const source = client.host === undefined ? 'This name is not verified.' : `Described by ${client.host}.`;
  const items = scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('');
  const body = `<h1>${escapeHtml(name)} requests access to ${escapeHtml(server)}</h1>
<p>${escapeHtml(source)}</p>
<p>If you allow this, you sign in, and are then sent to <strong>${escapeHtml(destination(redirectUri))}</strong>.</p>
<p>It can then use these permissions in your name:</p><ul>${items}</ul>
<p>Continue only if you started this yourself.</p>
<form method="post" action="${MCP_SIGN_IN_PATHS.authorize}"><input type="hidden" name="request" value="${escapeHtml(request)}">
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`;
  return page(200, `Allow ${name}?`, body, [cookie]);
}

/**
 * A page for a request that failed before the user agreed. With a client, it has a link back: anyone can register a redirect URI, so an
 * automatic redirect would make this origin an open redirector (RFC 9700 section 4.11.2).
 */
export function errorPage(
  status: number,
  text: string,
  back?: { readonly redirectUri: string; readonly location: string },
): ResponseInput {
  const link =
    back && `<p><a href="${escapeHtml(back.location)}">Return to ${escapeHtml(destination(back.redirectUri))}</a></p>`;
  return page(status, 'Sign-in failed', `<h1>Sign-in failed</h1><p>${escapeHtml(text)}</p>${link ?? ''}`, []);
}

function destination(redirectUri: string): string {
  if (!URL.canParse(redirectUri)) return `an application on this device (${redirectUri.split(':', 1)[0]}:)`;
  const { protocol, host, hostname } = new URL(redirectUri);
  if (['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) return `an application on this device (${host})`;
  return protocol === 'https:' ? host : `an application on this device (${protocol})`;
}

/**
 * Headers against embedding, caching and scripts. There is no `form-action`: browsers apply it to the redirects after a submit, and these
 * lead to the provider and to the client (https://github.com/w3c/webappsec-csp/issues/8).
 */
function page(status: number, title: string, body: string, cookies: readonly string[]): ResponseInput {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    cookies,
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><main>${body}</main></html>`,
  };
}
