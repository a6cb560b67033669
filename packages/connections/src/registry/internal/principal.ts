import type { SecurePrincipal } from '@sallyport/core';

/** The principal of data in the format of `connectionPrincipal`: `{ principal: { identity, … } }`. */
export function principalOfData(data: unknown): SecurePrincipal | undefined {
  const { principal } = (typeof data === 'object' && data !== null ? data : {}) as { principal?: SecurePrincipal };
  return typeof principal?.identity === 'string' && principal.identity !== '' ? principal : undefined;
}
