import type { Handler } from '@sallyport/core';
import type { Sealer } from '../../internal/crypto.js';
import { type ClientMetadataLoader, isClientMetadataURL } from '../../oauth/client-metadata.js';
import { OAuthError } from '../../oauth/oauth-error.js';
import { type ClientRegistrationPolicy, issuedAt, serveRegistration } from '../../oauth/registration.js';

/** A known client. */
export interface KnownClient {
  readonly id: string;
  readonly redirectUris: readonly string[];
  /** The name that the client has chosen; it is not verified. */
  readonly name: string | undefined;
  /** The host of its metadata document, which is verified; `undefined` for a registered client. */
  readonly host: string | undefined;
}

/** Clients of the authorization server. */
export interface Clients {
  /** The handler of registrations. */
  readonly register: Handler;
  /** @throws OAuthError `invalid_client` for an unknown client, `temporarily_unavailable` if too many documents are being loaded */
  find(clientId: string, now: Date): Promise<KnownClient>;
}

/** Redirect URIs and names of a registration, as the id of the client contains them. */
type Sealed = readonly [expiresAt: number, redirectUris: readonly string[], name?: string];

/** Seconds after which a client must register again: one year. */
const REGISTRATION_SECONDS = 31_536_000;
/** Maximum length of redirect URIs and name together: the id of the client contains them, and is sent in URLs. */
const MAX_SEALED = 1500;
const BOUND = 'client';

/**
 * Registered clients and clients with a metadata document. The id of a registered client contains its registration, encrypted: a
 * registration writes nothing, so callers that register without end fill no store.
 */
export function createClients(
  sealer: Sealer,
  policy: ClientRegistrationPolicy,
  loadDocument: ClientMetadataLoader | undefined,
): Clients {
  const publicOnly = { ...policy, requirePublicClient: true };
  return {
    register: serveRegistration(publicOnly, async (metadata, ctx) => {
      const now = issuedAt(ctx);
      const { redirect_uris: redirectUris, client_name: name } = metadata;
      const sealed: Sealed = [now + REGISTRATION_SECONDS, redirectUris, ...(name === undefined ? [] : [name])] as never;
      const text = JSON.stringify(sealed);
      if (text.length > MAX_SEALED) return tooLong();
      return { client_id: await sealer.seal('client', text, BOUND), client_id_issued_at: now, ...metadata };
    }),
    async find(clientId, now) {
      if (isClientMetadataURL(clientId)) {
        if (!loadDocument) throw unknownClient();
        const { redirect_uris: redirectUris, client_name: name } = await loadDocument(clientId);
        return { id: clientId, redirectUris, name, host: new URL(clientId).host };
      }
      const text = await sealer.open('client', clientId, BOUND);
      if (text === undefined) throw unknownClient();
      const [expiresAt, redirectUris, name] = JSON.parse(text) as Sealed;
      if (expiresAt * 1000 <= now.getTime()) throw unknownClient();
      return { id: clientId, redirectUris, name, host: undefined };
    },
  };
}

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(\/[^?#]*)?(\?[^#]*)?$/;

/**
 * True if a redirect URI equals one of the client's redirect URIs, as an exact string. Only the port of a loopback address may differ, because native
 * applications get a free port from the system (RFC 8252 section 7.3, RFC 9700 section 2.1).
 */
export function isRegisteredRedirect(uri: string, redirectUris: readonly string[]): boolean {
  if (redirectUris.includes(uri)) return true;
  const wanted = withoutPort(uri);
  return wanted !== undefined && redirectUris.some((one) => withoutPort(one) === wanted);
}

function withoutPort(uri: string): string | undefined {
  const [whole, origin = '', path = '', query = ''] = LOOPBACK.exec(uri) ?? [];
  return whole === undefined || !URL.canParse(whole) ? undefined : `${origin}${path}${query}`;
}

function tooLong(): OAuthError {
  return new OAuthError('invalid_client_metadata', 'the redirect URIs and the name are too long');
}

function unknownClient(): OAuthError {
  return new OAuthError('invalid_client', 'the client is not known');
}
