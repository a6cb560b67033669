import { FrameworkError, type PrincipalKind } from '@sallyport/core';
import { defineOptions, group, invalidOption, kind, list, oneOf } from '@sallyport/core/options';
import type { SecurePrincipalResolver } from '../principal.js';

/** One caller's secret. During rotation a caller has two secrets with different ids. */
export interface SharedSecret {
  /** The principal's identity. */
  readonly id: string;
  /** The secret itself, without leading or trailing blanks. */
  readonly value: string;
  /** Scopes of the principal. Default: none. */
  readonly scopes?: readonly string[];
  /** Kind of the principal. Default `external`. */
  readonly kind?: PrincipalKind;
}

/** The header that contains the secret, and the accepted secrets. */
export interface SharedSecretOptions {
  /** Name of the header that contains only the secret. */
  readonly header: string;
  /** One or more; ids and values must differ. */
  readonly secrets: readonly SharedSecret[];
}

/** Validators and defaults for {@link SharedSecretOptions}. */
export const SHARED_SECRET_OPTIONS = defineOptions<SharedSecretOptions>()({
  header: kind<string>(
    'the name of a header',
    (value) => typeof value === 'string' && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value),
  ).required(),
  secrets: list(
    group<SharedSecret>()({
      id: kind<string>(
        'a string that is not blank',
        (value) => typeof value === 'string' && value.trim() !== '',
      ).required(),
      value: kind<string>(
        'a string without leading or trailing blanks',
        (value) => typeof value === 'string' && value !== '' && value === value.trim(),
      ).required(),
      scopes: list(
        kind<string>('a string', (value) => typeof value === 'string'),
        'a list of strings',
      ),
      kind: oneOf('external', 'internal').default('external'),
    }),
    'a list of at least one secret',
  ).required(),
});

/**
 * Identifies the caller by the secret in a header. Every secret is compared, as SHA-256 in constant time, even after a
 * match. Without the header there is no principal; a wrong secret is answered with 401.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option and never its value
 */
export function sharedSecretPrincipalResolver(options: SharedSecretOptions): SecurePrincipalResolver {
  const { header, secrets } = SHARED_SECRET_OPTIONS.parse(options ?? null);
  const candidates = toCandidates(secrets);
  return (ctx) => {
    const values = ctx.headerAll(header);
    if (values.length === 0) return null;
    const principal = values.length === 1 ? find(candidates, values[0] ?? '') : undefined;
    if (!principal) throw new FrameworkError('app.unauthorized');
    return principal;
  };
}

interface Candidate {
  readonly digest: Buffer;
  readonly principal: { readonly identity: string; readonly scopes: readonly string[]; readonly kind: PrincipalKind };
}

function find(candidates: readonly Candidate[], secret: string): Candidate['principal'] | undefined {
  const { timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const digest = digestSecret(secret);
  let found: Candidate['principal'] | undefined;
  for (const candidate of candidates) {
    if (timingSafeEqual(candidate.digest, digest)) found = candidate.principal;
  }
  return found;
}

function digestSecret(secret: string): Buffer {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(secret, 'utf8').digest();
}

function toCandidates(secrets: readonly SharedSecret[]): readonly Candidate[] {
  if (secrets.length === 0) throw invalidOption('secrets', 'a list of at least one secret');
  const candidates = secrets.map(({ id, value, scopes = [], kind: whose = 'external' }) => ({
    digest: digestSecret(value),
    principal: Object.freeze({ identity: id.trim(), scopes: Object.freeze([...scopes]), kind: whose }),
  }));
  const ids = new Set(candidates.map(({ principal }) => principal.identity));
  const values = new Set(candidates.map(({ digest }) => digest.toString('hex')));
  if (Math.min(ids.size, values.size) < candidates.length) {
    throw invalidOption('secrets', 'a list without repeated ids or values');
  }
  return candidates;
}
