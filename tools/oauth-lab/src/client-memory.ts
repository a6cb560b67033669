import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

/** What a client keeps of its registration and its tokens, in memory; both official clients take it as their `authProvider`. */
export class ClientMemory {
  /** Nobody listens there: who signs in hands over what the browser was sent to. */
  readonly redirectUrl = 'http://127.0.0.1:9/callback';
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'agent',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  readonly #state = crypto.randomUUID();
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = '';
  #authorizationUrl: URL | undefined;

  state(): string {
    return this.#state;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  /** What was discovered before the person was sent to sign in; it is not asked for again afterwards. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  redirectToAuthorization(url: URL): void {
    this.#authorizationUrl = url;
  }

  /** Where a person is to sign in. */
  takeAuthorizationUrl(): URL {
    if (!this.#authorizationUrl) throw new Error('the client asked nobody to sign in');
    return this.#authorizationUrl;
  }
}
