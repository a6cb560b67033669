import { isPlainObject } from '@sallyport/core/internal';
import { OAUTH_AUTHORIZATION_SERVER_PATH, OAUTH_PROTECTED_RESOURCE_PATH } from '@sallyport/mcp/routes';
import { MCP_SIGN_IN_PATHS } from '@sallyport/mcp/schema';
import { Function as EdgeFunction, FunctionCode, FunctionRuntime } from 'aws-cdk-lib/aws-cloudfront';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { ChallengeEdge } from '../edge/challenge-edge.js';
import type { DoorRoute } from '../http/door.js';
import { RestApi } from '../http/rest-api.js';
import { expectRoutes } from '../internal/invokers.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, literal, literalCount, thing } from '../internal/props.js';
import { edgeProgram, type ServedDocument, serveFromGateway } from './internal/documents.js';
import type { McpServer } from './mcp-server.js';

/** Props of {@link McpAuthorization}. */
export interface McpAuthorizationProps {
  /** The server. */
  readonly server: McpServer;
  /** The metadata documents by their path: `authorizationDocuments()` of `@sallyport/mcp/authorization`. */
  readonly documents: Readonly<Record<string, object>>;
  /**
   * The edge of the server. A CloudFront function answers with the documents there.
   *
   * @default - none: a REST API answers itself, and for any other door the function answers
   */
  readonly edge?: ChallengeEdge;
  /**
   * Seconds for which clients and caches may keep the documents.
   *
   * @default 3600
   */
  readonly maxAgeSeconds?: number;
}

/** Validators and defaults for {@link McpAuthorizationProps}. */
export const MCP_AUTHORIZATION_PROPS = defineProps<McpAuthorizationProps>('McpAuthorization')({
  server: thing<McpServer>('an McpServer', 'attachEdge').required(),
  documents: literal<Readonly<Record<string, object>>>(
    'documents by paths below /.well-known/oauth-protected-resource and /.well-known/oauth-authorization-server',
    isDocuments,
  ).required(),
  edge: thing<ChallengeEdge>('a ChallengeEdge', 'distribution', 'answer'),
  maxAgeSeconds: literalCount(1, 31_536_000).default(3600),
});

/** https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html#limits-functions */
const MAX_PROGRAM_BYTES = 10_240;

/**
 * The endpoints of a sign-in with `cognitoAuthorization` or `oidcAuthorization`, and its metadata documents without an invocation: a REST
 * API answers them by mock integrations, a `ChallengeEdge` by a CloudFront function. HTTP APIs have no mock integration, and neither do
 * function URLs and load balancers: there the function answers, and the construct adds the warning `Sallyport::McpDocumentsInvoke`.
 *
 * @see https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.aws_apigatewayv2.HttpIntegrationType.html
 * @example
 * const documents = authorizationDocuments({ publicBaseUrl: 'https://mcp.example.com', scopes: ['notes:read'] });
 * new McpAuthorization(this, 'SignIn', { server, documents });
 */
export class McpAuthorization extends Construct {
  /** The service that answers with the documents: `gateway`, `edge`, or the `function`, with an invocation for each request. */
  readonly servedBy: 'gateway' | 'edge' | 'function';

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, or documents over the limit of a CloudFront function, 10 KB */
  constructor(scope: Construct, id: string, props: McpAuthorizationProps) {
    super(scope, id);
    const { server, documents, edge, maxAgeSeconds } = MCP_AUTHORIZATION_PROPS.parse(this, props);
    const { door } = server;
    const served = Object.entries(documents).map(([path, content]) => ({ path, body: JSON.stringify(content) }));
    const routes = routesOf(served);
    expectRoutes(door, routes);
    door.addRoutes(routes);
    if (door instanceof RestApi) serveFromGateway(door, served, maxAgeSeconds);
    if (edge) this.#serveFromEdge(edge, served, maxAgeSeconds);
    this.servedBy = edge ? 'edge' : door instanceof RestApi ? 'gateway' : 'function';
    if (this.servedBy === 'function') {
      Validations.of(this).addWarning(
        'Sallyport::McpDocumentsInvoke',
        `${door.node.path} cannot answer with a fixed document, so each request for one invokes the function. Use a RestApi or a ChallengeEdge, or acknowledge this.`,
      );
    }
  }

  #serveFromEdge(edge: ChallengeEdge, served: readonly ServedDocument[], maxAgeSeconds: number): void {
    const program = edgeProgram(served, maxAgeSeconds);
    const bytes = Buffer.byteLength(program, 'utf8');
    if (bytes > MAX_PROGRAM_BYTES) {
      const what = `the documents make a CloudFront function of ${bytes} bytes`;
      throw misuse(this, { what, expected: `at most ${MAX_PROGRAM_BYTES}: fewer scopes` });
    }
    const fn = new EdgeFunction(this, 'Documents', {
      code: FunctionCode.fromInline(program),
      runtime: FunctionRuntime.JS_2_0,
      comment: 'Metadata documents of an MCP server',
    });
    for (const path of [OAUTH_PROTECTED_RESOURCE_PATH, OAUTH_AUTHORIZATION_SERVER_PATH]) edge.answer(`${path}*`, fn);
  }
}

/** The documents and the endpoints. They have no AWS authorizer: everything before a token is public. */
function routesOf(served: readonly ServedDocument[]): readonly DoorRoute[] {
  const { authorize, callback, token, register } = MCP_SIGN_IN_PATHS;
  const endpoints: readonly (readonly [string, string])[] = [
    ['GET', authorize],
    ['POST', authorize],
    ['GET', callback],
    ['POST', token],
    ['POST', register],
  ];
  const documents = served.map(({ path }) => ['GET', path] as const);
  return [...documents, ...endpoints].map(([method, path]) => ({ method, path, withoutAuthorizer: true }));
}

/** Paths that need no escaping in a program, a template and a pattern. */
const DOCUMENT_PATH = /^\/\.well-known\/oauth-(?:protected-resource|authorization-server)(?:\/[A-Za-z0-9._~-]+)*$/;

function isDocuments(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([path, content]) => DOCUMENT_PATH.test(path) && isPlainObject(content));
}
