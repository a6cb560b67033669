import { ENDPOINT_KINDS, type EndpointKind, patternOf } from './endpoint.js';
import {
  authorizationServerPathFor,
  authorizationServerSuffixPathFor,
  authorizePathFor,
  protectedResourcePathFor,
  tokenPathFor,
} from './paths.js';

/** Patterns of one kind of endpoint, in the router's syntax: `/{client_namespace}/mcp`. */
export interface EndpointTemplate {
  /** Kind of the endpoint. */
  readonly kind: EndpointKind;
  /** Pattern of the MCP server. */
  readonly mcpPattern: string;
  /** Pattern of the protected-resource document. */
  readonly protectedResourcePath: string;
}

/** Patterns of the authorization and token endpoints of one kind. */
export interface OAuthFacadeTemplate {
  /** Kind of the endpoint. */
  readonly kind: EndpointKind;
  /** Pattern of the authorization endpoint. */
  readonly authorizePattern: string;
  /** Pattern of the token endpoint. */
  readonly tokenPattern: string;
}

/** Patterns of the authorization-server document of one kind. */
export interface OAuthDiscoveryTemplate {
  /** Kind of the endpoint. */
  readonly kind: EndpointKind;
  /** With the well-known part first. */
  readonly canonicalPattern: string;
  /** With the well-known part last. */
  readonly suffixPattern: string;
}

/** The patterns of MCP servers and their protected-resource documents: frozen, a new list for each call, in the order of the contract. */
export function supportedEndpointTemplates(): readonly EndpointTemplate[] {
  return forEachKind((kind, mcpPattern) => ({
    kind,
    mcpPattern,
    protectedResourcePath: protectedResourcePathFor(mcpPattern),
  }));
}

/** The patterns of authorization and token endpoints: frozen, a new list for each call, in the order of the contract. */
export function supportedOAuthFacadeTemplates(): readonly OAuthFacadeTemplate[] {
  return forEachKind((kind, mcpPattern) => ({
    kind,
    authorizePattern: authorizePathFor(mcpPattern),
    tokenPattern: tokenPathFor(mcpPattern),
  }));
}

/** The patterns of authorization-server documents: frozen, a new list for each call, in the order of the contract. */
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
