import type { Clock } from '@sallyport/core';
import {
  type Cognito,
  type CognitoOptions,
  type DoorName,
  type OpenDoor,
  openDoor,
  type Person,
  startAuthorizationServer,
  startCognito,
} from '@sallyport/oauth-lab';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { createCognitoAuthorization } from '../../src/authorization/cognito.js';
import { createOidcAuthorization } from '../../src/authorization/oidc.js';
import type { AuthorizationOptions, McpAuthorization } from '../../src/authorization.js';
import { createMcpServer, type McpStore, memoryMcpStore, mountMcp } from '../../src/index.js';
import { bearerClaims, bearerToken, type ClientMetadataLoader } from '../../src/oauth.js';
import { type Line, logTo } from './rig.js';

const SCOPES = ['notes:read', 'notes:write'];
const SECRET = { current: 'a secret of at least 32 bytes, for tests only' };

/** Options of a lab. */
export interface SignInOptions extends Partial<Omit<AuthorizationOptions, 'store' | 'clock'>> {
  readonly door?: DoorName;
  readonly renamesChallenge?: boolean;
  readonly store?: McpStore;
  readonly loadClient?: ClientMetadataLoader;
}

/** One function with an MCP server and its sign-in, through a door. */
export interface SignInLab {
  readonly door: OpenDoor;
  readonly url: URL;
  readonly person: Person;
  readonly signIn: McpAuthorization;
  /** Lines of the log. */
  readonly lines: readonly Line[];
  readonly store: McpStore;
  /** Access tokens that reached a tool. */
  readonly seen: readonly string[];
  /** Time passes. */
  wait(ms: number): void;
  /** The current time in milliseconds. */
  now(): number;
  close(): Promise<unknown>;
}

type Create = (options: AuthorizationOptions, loadClient?: ClientMetadataLoader) => McpAuthorization;

async function openFunction(
  door: OpenDoor,
  person: Person,
  create: Create,
  {
    store: given,
    loadClient,
    door: _,
    renamesChallenge: __,
    ...options
  }: SignInOptions & { readonly clientId: string },
  time: { later: number },
): Promise<SignInLab> {
  const now = () => Date.now() + time.later;
  const clock: Clock = { now: () => new Date(now()) };
  const store = given ?? memoryMcpStore({ clock });
  const signIn = create(
    { publicBaseUrl: door.origin, scopes: SCOPES, store, secret: SECRET, clock, resourceName: 'Notes', ...options },
    loadClient,
  );
  const lines: Line[] = [];
  const seen: string[] = [];
  const app = new SecureApp({ ...signIn.guard, log: logTo(lines), clock });
  const mcp = createMcpServer({ name: 'notes', version: '1.0.0' });
  mcp.tool('who', {}, (_, { http }) => {
    seen.push(bearerToken(http) ?? '');
    return `${bearerClaims(http)?.subject} ${bearerClaims(http)?.scopes.join(' ')}`;
  });
  mcp.tool('write', { scopes: ['notes:write'] }, () => 'written');
  mountMcp(app, mcp, { posture: Authenticated('notes:read'), discovery: signIn.discovery });
  door.handler = app.handleLambda as NonNullable<OpenDoor['handler']>;
  return {
    door,
    url: new URL(`${door.origin}/mcp`),
    person,
    signIn,
    lines,
    store,
    seen,
    wait(ms) {
      time.later += ms;
    },
    now,
    close: () => door.close(),
  };
}

/** The app client of the simulated Cognito, and the identifier of its resource server. */
const CLIENT_ID = '1example23456789';
const RESOURCE_SERVER = 'notes-api';

/** A lab with the simulated Cognito. */
export interface CognitoLab extends SignInLab {
  readonly cognito: Cognito;
}

export async function openCognitoLab(
  options: SignInOptions = {},
  pool: Partial<CognitoOptions> & { readonly secret?: string | undefined } = {},
): Promise<CognitoLab> {
  const { secret: given, ...rest } = pool;
  const secret = 'secret' in pool ? given : 'the+secret+of+the+app+client';
  const door = await openDoor(options.door ?? 'gateway v2', { renamesChallenge: options.renamesChallenge ?? false });
  const scopes = SCOPES.map((scope) => `${RESOURCE_SERVER}/${scope}`);
  const time = { later: 0 };
  const resourceBinding = rest.resourceBinding ?? true;
  const cognito = await startCognito({
    clients: {
      [CLIENT_ID]: { ...(secret !== undefined && { secret }), callbackUrls: [`${door.origin}/oauth/callback`], scopes },
    },
    now: () => Date.now() + time.later,
    ...rest,
    resourceBinding,
  });
  const userPool = { id: cognito.poolId, domain: cognito.domain, resourceBinding, resourceServer: RESOURCE_SERVER };
  const create: Create = (common, loadClient) => createCognitoAuthorization({ ...common, userPool }, loadClient);
  const common = {
    clientId: CLIENT_ID,
    ...(secret !== undefined && { clientSecret: secret }),
    fetch: cognito.fetch,
    ...options,
  };
  const person = { account: 'ada', password: cognito.password };
  const lab = await openFunction(door, person, create, common, time);
  return { ...lab, cognito, close: () => Promise.all([lab.close(), cognito.close()]) };
}

/** A lab with `oidc-provider`, in which the function is a registered client. */
export async function openOidcLab({ issuer, ...options }: SignInOptions & { readonly issuer?: string } = {}) {
  const door = await openDoor(options.door ?? 'gateway v2', { renamesChallenge: options.renamesChallenge ?? false });
  const provider = await startAuthorizationServer({ resources: [`${door.origin}/mcp`], scopes: SCOPES });
  const clientId = await registerAt(provider.issuer, `${door.origin}/oauth/callback`);
  const create: Create = (common, loadClient) =>
    createOidcAuthorization({ ...common, issuer: issuer ?? provider.issuer }, loadClient);
  const person = { account: 'ada', password: provider.password };
  const lab = await openFunction(door, person, create, { clientId, ...options }, { later: 0 });
  return { ...lab, provider, close: () => Promise.all([lab.close(), provider.close()]) };
}

/** Creates the client that an operator creates once in the console of the provider. */
async function registerAt(issuer: string, redirectUri: string): Promise<string> {
  const body = JSON.stringify({ redirect_uris: [redirectUri], grant_types: ['authorization_code', 'refresh_token'] });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${issuer}/register`, { method: 'POST', headers, body });
  const { client_id } = (await response.json()) as { client_id?: string };
  if (client_id === undefined) throw new Error('the provider did not register the function');
  return client_id;
}
