import type { Handler } from '@sallyport/core';
import { defineOptions, group, integer, invalidOption } from '@sallyport/core/options';
import { Public } from '@sallyport/secure';
import type { McpDiscovery } from '../http/mount.js';
import {
  authorizationServerPathFor,
  OAUTH_PROTECTED_RESOURCE_PATH,
  protectedResourcePathFor,
} from '../routes/paths.js';
import { jsonAnswer } from './internal/answers.js';
import { origin } from './internal/urls.js';
import {
  AUTHORIZATION_SERVER_OPTIONS,
  type AuthorizationServerMetadata,
  type AuthorizationServerOptions,
  createAuthorizationServerMetadata,
  createProtectedResourceMetadata,
  type ProtectedResourceMetadata,
  type ProtectedResourceOptions,
  RESOURCE_KINDS,
} from './metadata.js';

/** Options of {@link createMetadataHandler}; an unknown key is rejected. */
export interface MetadataHandlerOptions {
  /** Seconds for which clients and caches may keep the document. Default: they must not (`cache-control: no-store`). */
  readonly documentMaxAgeSeconds?: number;
}

const maxAge = /* @__PURE__ */ integer(1, 31_536_000, 'seconds');

/** Validators and defaults for {@link MetadataHandlerOptions}. */
export const METADATA_HANDLER_OPTIONS = defineOptions<MetadataHandlerOptions>()({ documentMaxAgeSeconds: maxAge });

/**
 * Creates a handler that answers every request with this document, which is serialized once.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * app.get('/.well-known/oauth-authorization-server', createMetadataHandler(document), Public());
 */
export function createMetadataHandler(
  document: ProtectedResourceMetadata | AuthorizationServerMetadata,
  options: MetadataHandlerOptions = {},
): Handler {
  return serve(document, METADATA_HANDLER_OPTIONS.parse(options).documentMaxAgeSeconds);
}

function serve(document: object, maxAgeSeconds: number | undefined): Handler {
  const body = JSON.stringify(document);
  return () => jsonAnswer(body, { maxAgeSeconds });
}

/** Options of {@link mcpDiscovery}; an unknown key is rejected. */
export interface McpDiscoveryOptions extends Omit<ProtectedResourceOptions, 'resource'>, MetadataHandlerOptions {
  /** The public origin of the server: `https://mcp.example.com`. The resource is this origin followed by the path of the MCP server. */
  readonly publicBaseUrl: string;
  /**
   * Options of the authorization-server document that clients of revision 2025-03-26 request from the MCP server. Default: no such
   * document; newer clients request it from the authorization server.
   */
  readonly authorizationServer?: AuthorizationServerOptions;
}

/** Validators and defaults for {@link McpDiscoveryOptions}. */
export const MCP_DISCOVERY_OPTIONS = defineOptions<McpDiscoveryOptions>()({
  publicBaseUrl: origin.required(),
  ...RESOURCE_KINDS,
  authorizationServer: group<AuthorizationServerOptions>()(AUTHORIZATION_SERVER_OPTIONS.kinds),
  documentMaxAgeSeconds: maxAge,
});

/**
 * The option `discovery` of `mountMcp`: public metadata documents for a container with one MCP server. The protected-resource document is
 * served at the root of the domain and at the path-inserted location, so clients find it without the challenge of a 401.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 * @example
 * const discovery = mcpDiscovery({
 *   publicBaseUrl: 'https://mcp.example.com',
 *   authorizationServers: ['https://id.example.com'],
 * });
 * mountMcp(app, server, { posture: Authenticated(), discovery });
 */
export function mcpDiscovery(options: McpDiscoveryOptions): McpDiscovery {
  const parsed = MCP_DISCOVERY_OPTIONS.parse(options ?? null);
  const { publicBaseUrl, authorizationServer, documentMaxAgeSeconds, ...rest } = parsed;
  return {
    mount(app, path) {
      if (!isFixed(path)) throw invalidOption('discovery', 'left out for a path with parameters');
      const resource = publicBaseUrl + (path === '/' ? '' : path);
      const documents = new Map<string, ProtectedResourceMetadata | AuthorizationServerMetadata>();
      const document = createProtectedResourceMetadata({ ...rest, resource } as ProtectedResourceOptions);
      documents.set(OAUTH_PROTECTED_RESOURCE_PATH, document);
      documents.set(protectedResourcePathFor(path), document);
      if (authorizationServer) {
        documents.set(authorizationServerPathFor(path), createAuthorizationServerMetadata(authorizationServer));
      }
      for (const [at, content] of documents) {
        // RFC 9110 section 9.1: servers support GET and HEAD. Clients of a server with a slash at its end append the slash here, too.
        const handler = serve(content, documentMaxAgeSeconds);
        for (const method of ['GET', 'HEAD']) app.handle(method, at, handler, Public(), { trailingSlash: true });
      }
    },
  };
}

/** True for a path without parameters, in either spelling. */
function isFixed(path: string): boolean {
  return !/[{}]|\/:/.test(path);
}
