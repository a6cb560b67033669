import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

/** The registration and tokens of a client, in memory: the `authProvider` of both official clients. */
export class ClientMemory {
  /** Nothing listens at this port: `signIn` returns the redirect instead. */
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

  /** Metadata from before the sign-in, so that it is not requested again afterwards. */
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

  /** The URL at which the user signs in. */
  takeAuthorizationUrl(): URL {
    if (!this.#authorizationUrl) throw new Error('the client asked nobody to sign in');
    return this.#authorizationUrl;
  }
}
