import { json } from '@sallyport/http';
import { memoryMcpStore } from '@sallyport/mcp';
import * as oauth from '@sallyport/mcp/oauth';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { ManualClock } from '@sallyport/testkit';
import { buildLambdaFunctionURLRequest } from '@sallyport/testkit/events';
import { camelOptions, renameKeys, toCamel } from '../casing.js';

type Args = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string | readonly string[]>>;

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function send(
  app: SecureApp,
  method: string,
  path: string,
  request: { headers?: Headers; body?: string },
): Promise<Answer> {
  return (await app.handleLambda(buildLambdaFunctionURLRequest(method, path, request as object))) as Answer;
}

interface Token {
  readonly token: string;
  readonly outcome?: string;
  readonly expires_at?: string;
}

/** A validator that accepts these tokens; `outcome` is its result for a token. */
function validatorOf(tokens: readonly Token[]): oauth.Validator {
  return (text) => {
    const { token, outcome, expires_at, ...claims } = tokens.find((one) => one.token === text) ?? {
      token: '',
      outcome: 'invalid',
    };
    if (outcome === 'unavailable') throw new oauth.BearerUnavailable();
    if (outcome === 'crash') throw new Error('crash');
    if (outcome === 'nothing') return undefined as never;
    if (outcome !== undefined) throw new oauth.BearerError(outcome as oauth.BearerErrorReason);
    const end = expires_at === undefined ? {} : { expiresAt: new Date(expires_at) };
    return { subject: 'ada', audience: [], scopes: [], claims: {}, ...claims, ...end };
  };
}

/**
 * `{ "now", "pattern", "options", "tokens", "requests" }`: the answers of a route with a guard. The option `resource_metadata_url_func` is
 * the string that the function returns, or `null` for a function that throws.
 */
export async function bearer({ now, pattern, options = {}, tokens = [], requests }: Args): Promise<readonly object[]> {
  const { resource_metadata_url_func: returned, ...rest } = options as Args;
  const ask = {
    resourceMetadataURLFunc: () => {
      if (returned === null) throw new Error('no');
      return returned as string;
    },
  };
  const given = { ...bearerOptions(rest), ...(returned !== undefined && ask) };
  const guard = oauth.createBearerGuard({ validator: validatorOf(tokens as Token[]), ...given });
  const { principalResolver, challenge } = guard;
  const app = new SecureApp({
    log: false,
    clock: new ManualClock(new Date(now as string)),
    principalResolver,
    challenge,
  });
  app.get(pattern as string, (ctx) => json(200, { subject: oauth.bearerClaims(ctx)?.subject }), Authenticated());
  return Promise.all(
    (requests as { path: string; headers?: Headers }[]).map(async ({ path, headers = {} }) => {
      const answer = await send(app, 'GET', path, { headers });
      const { error } = JSON.parse(answer.body) as { error?: { code: string } };
      return {
        status: answer.statusCode,
        code: error?.code ?? null,
        www_authenticate: answer.headers['www-authenticate'] ?? null,
      };
    }),
  );
}

function bearerOptions(options: object): object {
  return Object.fromEntries(
    Object.entries(camelOptions(options)).map(([name, value]) => [name.replace(/MetadataUrl/, 'MetadataURL'), value]),
  );
}

/** `{ "templates": [ … ], "urls": [ … ] }`: of each `true`, or the code of the error at construction. */
export function bearerUrls({ templates = [], urls = [] }: Args): object {
  const validator = validatorOf([]);
  const accepts = (options: object) => outcomeOf(() => oauth.createBearerGuard({ validator, ...options }) && true);
  return {
    templates: (templates as string[]).map((resourceMetadataURLTemplate) => accepts({ resourceMetadataURLTemplate })),
    urls: (urls as string[]).map((resourceMetadataURL) => accepts({ resourceMetadataURL })),
  };
}

/** `{ "protected_resources": [ … ], "authorization_servers": [ … ], "metadata_urls": [ … ] }`: each document as a string, or a code. */
export function documents({ protected_resources = [], authorization_servers = [], metadata_urls = [] }: Args): object {
  const text = (make: () => unknown) => outcomeOf(() => JSON.stringify(make()));
  return {
    protected_resources: (protected_resources as object[]).map((one) =>
      text(() => oauth.createProtectedResourceMetadata(renameKeys(one, toCamel) as oauth.ProtectedResourceOptions)),
    ),
    authorization_servers: (authorization_servers as object[]).map((one) =>
      text(() => oauth.createAuthorizationServerMetadata(renameKeys(one, toCamel) as oauth.AuthorizationServerOptions)),
    ),
    metadata_urls: (metadata_urls as string[]).map((url) => outcomeOf(() => oauth.protectedResourceMetadataURL(url))),
  };
}

/** `{ "pairs": [[verifier, challenge], …] }`: true for each verifier that matches its challenge. */
export function pkce({ pairs }: Args): readonly boolean[] {
  return (pairs as [unknown, unknown][]).map(([verifier, challenge]) => oauth.verifyPkce(verifier, challenge));
}

/** `{ "policy", "requests" }`: the stored part of each registration, or the protocol's error. */
export function registrations({ policy = {}, requests }: Args): readonly unknown[] {
  return (requests as unknown[]).map((request) => {
    try {
      return oauth.validateClientRegistration(
        request,
        camelOptions(policy as object) as oauth.ClientRegistrationPolicy,
      );
    } catch (error) {
      return { error: (error as oauth.OAuthError).error };
    }
  });
}

interface Step {
  readonly do: 'put' | 'post' | 'wait';
  readonly as?: string;
  readonly grant?: object;
  readonly form?: Readonly<Record<string, string>>;
  readonly seconds?: number;
}

/**
 * `{ "now", "steps" }` at a token endpoint: `put` stores a grant and names its code, `post` sends a form and names the refresh token of
 * the answer, `wait` advances the clock. `{name}` in a form is replaced by the named value. Returns the status of each form with scope or error.
 */
export async function tokenSteps({ now, steps }: Args): Promise<readonly object[]> {
  const clock = new ManualClock(new Date(now as string));
  const store = memoryMcpStore({ clock });
  const refreshTokens = oauth.createRefreshTokenStore({ store, clock });
  const codes = oauth.createAuthorizationCodeStore({ store, clock, refreshTokens });
  const issueAccessToken = () => ({ accessToken: 'at', expiresIn: 300 });
  const app = new SecureApp({ log: false, clock });
  app.post('/token', oauth.createTokenHandler({ codes, refreshTokens, issueAccessToken }), Public());
  const named = new Map<string, string>();
  const results: object[] = [];
  for (const { do: what, as = '', grant, form = {}, seconds = 0 } of steps as Step[]) {
    if (what === 'wait') await clock.advance(seconds * 1000);
    if (what === 'put') named.set(as, await codes.put(renameKeys(grant, toCamel) as oauth.AuthorizationCode));
    if (what !== 'post') continue;
    const body = new URLSearchParams(form);
    for (const [key, value] of Object.entries(form)) {
      body.set(
        key,
        value.replace(/^\{(.*)\}$/, (_, name: string) => named.get(name) ?? ''),
      );
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await send(app, 'POST', '/token', { headers, body: body.toString() });
    const { error, scope, refresh_token: refreshToken } = JSON.parse(answer.body) as Record<string, string>;
    named.set(as, refreshToken ?? '');
    results.push({ status: answer.statusCode, ...(error === undefined ? { scope } : { error }) });
  }
  return results;
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return { code: (error as { code?: unknown }).code };
  }
}
