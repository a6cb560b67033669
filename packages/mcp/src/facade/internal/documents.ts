import type { Context, Handler } from '@sallyport/core';
import { jsonAnswer } from '../../oauth/internal/answers.js';
import { createAuthorizationServerMetadata, createProtectedResourceMetadata } from '../../oauth/metadata.js';
import type { EndpointKind } from '../../routes/endpoint.js';
import { authorizePathFor, tokenPathFor } from '../../routes/paths.js';
import { type ParsedFacade, type RootDiscoveryConfig, URL_MODE_PUBLIC_BASE_URL } from '../config.js';
import { requestedMcpPath } from './endpoint.js';
import { originOfRequest } from './request-host.js';

/** Creates the document of an MCP endpoint from its origin and path. */
type MakeDocument = (origin: string, mcpPath: string) => object;

/** Answers with the protected-resource document of an endpoint. */
export function protectedResourceHandler(facade: ParsedFacade, kind: EndpointKind): Handler {
  return documentHandler(facade, kind, (origin, mcpPath) =>
    createProtectedResourceMetadata({
      resource: origin + mcpPath,
      authorizationServers: [facade.issuerUrl],
      scopesSupported: facade.scopes[kind],
    }),
  );
}

/** Answers with the authorization-server document of an endpoint; its authorization and token endpoints are at the origin of the facade. */
export function authorizationServerHandler(facade: ParsedFacade, kind: EndpointKind): Handler {
  return documentHandler(facade, kind, (origin, mcpPath) =>
    createAuthorizationServerMetadata({
      issuer: facade.issuerUrl,
      authorizationEndpoint: origin + authorizePathFor(mcpPath),
      tokenEndpoint: origin + tokenPathFor(mcpPath),
      registrationEndpoint: facade.registrationEndpointUrl,
      jwksUri: facade.jwksUri,
      ...capabilitiesOf(facade),
      scopesSupported: facade.scopes[kind],
    }),
  );
}

/** Answers with the document of the upstream authorization server, which is serialized once. */
export function rootHandler(facade: ParsedFacade, root: RootDiscoveryConfig): Handler {
  const document = createAuthorizationServerMetadata({
    issuer: root.issuerUrl,
    authorizationEndpoint: root.authorizationEndpointUrl,
    tokenEndpoint: root.tokenEndpointUrl,
    registrationEndpoint: root.registrationEndpointUrl,
    jwksUri: root.jwksUri,
    ...capabilitiesOf(facade),
    scopesSupported: root.scopes,
  });
  const body = JSON.stringify(document);
  return () => jsonAnswer(body, { maxAgeSeconds: facade.documentMaxAgeSeconds });
}

function capabilitiesOf({ capabilities }: ParsedFacade) {
  return {
    responseTypesSupported: capabilities.responseTypes,
    grantTypesSupported: capabilities.grantTypes,
    tokenEndpointAuthMethodsSupported: capabilities.tokenEndpointAuthMethods,
    codeChallengeMethodsSupported: capabilities.codeChallengeMethods,
    ...(capabilities.clientIdMetadataDocumentSupported !== undefined && {
      clientIdMetadataDocumentSupported: capabilities.clientIdMetadataDocumentSupported,
    }),
  };
}

const WRONG_HOST = '{"error":"invalid_request_host"}';

function documentHandler(
  { source, documentMaxAgeSeconds }: ParsedFacade,
  kind: EndpointKind,
  make: MakeDocument,
): Handler {
  return (ctx: Context) => {
    const mcpPath = requestedMcpPath(kind, ctx);
    if (source.urlMode === URL_MODE_PUBLIC_BASE_URL) {
      return jsonAnswer(JSON.stringify(make(source.origin, mcpPath)), { maxAgeSeconds: documentMaxAgeSeconds });
    }
    const { origin, vary } = originOfRequest(ctx, source.allowed, source.headers);
    if (origin === undefined) return jsonAnswer(WRONG_HOST, { status: 400, vary });
    return jsonAnswer(JSON.stringify(make(origin, mcpPath)), { vary });
  };
}
