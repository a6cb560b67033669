import type { ContextState } from '@sallyport/core/pipeline';
import { normalizeText } from './principal.js';

/** The tenant that the Lambda service states of an invocation (tenant isolation); `''` when it states none. */
export function runtimeTenant({ lambdaContext }: ContextState): string {
  return normalizeText(lambdaContext?.tenantId);
}

/** The tenant before a caller is known: the runtime's, else the header's where that is trusted. */
export function createTenantOf(trustTenantHeader: boolean): (state: ContextState) => string {
  if (!trustTenantHeader) return runtimeTenant;
  return (state) => runtimeTenant(state) || normalizeText(state.request.headerValues('x-tenant-id')[0]);
}
