import type { Registration } from '@sallyport/contract';

type Posture = NonNullable<Registration['posture']>;
type Factory = (...scopes: readonly string[]) => unknown;

const FACTORIES: Readonly<Record<string, string>> = {
  public: 'Public',
  optional: 'Optional',
  authenticated: 'Authenticated',
  authenticated_any_of: 'AuthenticatedAnyOf',
  internal_only: 'InternalOnly',
};

/** A posture of the secure container; a kind without a factory is passed as the literal. */
export async function makePosture(posture: Posture): Promise<unknown> {
  const name = FACTORIES[posture.kind];
  if (name === undefined) return posture;
  const secure = (await import('@sallyport/secure')) as unknown as Record<string, Factory>;
  return secure[name]?.(...(posture.scopes ?? []));
}
