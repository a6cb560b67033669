import { MCP_PATH, normalizeMcpPath } from '@sallyport/mcp/routes';
import { MCP_SECRET_ACTIONS, MCP_SECRET_ARN_ENV, MCP_SPILL_ACTIONS, MCP_SPILL_BUCKET_ENV } from '@sallyport/mcp/schema';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { type CfnElement, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { ApiDomain } from '../http/api-domain.js';
import type { IHttpDoor } from '../http/door.js';
import { RestApi } from '../http/rest-api.js';
import { acknowledge } from '../internal/acknowledge.js';
import { keepAsyncFailures } from '../internal/async-failures.js';
import { setVariable } from '../internal/environment.js';
import { grantOn } from '../internal/grants.js';
import { expectRoutes } from '../internal/invokers.js';
import { grantKey } from '../internal/keys.js';
import { misuse, misuseText } from '../internal/misuse.js';
import { defineProps, flag, literal, literalWords, thing } from '../internal/props.js';
import { functionBehind, requireSameStack } from '../internal/targets.js';
import { grantOnParts } from '../internal/wildcards.js';
import { McpTable } from '../state/tables.js';
import { facadeRoutes, serverRoutes } from './internal/routes.js';
import { Challenge, McpSessions } from './sessions.js';

/** Props of {@link McpServer}. */
export interface McpServerProps {
  /** The function in which the server is mounted. It gets the variables of the server. */
  readonly fn: IFunction;
  /**
   * The API or function URL through which clients reach it.
   *
   * @default - a new RestApi
   */
  readonly api?: IHttpDoor;
  /**
   * The address of the API that this construct creates. It must not have a base path: the documents of the origin would be out of reach.
   *
   * @default - the address that API Gateway makes
   */
  readonly domain?: ApiDomain;
  /**
   * The path of the server, as in `mountMcp`.
   *
   * @default '/mcp'
   */
  readonly path?: string;
  /**
   * True if the application registers a facade: all kinds of endpoints instead of one path.
   *
   * @default false
   */
  readonly facade?: boolean;
  /**
   * True if events are sent while a tool runs. The function must export a streaming handler.
   *
   * @default true
   */
  readonly streaming?: boolean;
  /**
   * The storage of sessions.
   *
   * @default McpSessions.DURABLE
   */
  readonly sessions?: McpSessions;
  /**
   * The table of durable sessions.
   *
   * @default - a new table
   */
  readonly table?: McpTable;
  /**
   * True if a secret is generated, for sealed state: `secret: secretFromArn()` reads it. Tools that send requests to the client also need it.
   *
   * @default - true for sealed sessions, else false
   */
  readonly generateSecret?: boolean;
  /**
   * True if calls of tools become tasks, `tasks: { start: invokeSelf() }`: the function may then invoke itself, and failed invocations are kept in a queue.
   *
   * @default false
   */
  readonly tasks?: boolean;
  /**
   * A bucket for values over 256 KiB: `spill: s3McpSpill()` uses it.
   *
   * @default - none
   */
  readonly spillBucket?: IBucket;
  /**
   * The handling of the `WWW-Authenticate` header, which API Gateway and function URLs rename.
   *
   * @default Challenge.WARN
   */
  readonly challenge?: Challenge;
}

/** Validators and defaults for {@link McpServerProps}. */
export const MCP_SERVER_PROPS = defineProps<McpServerProps>('McpServer')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  api: thing<IHttpDoor>('an API or a function URL', 'addRoutes', 'doorKind'),
  domain: thing<ApiDomain>('an ApiDomain', 'domainName'),
  path: literalWords('a path that begins with /', /^\//).default(MCP_PATH),
  facade: flag.default(false),
  streaming: flag.default(true),
  sessions: literal<McpSessions>('a value of McpSessions', (value) => value instanceof McpSessions).default(
    McpSessions.DURABLE,
  ),
  table: thing<McpTable>('an McpTable', 'bindTo'),
  generateSecret: flag,
  tasks: flag.default(false),
  spillBucket: thing<IBucket>('a bucket', 'bucketArn'),
  challenge: literal<Challenge>('a value of Challenge', (value) => value instanceof Challenge).default(Challenge.WARN),
});

type Props = ReturnType<typeof MCP_SERVER_PROPS.parse>;

/**
 * The routes, the state and the variables of an MCP server that is mounted in a function.
 *
 * @example
 * const mcp = new McpServer(this, 'Mcp', { fn: service.fn, api });
 * wiring.http(api);
 */
export class McpServer extends Construct {
  /** The API or function URL through which clients reach the server. */
  readonly door: IHttpDoor;
  /** The table of durable sessions, or `undefined`. */
  readonly table: McpTable | undefined;
  /** The secret of sealed state, or `undefined`. */
  readonly secret: Secret | undefined;
  /** The address for clients; `undefined` for a facade, and if the door's address is unknown. */
  readonly url: string | undefined;
  #hasEdge = false;

  /** @throws ConstructError `constructs.invalid_prop` for props that do not fit together */
  constructor(scope: Construct, id: string, props: McpServerProps) {
    super(scope, id);
    const parsed = MCP_SERVER_PROPS.parse(this, props);
    const { fn, facade, sessions, spillBucket, streaming } = parsed;
    this.#check(parsed);
    requireSameStack(this, 'fn', functionBehind(fn), 'the server in the stack of the function');
    const path = normalizeMcpPath(parsed.path);
    this.door = parsed.api ?? new RestApi(this, 'Api', { fn, ...(parsed.domain ? { domain: parsed.domain } : {}) });
    if (streaming && !this.door.canStream) {
      const what = `streaming is true, and ${this.door.node.path} buffers`;
      throw misuse(this, { what, expected: 'a RestApi or a FunctionUrl, or streaming: false' });
    }
    const routes = facade ? facadeRoutes(streaming) : serverRoutes(path, streaming);
    expectRoutes(this.door, routes);
    this.door.addRoutes(routes);
    this.url = facade || this.door.url === undefined ? undefined : this.door.url + path;
    if (sessions.kind === 'durable') this.table = (parsed.table ?? new McpTable(this, 'Table')).bindTo(fn);
    if (parsed.generateSecret ?? sessions.kind === 'sealed') this.secret = this.#makeSecret(fn);
    if (spillBucket) {
      setVariable(this, fn, MCP_SPILL_BUCKET_ENV, spillBucket.bucketName);
      const reason = 'The objects of a bucket: the server generates their keys.';
      grantOnParts(fn, MCP_SPILL_ACTIONS, [spillBucket.arnForObjects('*')], reason);
      grantKey(spillBucket.encryptionKey, fn, 'bucket', 'write');
    }
    if (parsed.tasks) this.#allowTasks(fn);
    this.#warn(parsed.challenge);
  }

  /** Records that a `ChallengeEdge` is in front of the server. `ChallengeEdge` calls it. */
  attachEdge(): void {
    this.#hasEdge = true;
  }

  /** A separate policy: the function depends on its default policy, so that policy cannot refer to the function. */
  #allowTasks(fn: IFunction): void {
    const { role, functionArn } = functionBehind(fn);
    if (!role)
      throw misuse(this, {
        what: `tasks with ${fn.node.path}, whose role is unknown`,
        expected: 'a function of this app',
      });
    const policy = new Policy(this, 'InvokeSelf', { roles: [role] });
    policy.addStatements(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn, `${functionArn}:*`] }),
    );
    const shown = `<${Stack.of(this).getLogicalId(functionBehind(fn).node.defaultChild as CfnElement)}.Arn>:*`;
    const reason = 'The versions and aliases of the function itself: a task runs in the version that created it.';
    acknowledge(policy, `AwsSolutions::AwsSolutions-IAM5[Resource::${shown}]`, reason);
    const queue = keepAsyncFailures(this, fn, undefined);
    const behind = functionBehind(fn);
    // With an alias the running code invokes its version, for which the settings of the function and the alias do not apply:
    // https://docs.aws.amazon.com/lambda/latest/api/API_PutFunctionEventInvokeConfig.html
    if (this.door.fn === behind || !(behind instanceof LambdaFunction)) return;
    keepAsyncFailures(this, behind.currentVersion as IFunction, queue);
  }

  #check({ fn, api, domain, sessions, table }: Props): void {
    if (api && functionBehind(api.fn) !== functionBehind(fn)) {
      throw misuse(this, {
        what: `api is in front of ${api.fn.node.path}`,
        expected: `an api in front of ${fn.node.path}`,
      });
    }
    if (api && domain) throw misuse(this, { what: 'api and domain', expected: 'the domain as a prop of the api' });
    if (table && sessions.kind !== 'durable') {
      throw misuse(this, {
        what: `table with sessions ${sessions.kind}`,
        expected: 'McpSessions.DURABLE, or no table',
      });
    }
    const basePath = (api ?? domain)?.basePath;
    if (basePath !== undefined) {
      const what = `the domain has the base path ${basePath}, so clients cannot read the documents of the origin`;
      throw misuse(this, { what, expected: 'an ApiDomain without basePath' });
    }
  }

  #makeSecret(fn: IFunction): Secret {
    const secret = new Secret(this, 'Secret', {
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acknowledge(
      secret,
      'AwsSolutions::AwsSolutions-SMG4',
      'The secret protects state that lasts 30 days at most. Its owner rotates it; the server also reads the previous version.',
    );
    grantOn(fn, MCP_SECRET_ACTIONS, [secret.secretArn]);
    setVariable(this, fn, MCP_SECRET_ARN_ENV, secret.secretArn);
    return secret;
  }

  #warn(challenge: Challenge): void {
    const { door } = this;
    if (challenge === Challenge.EDGE) {
      const missing = {
        what: 'challenge is Challenge.EDGE without a ChallengeEdge',
        expected: 'new ChallengeEdge(…, { server })',
      };
      this.node.addValidation({ validate: () => (this.#hasEdge ? [] : [misuseText(this, missing)]) });
      return;
    }
    const warnings = Validations.of(this);
    if (door instanceof RestApi && door.hasStagePrefix) {
      warnings.addWarning(
        'Sallyport::McpStagePrefix',
        `The path of ${door.node.path} begins with its stage, so clients do not find /.well-known documents at the root of its host. Add an ApiDomain to the API, or use an HttpApi or a FunctionUrl.`,
      );
    }
    if (door.doorKind === 'load-balancer') return;
    warnings.addWarning(
      'Sallyport::McpChallengeRenamed',
      `${door.node.path} renames the header www-authenticate to x-amzn-remapped-www-authenticate. Clients that read only the header of a 401 do not find where to sign in; clients that try the well-known paths do. Use Challenge.EDGE, a load balancer, or acknowledge this.`,
    );
  }
}
