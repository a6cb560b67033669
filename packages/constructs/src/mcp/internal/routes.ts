import {
  authorizationServerPathFor,
  OAUTH_AUTHORIZATION_SERVER_PATH,
  OAUTH_PROTECTED_RESOURCE_PATH,
  protectedResourcePathFor,
  supportedEndpointTemplates,
  supportedOAuthDiscoveryTemplates,
  supportedOAuthFacadeTemplates,
} from '@sallyport/mcp/routes';
import type { DoorRoute } from '../../http/door.js';

/** The methods of an MCP endpoint. */
const METHODS = ['POST', 'GET', 'DELETE'];

const open = (method: string, path: string): DoorRoute => ({ method, path, withoutAuthorizer: true });

/** The documents of the origin itself. */
const ROOT = [open('GET', OAUTH_PROTECTED_RESOURCE_PATH), open('GET', OAUTH_AUTHORIZATION_SERVER_PATH)];

function endpoint(path: string, streaming: boolean): readonly DoorRoute[] {
  return METHODS.map((method) => ({ ...open(method, path), streaming }));
}

/**
 * The routes of one server at a path: the endpoint, and its metadata documents, at the path that contains the endpoint's path and at the
 * root of the origin. They have no AWS authorizer: the application authenticates, and the documents are public.
 */
export function serverRoutes(path: string, streaming: boolean): readonly DoorRoute[] {
  const documents = [protectedResourcePathFor(path), authorizationServerPathFor(path)];
  return [...endpoint(path, streaming), ...documents.map((one) => open('GET', one)), ...ROOT];
}

/** The routes of a facade: all kinds of endpoints, their documents, and their authorization and token endpoints. */
export function facadeRoutes(streaming: boolean): readonly DoorRoute[] {
  const servers = supportedEndpointTemplates().flatMap(({ mcpPattern, protectedResourcePath }) => [
    ...endpoint(mcpPattern, streaming),
    open('GET', protectedResourcePath),
  ]);
  const documents = supportedOAuthDiscoveryTemplates().flatMap(({ canonicalPattern, suffixPattern }) => [
    open('GET', canonicalPattern),
    open('GET', suffixPattern),
  ]);
  const grants = supportedOAuthFacadeTemplates().flatMap(({ authorizePattern, tokenPattern }) => [
    open('GET', authorizePattern),
    open('POST', tokenPattern),
  ]);
  return [...servers, ...documents, ...grants, ...ROOT];
}
