import {
  AUTHENTICATED,
  AUTHENTICATED_ANY_OF,
  INTERNAL_ONLY,
  isPosture,
  OPTIONAL,
  type PostureDefinition,
  type PostureKind,
  PUBLIC,
} from '../posture.js';

/** All kinds of postures with their rules: gate, `explain` and OpenAPI documents read only this table. */
export const POSTURES: Readonly<Record<PostureKind, PostureDefinition>> = {
  public: PUBLIC,
  optional: OPTIONAL,
  authenticated: AUTHENTICATED,
  authenticated_any_of: AUTHENTICATED_ANY_OF,
  internal_only: INTERNAL_ONLY,
};

/** A posture as its registration writes it, `Authenticated(notes:read)`; `null` for anything else. */
export function describePosture(value: unknown): string | null {
  return isPosture(value) ? `${POSTURES[value.kind].factory}(${value.scopes.join(', ')})` : null;
}
