import { sha256 } from '@sallyport/core/pipeline';
import { MicrovmError } from '../../errors.js';
import { isReachable } from '../../lifecycle/states.js';
import type { PortScope } from '../../provider/provider.js';
import type { SecretToken } from '../../provider/secret-token.js';
import type { SessionRecord } from '../../registry/registry.js';
import { type CallerFacts, UNLIMITED } from '../caller.js';
import type { MicrovmTokenInfo } from '../types.js';
import { invalidState } from './commands.js';
import { checkFields, parsePorts, parseSessionId, parseTtl, scopeName } from './input.js';
import { answer, isMissing, type Parts, readSession, tell, tellFailure, withheldIfLeaking, writeEnd } from './parts.js';
import type { CachedToken, TokenKey } from './token-cache.js';

const MINUTE_MS = 60_000;
/** The life of the tokens that `invoke` makes, in minutes. */
const INVOKE_MINUTES = 5;
/** A token is renewed when less of its life is left. */
const LEAST_LEFT_MS = 30_000;

/** @throws MicrovmError `microvm.invalid_state` when the program in the machine cannot be reached */
export function assertReachable({ state, idlePolicy, microvmId }: SessionRecord): string {
  if (microvmId !== undefined && isReachable(state, idlePolicy?.autoResumeEnabled === true)) return microvmId;
  throw invalidState(state);
}

/** Makes a token for ports, and keeps it for `invoke`. */
export async function createAuthToken(parts: Parts, facts: CallerFacts, input: unknown): Promise<MicrovmTokenInfo> {
  const { session_id, ports, ttl_seconds } = checkFields(input, ['session_id', 'ports', 'ttl_seconds']);
  const sessionId = parseSessionId(session_id);
  const scopes = parsePorts(ports, parts.settings.invoke);
  const ttl = parseTtl(ttl_seconds);
  const record = await readSession(parts, facts, sessionId);
  return tellToken(parts, facts, record, 'auth-token', () => {
    const key = { microvmId: assertReachable(record), type: 'auth', scope: scopes.map(scopeName) } as const;
    return getToken(parts, facts, record, key, { minutes: minutesOf(ttl), ports: scopes, leftMs: halfOf });
  });
}

/** Makes a token for the shell. */
export async function createShellAuthToken(
  parts: Parts,
  facts: CallerFacts,
  input: unknown,
): Promise<MicrovmTokenInfo> {
  const { session_id, ttl_seconds } = checkFields(input, ['session_id', 'ttl_seconds']);
  const sessionId = parseSessionId(session_id);
  const ttl = parseTtl(ttl_seconds);
  const record = await readSession(parts, facts, sessionId);
  return tellToken(parts, facts, record, 'shell-auth-token', () => {
    const key = { microvmId: assertReachable(record), type: 'shell', scope: ['shell'] } as const;
    if (!hasShell(record)) throw new MicrovmError('microvm.shell_not_enabled', 'the session has no shell');
    return getToken(parts, facts, record, key, { minutes: minutesOf(ttl), ports: undefined, leftMs: halfOf });
  });
}

/** True if the session was run with the connector for shells. */
function hasShell({ ingressConnectors = [] }: SessionRecord): boolean {
  return ingressConnectors.some((arn) => /[:/]SHELL_INGRESS$/.test(arn));
}

/** The token of a request to one port. */
export async function tokenForPort(
  parts: Parts,
  facts: CallerFacts,
  record: SessionRecord,
  port: number,
): Promise<SecretToken> {
  const key = { microvmId: assertReachable(record), type: 'auth', scope: [scopeName({ port })] } as const;
  const { connectMs, firstByteMs } = parts.settings.invoke;
  const leftMs = ({ mintedAt, expiresAt }: CachedToken) =>
    Math.min(Math.max(LEAST_LEFT_MS, connectMs + firstByteMs), (expiresAt - mintedAt) / 2);
  const { token } = await getToken(parts, facts, record, key, { minutes: INVOKE_MINUTES, ports: [{ port }], leftMs });
  return token;
}

interface Wanted {
  readonly minutes: number;
  /** Ports that the token opens; none for a shell. */
  readonly ports: readonly PortScope[] | undefined;
  readonly leftMs: (token: CachedToken) => number;
}

/** A token of the cache, or a new one. A machine that the service does not know ends its session. */
async function getToken(
  parts: Parts,
  facts: CallerFacts,
  record: SessionRecord,
  key: TokenKey,
  { minutes, ports, leftMs }: Wanted,
): Promise<CachedToken & { readonly key: TokenKey }> {
  const mint = async () => {
    const mintedAt = parts.clock.now().getTime();
    const input = { microvmId: key.microvmId, expirationInMinutes: minutes };
    // The call is shared: it has the time of the service, and each caller waits as long as it can.
    const token = await parts.calls.send('token', { remainingMs: UNLIMITED }, (provider, signal) =>
      ports ? provider.authToken({ ...input, ports }, signal) : provider.shellAuthToken(input, signal),
    );
    return { token, mintedAt, expiresAt: mintedAt + minutes * MINUTE_MS };
  };
  try {
    return { ...(await parts.calls.within('token', facts, () => parts.tokens.get(key, leftMs, mint))), key };
  } catch (error) {
    if (isMissing(error)) await writeEnd(parts, record);
    throw error;
  }
}

async function tellToken(
  parts: Parts,
  facts: CallerFacts,
  record: SessionRecord,
  operation: 'auth-token' | 'shell-auth-token',
  get: () => Promise<CachedToken & { readonly key: TokenKey }>,
): Promise<MicrovmTokenInfo> {
  const told = { operation, sessionId: record.sessionId, from: record.state, record };
  try {
    const { expiresAt, key } = await get();
    const expires = new Date(expiresAt).toISOString();
    const tokenId = tokenIdOf(record, key, expires);
    tell(parts, facts, 'succeeded', { ...told, tokenId });
    return withheldIfLeaking({
      ...answer(operation, facts),
      sessionId: record.sessionId,
      tokenId,
      tokenType: key.type,
      scope: key.scope,
      expiresAt: expires,
    });
  } catch (error) {
    return tellFailure(parts, facts, told, error);
  }
}

/** Names a token without telling anything of its value. */
function tokenIdOf(
  { tenantId, namespace, sessionId }: Pick<SessionRecord, 'tenantId' | 'namespace' | 'sessionId'>,
  { type, scope }: Pick<TokenKey, 'type' | 'scope'>,
  expiresAt: string,
): string {
  const named = JSON.stringify([tenantId, namespace, sessionId, type, scope, expiresAt]);
  return `${type}-${sha256(named).slice(0, 16)}`;
}

function minutesOf(ttlSeconds: number): number {
  return Math.ceil(ttlSeconds / 60);
}

function halfOf({ mintedAt, expiresAt }: CachedToken): number {
  return (expiresAt - mintedAt) / 2;
}
