import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AppSyncEvent, buildAppSyncBatch, buildAppSyncEvent, GRAPHQL_PROFILE } from '@sallyport/testkit/events';
import type { ExecutionResult, GraphQLResolveInfo } from 'graphql';
import type { Target } from '../guard/check.js';
import { type GuardOptions, guardOf, guardRequests } from '../guard/listener.js';
import type { InvokeOutcome } from '../runtime/invoker.js';
import { recordGraphQL } from './api-record.js';
import {
  type AppSyncAuthorization,
  type AskedRequest,
  appSyncAuthorizationOf,
  appSyncAuthorizerEvent,
} from './appsync-authorizer.js';
import { type GraphQL, type LoadedSchema, loadSchema } from './graphql-schema.js';
import { tokenOf } from './jwt-authorizer.js';
import type { DoorHost } from './request.js';
import { selectionOf } from './selection.js';

const MAX_BATCH = 10;
const PATH = '/graphql';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** One request of a client: the state that its resolvers share. */
interface RequestContext {
  readonly headers: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  readonly sourceIp: string;
  /** Beginning of the request, in milliseconds. */
  readonly startedAt: number;
  readonly authorization: AppSyncAuthorization | undefined;
  readonly batches: Map<string, Waiting[]>;
}

interface Waiting {
  readonly event: AppSyncEvent;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The GraphQL door: an AppSync API whose registered fields have the function as their data source. */
export class GraphQLDoor {
  readonly server: Server;
  readonly #host: DoorHost;
  #loaded: Promise<LoadedSchema> | undefined;

  constructor(host: DoorHost) {
    this.#host = host;
    const guard: GuardOptions<ServerResponse> = {
      ...guardOf(host, 'graphql'),
      refuse: (response, { status, message }) => send(response, status, { errors: [{ message }] }),
    };
    this.server = createServer(
      guardRequests(guard, (request: IncomingMessage, response, target) => this.#serve(request, response, target)),
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse, { path }: Target): Promise<void> {
    if (request.method !== 'POST' || path !== PATH) {
      return send(response, 404, { errors: [{ message: `POST ${PATH}` }] });
    }
    const startedAt = this.#host.clock.monotonicMs();
    const query = parseQuery(await readText(request));
    if (!query)
      return send(response, 400, {
        errors: [{ message: 'the body must be JSON with a "query"', errorType: 'MalformedHttpRequestException' }],
      });
    const headers = headersOf(request);
    const authorization = await this.#authorize({ ...query, headers });
    if (authorization === 'refused') return send(response, 401, { errors: [UNAUTHORIZED] });
    const claims = authorization ? undefined : await this.#claimsOf(headers);
    if (claims === 'refused') return send(response, 401, { errors: [UNAUTHORIZED] });
    const { graphql, schema } = await this.#load();
    const document = tryParse(graphql, query.query);
    if ('error' in document) return send(response, 200, { data: null, errors: [document.error] });
    const problems = graphql.validate(schema, document);
    if (problems.length > 0) return send(response, 200, { data: null, errors: problems });
    const result = await graphql.execute({
      schema,
      document,
      variableValues: query.variables,
      operationName: query.operationName,
      contextValue: contextOf(request, { headers, authorization, claims, startedAt }),
      fieldResolver: (parent, args, context, info) =>
        this.#resolve(graphql, parent, args, context as RequestContext, info),
    });
    send(response, 200, toAnswer(result));
  }

  /** Invokes the Lambda authorizer for a request; `undefined` if the API has no authorizer. */
  async #authorize(request: AskedRequest): Promise<AppSyncAuthorization | 'refused' | undefined> {
    const authorizer = this.#host.authorizer('graphql');
    if (!authorizer) return undefined;
    const event = appSyncAuthorizerEvent(request, randomUUID());
    if (!event) return 'refused';
    const origin = { kind: 'authorizer', target: request.operationName ?? PATH };
    const outcome = await authorizer.invoke(event, { origin, whenBusy: 'refuse' });
    const authorization = appSyncAuthorizationOf(outcome);
    if (!authorization) this.#host.journal.update(outcome.id, { summary: '401' });
    return authorization ?? 'refused';
  }

  /** The claims of a token of the local issuer; `undefined` without a token, as for a caller with an API key. */
  async #claimsOf(headers: RequestContext['headers']): Promise<RequestContext['claims'] | 'refused'> {
    const token = tokenOf(Object.entries(headers));
    if (token === undefined || !JWT.test(token)) return undefined;
    return this.#host.identity.verify(token).catch(() => 'refused' as const);
  }

  #load(): Promise<LoadedSchema> {
    this.#loaded ??= loadSchema(this.#host.config.schema as string);
    this.#loaded.catch(() => {
      this.#loaded = undefined;
    });
    return this.#loaded;
  }

  /** A registered field invokes the function; other fields read their parent. */
  #resolve(
    graphql: GraphQL,
    parent: unknown,
    args: Record<string, unknown>,
    context: RequestContext,
    info: GraphQLResolveInfo,
  ): unknown {
    const { name: parentTypeName } = info.parentType;
    const { routes } = this.#host.inspection();
    const name = `${parentTypeName}.${info.fieldName}`;
    if (context.authorization?.denied.has(name)) {
      throw graphqlError(
        graphql,
        `Not Authorized to access ${info.fieldName} on type ${parentTypeName}`,
        'Unauthorized',
      );
    }
    if (!routes.some((route) => route.surface === 'appsync' && route.name === name)) {
      return (parent as Readonly<Record<string, unknown>> | undefined)?.[info.fieldName];
    }
    const event = buildAppSyncEvent({
      fieldName: info.fieldName,
      parentTypeName,
      arguments: args,
      source: (parent ?? null) as Record<string, unknown> | null,
      identity: identityOf(context),
      headers: context.headers,
      variables: info.variableValues,
      ...selectionOf(graphql, info),
    });
    if (this.#host.config.batchFields.includes(name)) return this.#collect(name, event, context);
    return this.#invoke(name, event, context).then((outcome) => this.#dataOf(graphql, outcome));
  }

  async #invoke(
    target: string,
    event: AppSyncEvent | readonly AppSyncEvent[],
    { startedAt }: RequestContext,
  ): Promise<InvokeOutcome> {
    const outcome = await this.#host.invoker.invoke(event, { origin: { kind: 'appsync', target }, whenBusy: 'refuse' });
    recordGraphQL(this.#host, outcome, event, startedAt);
    return outcome;
  }

  /** Fields of one tick are batched into one invocation, at most ten per batch. */
  #collect(name: string, event: AppSyncEvent, context: RequestContext): Promise<unknown> {
    const { batches } = context;
    return new Promise((resolve, reject) => {
      const waiting = batches.get(name);
      if (waiting) {
        waiting.push({ event, resolve, reject });
        return;
      }
      const first = [{ event, resolve, reject }];
      batches.set(name, first);
      setImmediate(() => {
        batches.delete(name);
        for (let at = 0; at < first.length; at += MAX_BATCH)
          void this.#runBatch(name, first.slice(at, at + MAX_BATCH), context);
      });
    });
  }

  async #runBatch(name: string, waiting: readonly Waiting[], context: RequestContext): Promise<void> {
    const { graphql } = await this.#load();
    const outcome = await this.#invoke(name, buildAppSyncBatch(waiting.map(({ event }) => event)), context);
    const answers = outcome.ok && Array.isArray(outcome.answer) ? (outcome.answer as readonly unknown[]) : undefined;
    for (const [index, { resolve, reject }] of waiting.entries()) {
      try {
        resolve(
          answers ? this.#payloadOf(graphql, unwrapped(answers[index], graphql)) : this.#dataOf(graphql, outcome),
        );
      } catch (error) {
        reject(error as Error);
      }
    }
  }

  #dataOf(graphql: GraphQL, outcome: InvokeOutcome): unknown {
    if (outcome.ok) return this.#payloadOf(graphql, outcome.answer);
    const { errorType, errorMessage } = outcome.error;
    throw graphqlError(graphql, errorMessage, outcome.reason === 'handler' ? errorType : `Lambda:${errorType}`);
  }

  /** Handles the error object as the response function in our README does. */
  #payloadOf(graphql: GraphQL, payload: unknown): unknown {
    const object = payload as ErrorObject | null;
    if (this.#host.config.graphqlDirect || object?.framework_error !== true) return payload;
    throw graphqlError(graphql, object.error_message, object.error_info?.code ?? '');
  }
}

interface ErrorObject {
  readonly framework_error?: boolean;
  readonly error_message: string;
  readonly error_info?: { readonly code?: string };
}

/** An element of `batchResult: 'envelope'`. */
function unwrapped(element: unknown, graphql: GraphQL): unknown {
  const { data, errorMessage, errorType } = (element ?? {}) as {
    data?: unknown;
    errorMessage?: string;
    errorType?: string;
  };
  const isEnvelope = typeof element === 'object' && element !== null && 'data' in element && 'errorMessage' in element;
  if (!isEnvelope) return element;
  if (errorMessage) throw graphqlError(graphql, errorMessage, errorType ?? '');
  return data;
}

function graphqlError({ GraphQLError }: GraphQL, message: string, errorType: string): Error {
  return new GraphQLError(message, { extensions: { errorType } });
}

/** AppSync writes the type of an error next to its message. */
function toAnswer({ data, errors }: ExecutionResult): object {
  if (!errors) return { data };
  const written = errors.map(({ message, path, locations, extensions }) => ({
    message,
    errorType: extensions.errorType ?? null,
    path: path ?? null,
    locations: locations ?? null,
  }));
  return { data, errors: written };
}

const UNAUTHORIZED = { errorType: 'UnauthorizedException', message: 'You are not authorized to make this call.' };

function headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : (value ?? ''),
    ]),
  );
}

function contextOf(
  request: IncomingMessage,
  given: Pick<RequestContext, 'headers' | 'authorization' | 'claims' | 'startedAt'>,
): RequestContext {
  const sourceIp = (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  return { ...given, sourceIp, batches: new Map() };
}

/** The authorizer's identity, or the claims of an OpenID Connect token; `null` as for a caller with an API key. */
function identityOf({ claims, authorization }: RequestContext): unknown {
  if (authorization) return authorization.identity;
  return claims ? { claims, issuer: claims.iss ?? null, sub: claims.sub ?? null } : null;
}

interface Query {
  readonly query: string;
  readonly variables: Record<string, unknown> | null;
  readonly operationName: string | null;
}

function parseQuery(text: string | undefined): Query | undefined {
  try {
    const { query, variables = null, operationName = null } = JSON.parse(text ?? '') as Partial<Query>;
    return typeof query === 'string' ? { query, variables, operationName } : undefined;
  } catch {
    return undefined;
  }
}

function tryParse(graphql: GraphQL, query: string) {
  try {
    return graphql.parse(query);
  } catch (error) {
    return { error };
  }
}

/** A body as text; `undefined` when it is too large or is not sent to its end. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > GRAPHQL_PROFILE.maxEventBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}
