import type { Posture } from '../postures/posture.js';
import type { SecuritySchemes } from './schemes.js';

/** One alternative of an operation (OpenAPI 3.1 section 4.8.30): all of its schemes are needed. */
type Requirement = Readonly<Record<string, readonly string[]>>;

/** Who may call, in OpenAPI's words: a list of alternatives. */
export function securityOf({ kind, scopes }: Posture, { authenticated, internalOnly }: SecuritySchemes): Requirement[] {
  switch (kind) {
    case 'public':
      return [];
    case 'optional':
      return [...authenticated.map((scheme) => ({ [scheme]: [] })), {}];
    case 'authenticated':
      return authenticated.map((scheme) => ({ [scheme]: [...scopes] }));
    case 'authenticated_any_of':
      return authenticated.flatMap((scheme) => scopes.map((scope) => ({ [scheme]: [scope] })));
    case 'internal_only':
      return internalOnly.map((scheme) => ({ [scheme]: [] }));
  }
}
