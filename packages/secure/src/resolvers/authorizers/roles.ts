import { invalidOption, type PrincipalKind } from '@sallyport/core';

/** Roles whose sessions are callers of the organisation's own. */
export interface InternalRolesOptions {
  /** Exact role ARNs, `arn:aws:iam::123456789012:role/service/billing`. */
  readonly internalRoles?: readonly string[];
}

/** Role names are unique in an account, whatever their path, and the path is not in a session's ARN. */
const ROLE = /^arn:(aws[a-z-]*):iam::(\d{12}):role\/(?:[\x21-\x7e]+\/)?([\w+=,.@-]+)$/;
const SESSION = /^arn:(aws[a-z-]*):sts::(\d{12}):assumed-role\/([\w+=,.@-]+)\/[^/]+$/;

/** @throws FrameworkError `app.invalid_configuration` for anything but role ARNs */
export function createKindOf(internalRoles: unknown): (userArn: string) => PrincipalKind {
  if (internalRoles === undefined) return () => 'external';
  if (!Array.isArray(internalRoles)) throw invalidOption('internalRoles', 'a list of role ARNs');
  const roles = new Set(
    internalRoles.map((arn, index) => keyOf(typeof arn === 'string' ? ROLE.exec(arn) : null, index)),
  );
  return (userArn) => {
    const session = SESSION.exec(userArn);
    return session && roles.has(session.slice(1).join('/')) ? 'internal' : 'external';
  };
}

function keyOf(match: RegExpExecArray | null, index: number): string {
  if (!match) throw invalidOption(`internalRoles[${index}]`, 'a role ARN');
  return match.slice(1).join('/');
}
