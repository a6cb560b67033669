import { defineOptions } from '@sallyport/core/options';
import { ownOf, type SecurePrincipalResolver } from '../../principal.js';
import { createKindOf, INTERNAL_ROLES, type InternalRolesOptions } from './identities.js';
import { contextMember, objectOrAbsent, requireText, textMembers } from './internal/read.js';

/** What the options of {@link latticeIdentityPrincipal} may be. */
export const LATTICE_OPTIONS = defineOptions<InternalRolesOptions>()({ internalRoles: INTERNAL_ROLES });

/**
 * The caller whose signature VPC Lattice verified: `requestContext.identity` of the event's version 2, and only with the type `AWS_IAM`.
 * Without an auth policy of that type, and with version 1, nobody is a principal: there, everything about the caller is what a
 * header says.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, or one with a wrong value
 * @example latticeIdentityPrincipal({ internalRoles: ['arn:aws:iam::123456789012:role/billing'] })
 */
export function latticeIdentityPrincipal(options: InternalRolesOptions = {}): SecurePrincipalResolver {
  const kindOf = createKindOf(LATTICE_OPTIONS.parse(options).internalRoles ?? []);
  return (ctx) => {
    if (ctx.triggerKind !== 'lattice') return null;
    const identity = objectOrAbsent(contextMember(ctx, 'identity'));
    if (!identity || ownOf(identity, 'type') !== 'AWS_IAM') return null;
    const principal = requireText(ownOf(identity, 'principal'));
    return { identity: principal, kind: kindOf(principal), claims: textMembers(identity, ['type', 'principal']) };
  };
}
