import type { DeployedFunction } from '../deployed/deployed.js';

/** A table that is created at the start: an input of `CreateTable` of the AWS SDK. */
export interface TableConfig {
  readonly TableName: string;
  readonly [member: string]: unknown;
}

/** Values of Parameter Store, Secrets Manager and AppConfig for a run. */
export interface LocalValues {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Flags by name: `{ "enabled": true }`, with attributes. */
  readonly flags?: Readonly<Record<string, object>>;
}

/** Settings of sources that differ from the defaults: by the member of `sallyport.json`, then by name. */
export type SourcesConfig = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** The authorizer of a door. */
export type Authorizer = 'jwt' | 'iam' | LambdaAuthorizer;

/** The export of the entry that authorizes. */
export type LambdaAuthorizer = `lambda:${string}`;

/** The deployed function of a run, and the file that describes it. */
export interface Deployed {
  /** As messages name the file. */
  readonly file: string;
  readonly fn: DeployedFunction;
  /** Messages of the start. Default: none. */
  readonly notices?: readonly string[];
}

/** One function of a run of several functions. */
export interface FleetFunction {
  /** A valid function name, unique in the run. */
  readonly name: string;
  /** The entry file, absolute. */
  readonly entry: string;
  readonly deployed: DeployedFunction;
}

/** The functions of a run, and the reasons why others are not started. */
export interface Fleet {
  readonly functions: readonly FleetFunction[];
  /** The sources and doors of all functions. */
  readonly deployed: Deployed;
  /** Reasons why functions of the file are not started. */
  readonly notices: readonly string[];
}

/** The settings of a run, merged from `sallyport.json`, the flags and the defaults. */
export interface Config {
  /** The project: where `sallyport.json` and `package.json` are. Absolute. */
  readonly folder: string;
  /** The entry file, absolute. */
  readonly entry: string;
  /** The export that is the handler; default `handler`. */
  readonly handler: string;
  /** The function's name; default the name of the package. */
  readonly name: string;
  /** `.sallyport` in the project, absolute. */
  readonly stateFolder: string;
  /** Console port; `undefined`: 4700 or one of the next ten groups. */
  readonly port: number | undefined;
  /** Milliseconds; default: as deployed, else 10,000. */
  readonly timeoutMs: number;
  /** Megabytes; default: as deployed, else 256. */
  readonly memoryMb: number;
  /** Path of the Node that runs the function; default: the Node that runs the command. */
  readonly node: string;
  /** Environments that run in parallel; default 10. */
  readonly concurrency: number;
  /** True if `concurrency` was stated: a busy function then rejects calls, as with reserved concurrency. Otherwise they wait. */
  readonly isThrottled: boolean;
  /** Lambda Managed Instances: workers; `undefined`: off. */
  readonly managedInstances: number | undefined;
  /** Maximum seconds of an execution of the durable function; `undefined`: the function is not durable. */
  readonly durable: number | undefined;
  /** Port of the debugger; `undefined`: off. */
  readonly inspect: number | undefined;
  /** True if environments are frozen between invocations; default `true`, on Windows always `false`. */
  readonly freeze: boolean;
  /** True if DynamoDB and S3 are available; default `true`. */
  readonly state: boolean;
  /** Export conditions in addition to Node's, for workspaces whose packages are read from their sources. */
  readonly conditions: readonly string[];
  /** True if a build is one file that contains all imports; default `false`. */
  readonly bundle: boolean;
  readonly open: boolean;
  /** The command of the editor that opens frames; `undefined`: that of the shell. */
  readonly editor: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  /** True if raw strings are shown in the console; default `false`. */
  readonly reveal: boolean;
  /** File of variables, absolute; default `.env.local`, if it exists. */
  readonly envFile: string | undefined;
  /** Variables of the function. Values may contain `$issuer`, `$jwks`, `$secret`, `$audience`, `$api`, `$tables`. */
  readonly env: Readonly<Record<string, string>>;
  /** More audiences of the local issuer's tokens, with the same placeholders. */
  readonly audiences: readonly string[];
  /** Names of variables of the shell to pass to the function. */
  readonly pass: readonly string[];
  /** AWS services that are called for real, with the developer's credentials. */
  readonly aws: readonly string[];
  /** The constructs' manifest, absolute; default `cdk.out/sallyport.json`, if it exists. */
  readonly manifest: string | undefined;
  /** The SAM template or Terraform plan, absolute; `undefined`: the manifest is read. */
  readonly template: string | undefined;
  /** The function that the template, the plan or the manifest describes; `undefined` without such a file. */
  readonly deployed: Deployed | undefined;
  /** The functions of a run of several functions; `undefined` for a run of one function. */
  readonly fleet: Fleet | undefined;
  /** True if a process loads the dependencies of the next build in advance; `false` with several functions. */
  readonly hasStandby: boolean;
  /** True if a result that would differ on AWS is a failure; default `false`. */
  readonly strict: boolean;
  readonly restStream: boolean;
  /** The authorizer of the HTTP doors: checks tokens of the local issuer or signatures of the run, or is an export of the entry. */
  readonly authorizer: Authorizer | undefined;
  /** Authorization scopes of the JWT authorizer: a token needs one of them; empty if no scope is required. */
  readonly authorizerScopes: readonly string[];
  /** The Lambda authorizers of the WebSocket API and the GraphQL API. */
  readonly webSocketAuthorizer: LambdaAuthorizer | undefined;
  readonly graphqlAuthorizer: LambdaAuthorizer | undefined;
  /** True if the target group of the load balancer has multi-value headers; `undefined`: as deployed, else `false`. */
  readonly multiValueHeaders: boolean | undefined;
  /** Media types that the REST API treats as binary; `undefined`: all for a Sallyport service, else an empty list. */
  readonly binaryMediaTypes: readonly string[] | undefined;
  /** Routes of the HTTP API and the REST API: `GET /notes/{id}`; empty: every request reaches the function without a route. */
  readonly routes: readonly string[];
  /** The stage of both APIs; `undefined`: `$default` of the HTTP API, `prod` of the REST API. */
  readonly stage: string | undefined;
  readonly stageVariables: Readonly<Record<string, string>> | undefined;
  /** The GraphQL schema file, absolute; default `schema.graphql`, if it exists. */
  readonly schema: string | undefined;
  /** True if a resolver's error object is returned as data, as without a response function. */
  readonly graphqlDirect: boolean;
  /** GraphQL fields whose resolvers have a `maxBatchSize`: `Query.note`. */
  readonly batchFields: readonly string[];
  /** True if the routes of the WebSocket API have route responses: a returned body is sent to the client. */
  readonly routeResponse: boolean;
  /** More host names that the HTTP doors accept. */
  readonly allowHosts: readonly string[];
  readonly speed: number;
  readonly sources: SourcesConfig;
  readonly tables: readonly TableConfig[];
  readonly buckets: readonly string[];
  readonly values: LocalValues;
}
