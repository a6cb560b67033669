import { ENDPOINT_KINDS, type EndpointKind, patternOf } from './endpoint.js';
import {
  authorizationServerPathFor,
  authorizationServerSuffixPathFor,
  authorizePathFor,
  protectedResourcePathFor,
  tokenPathFor,
} from './paths.js';

/** Patterns of one kind of endpoint, in the router's form: `/{client_namespace}/mcp`. */
export interface EndpointTemplate {
  /** Of the endpoint. */
  readonly kind: EndpointKind;
  /** Of the MCP server. */
  readonly mcpPattern: string;
  /** Of the metadata of the protected resource. */
  readonly protectedResourcePath: string;
}

/** Patterns of the authorization and token endpoints of one kind. */
export interface OAuthFacadeTemplate {
  /** Of the endpoint. */
  readonly kind: EndpointKind;
  /** Of the authorization endpoint. */
  readonly authorizePattern: string;
  /** Of the token endpoint. */
  readonly tokenPattern: string;
}

/** Patterns of the authorization-server metadata of one kind. */
export interface OAuthDiscoveryTemplate {
  /** Of the endpoint. */
  readonly kind: EndpointKind;
  /** With the well-known part first. */
  readonly canonicalPattern: string;
  /** With the well-known part last. */
  readonly suffixPattern: string;
}

/** The routes of MCP servers and their protected-resource metadata: frozen, fresh at each call, in the order of the contract. */
export function supportedEndpointTemplates(): readonly EndpointTemplate[] {
  return forEachKind((kind, mcpPattern) => ({
    kind,
    mcpPattern,
    protectedResourcePath: protectedResourcePathFor(mcpPattern),
  }));
}

/** The routes of authorization and token endpoints: frozen, fresh at each call, in the order of the contract. */
export function supportedOAuthFacadeTemplates(): readonly OAuthFacadeTemplate[] {
  return forEachKind((kind, mcpPattern) => ({
    kind,
    authorizePattern: authorizePathFor(mcpPattern),
    tokenPattern: tokenPathFor(mcpPattern),
  }));
}

/** The routes of authorization-server metadata: frozen, fresh at each call, in the order of the contract. */
export function supportedOAuthDiscoveryTemplates(): readonly OAuthDiscoveryTemplate[] {
  return forEachKind((kind, mcpPattern) => ({
    kind,
    canonicalPattern: authorizationServerPathFor(mcpPattern),
    suffixPattern: authorizationServerSuffixPathFor(mcpPattern),
  }));
}

function forEachKind<T>(make: (kind: EndpointKind, mcpPattern: string) => T): readonly T[] {
  return Object.freeze(ENDPOINT_KINDS.map((kind) => Object.freeze(make(kind, patternOf(kind)))));
}
