import { sha256 } from '@sallyport/core/internal';
import { MicrovmError } from '../../errors.js';
import { isReachable } from '../../lifecycle/states.js';
import type { PortScope } from '../../provider/provider.js';
import type { SecretToken } from '../../provider/secret-token.js';
import type { SessionRecord } from '../../registry/registry.js';
import { type CallerFacts, UNLIMITED } from '../caller.js';
import type { MicrovmTokenInfo } from '../types.js';
import { invalidState } from './commands.js';
import { checkFields, parsePorts, parseSessionId, parseTtl, scopeName } from './input.js';
import {
  answer,
  type Dependencies,
  isMissing,
  notify,
  notifyFailure,
  readSession,
  withheldIfLeaking,
  writeEnd,
} from './shared.js';
import type { CachedToken, TokenKey } from './token-cache.js';

const MINUTE_MS = 60_000;
/** Lifetime of tokens created by `invoke`, in minutes. */
const INVOKE_MINUTES = 5;
/** A token is renewed if less lifetime remains. */
const LEAST_LEFT_MS = 30_000;

/** @throws MicrovmError `microvm.invalid_state` if the program in the machine cannot be reached */
export function assertReachable({ state, idlePolicy, microvmId }: SessionRecord): string {
  if (microvmId !== undefined && isReachable(state, idlePolicy?.autoResumeEnabled === true)) return microvmId;
  throw invalidState(state);
}

/** Creates a token for ports, and caches it for `invoke`. */
export async function createAuthToken(
  deps: Dependencies,
  facts: CallerFacts,
  input: unknown,
): Promise<MicrovmTokenInfo> {
  const { session_id, ports, ttl_seconds } = checkFields(input, ['session_id', 'ports', 'ttl_seconds']);
  const sessionId = parseSessionId(session_id);
  const scopes = parsePorts(ports, deps.settings.invoke);
  const ttl = parseTtl(ttl_seconds);
  const record = await readSession(deps, facts, sessionId);
  return tellToken(deps, facts, record, 'auth-token', () => {
    const key = { microvmId: assertReachable(record), type: 'auth', scope: scopes.map(scopeName) } as const;
    return getToken(deps, facts, record, key, { minutes: minutesOf(ttl), ports: scopes, leftMs: halfOf });
  });
}

/** Creates a token for the shell. */
export async function createShellAuthToken(
  deps: Dependencies,
  facts: CallerFacts,
  input: unknown,
): Promise<MicrovmTokenInfo> {
  const { session_id, ttl_seconds } = checkFields(input, ['session_id', 'ttl_seconds']);
  const sessionId = parseSessionId(session_id);
  const ttl = parseTtl(ttl_seconds);
  const record = await readSession(deps, facts, sessionId);
  return tellToken(deps, facts, record, 'shell-auth-token', () => {
    const key = { microvmId: assertReachable(record), type: 'shell', scope: ['shell'] } as const;
    if (!hasShell(record)) throw new MicrovmError('microvm.shell_not_enabled', 'the session has no shell');
    return getToken(deps, facts, record, key, { minutes: minutesOf(ttl), ports: undefined, leftMs: halfOf });
  });
}

/** True if the session was started with the connector for shells. */
function hasShell({ ingressConnectors = [] }: SessionRecord): boolean {
  return ingressConnectors.some((arn) => /[:/]SHELL_INGRESS$/.test(arn));
}

/** Returns the token for a request to one port. */
export async function tokenForPort(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
  port: number,
): Promise<SecretToken> {
  const key = { microvmId: assertReachable(record), type: 'auth', scope: [scopeName({ port })] } as const;
  const { connectMs, firstByteMs } = deps.settings.invoke;
  const leftMs = ({ mintedAt, expiresAt }: CachedToken) =>
    Math.min(Math.max(LEAST_LEFT_MS, connectMs + firstByteMs), (expiresAt - mintedAt) / 2);
  const { token } = await getToken(deps, facts, record, key, { minutes: INVOKE_MINUTES, ports: [{ port }], leftMs });
  return token;
}

interface Wanted {
  readonly minutes: number;
  /** Ports of the token; `undefined` for a shell. */
  readonly ports: readonly PortScope[] | undefined;
  readonly leftMs: (token: CachedToken) => number;
}

/** Returns a cached or new token. If the machine does not exist at the service, its session is closed. */
async function getToken(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
  key: TokenKey,
  { minutes, ports, leftMs }: Wanted,
): Promise<CachedToken & { readonly key: TokenKey }> {
  const mint = async () => {
    const mintedAt = deps.clock.now().getTime();
    const input = { microvmId: key.microvmId, expirationInMinutes: minutes };
    // The call is shared and has the full timeout; each caller waits at most for its remaining time.
    const token = await deps.calls.send('token', { remainingMs: UNLIMITED }, (provider, signal) =>
      ports ? provider.authToken({ ...input, ports }, signal) : provider.shellAuthToken(input, signal),
    );
    return { token, mintedAt, expiresAt: mintedAt + minutes * MINUTE_MS };
  };
  try {
    return { ...(await deps.calls.within('token', facts, () => deps.tokens.get(key, leftMs, mint))), key };
  } catch (error) {
    if (isMissing(error)) await writeEnd(deps, record);
    throw error;
  }
}

async function tellToken(
  deps: Dependencies,
  facts: CallerFacts,
  record: SessionRecord,
  operation: 'auth-token' | 'shell-auth-token',
  get: () => Promise<CachedToken & { readonly key: TokenKey }>,
): Promise<MicrovmTokenInfo> {
  const report = { operation, sessionId: record.sessionId, from: record.state, record };
  try {
    const { expiresAt, key } = await get();
    const expires = new Date(expiresAt).toISOString();
    const tokenId = tokenIdOf(record, key, expires);
    notify(deps, facts, 'succeeded', { ...report, tokenId });
    return withheldIfLeaking({
      ...answer(operation, facts),
      sessionId: record.sessionId,
      tokenId,
      tokenType: key.type,
      scope: key.scope,
      expiresAt: expires,
    });
  } catch (error) {
    return notifyFailure(deps, facts, report, error);
  }
}

/** Derives an id for a token that does not reveal its value. */
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
