/** Where the metadata of a resource is, before the path of the resource (RFC 9728 section 3.1). */
export const OAUTH_PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';
/** Where the metadata of an authorization server is, before the path of its issuer (RFC 8414 section 3.1). */
export const OAUTH_AUTHORIZATION_SERVER_PATH = '/.well-known/oauth-authorization-server';

/** Where the metadata of the resource at a path is. */
export function protectedResourcePathFor(path: string): string {
  return OAUTH_PROTECTED_RESOURCE_PATH + (path === '/' ? '' : path);
}

/** Where the metadata of the authorization server of a path is. */
export function authorizationServerPathFor(path: string): string {
  return OAUTH_AUTHORIZATION_SERVER_PATH + (path === '/' ? '' : path);
}
