import { readFileSync } from 'node:fs';
import {
  type AuthorizationConfig,
  AuthorizationType,
  CfnDataSource,
  type CfnGraphQLApi,
  CfnResolver,
  Definition,
  GraphqlApi as GraphqlApiResource,
} from 'aws-cdk-lib/aws-appsync';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../internal/acknowledge.js';
import { grantOn } from '../internal/grants.js';
import { AUTHORIZER_TYPES, noteInvoker } from '../internal/invokers.js';
import { misuse } from '../internal/misuse.js';
import { nameOf } from '../internal/names.js';
import { count, defineProps, literal, literalWords, thing } from '../internal/props.js';
import { invokedByDoor } from '../internal/targets.js';
import { resolverCode } from './internal/resolver-code.js';
import { readFields, type SchemaFields } from './internal/schema-fields.js';

/** The place where a failed field becomes a GraphQL error. One is always active: otherwise clients would receive the error as data. */
export class GraphqlResolvers {
  /** A response function in AppSync, which reads the error object. For applications with `errorMode: 'object'`, the default. */
  static readonly RESPONSE_FUNCTION = new GraphqlResolvers('response-function');
  /** Direct Lambda resolvers. The application must use `errorMode: 'throw'`, and `batchResult: 'envelope'` if fields are batched. */
  static readonly DIRECT_ERROR_MODE_THROW = new GraphqlResolvers('direct');

  /** The name of the value. */
  readonly kind: 'response-function' | 'direct';

  private constructor(kind: 'response-function' | 'direct') {
    this.kind = kind;
  }
}

/** Props of {@link GraphqlApi}. */
export interface GraphqlApiProps {
  /** The function that resolves the fields. */
  readonly fn: IFunction;
  /** The file of the schema, in the schema definition language. */
  readonly schemaFile: string;
  /**
   * The authentication of callers.
   *
   * @default - IAM
   */
  readonly authorization?: AuthorizationConfig;
  /**
   * The place where a failed field becomes a GraphQL error.
   *
   * @default GraphqlResolvers.RESPONSE_FUNCTION
   */
  readonly resolvers?: GraphqlResolvers;
  /**
   * The maximum number of elements in one invocation of a batched field; 0 disables batches.
   *
   * @default - 0, and 10 for fields that are added with `batch`
   */
  readonly maxBatchSize?: number;
  /**
   * The retention of the log.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
}

/** Validators and defaults for {@link GraphqlApiProps}. */
export const GRAPHQL_API_PROPS = defineProps<GraphqlApiProps>('GraphqlApi')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  schemaFile: literalWords('the path of a schema file').required(),
  authorization: thing<AuthorizationConfig>('an AuthorizationConfig', 'defaultAuthorization').default({
    defaultAuthorization: { authorizationType: AuthorizationType.IAM },
  }),
  resolvers: literal<GraphqlResolvers>(
    'a value of GraphqlResolvers',
    (value) => value instanceof GraphqlResolvers,
  ).default(GraphqlResolvers.RESPONSE_FUNCTION),
  maxBatchSize: count(0, 2000).default(0),
  logRetention: literal<RetentionDays>('a value of RetentionDays', (value) => typeof value === 'number').default(
    RetentionDays.ONE_MONTH,
  ),
});

/** The batch size of batched fields when `maxBatchSize` is 0. */
const DEFAULT_BATCH = 10;

/** One field that the function resolves. */
export interface GraphqlField {
  /** The type of the field, `Query`. */
  readonly parentType: string;
  /** Its name. */
  readonly field: string;
  /**
   * True if AppSync sends several elements in one invocation.
   *
   * @default - true if `maxBatchSize` of the API is above 0
   */
  readonly batch?: boolean;
}

/**
 * An AppSync API whose fields a function resolves.
 *
 * @example
 * const graphql = new GraphqlApi(this, 'GraphQl', { fn: service.fn, schemaFile: 'schema.graphql' });
 * wiring.graphQl(graphql);
 */
export class GraphqlApi extends Construct {
  /** The API. */
  readonly api: GraphqlApiResource;
  /** The function that resolves the fields. */
  readonly fn: IFunction;
  /** True if AWS checks every caller: no API key is accepted. */
  readonly authenticatesCallers: boolean;
  /** The log of fields that failed. */
  readonly log: LogGroup;
  readonly #source: CfnDataSource;
  readonly #fields: SchemaFields;
  readonly #resolvers: GraphqlResolvers;
  readonly #maxBatchSize: number;
  readonly #added = new Set<string>();

  /** @throws ConstructError `constructs.invalid_prop` for a schema file that cannot be read */
  constructor(scope: Construct, id: string, props: GraphqlApiProps) {
    super(scope, id);
    const { schemaFile, authorization, resolvers, maxBatchSize, logRetention, ...given } = GRAPHQL_API_PROPS.parse(
      this,
      props,
    );
    const fn = invokedByDoor(this, given.fn);
    this.fn = fn;
    this.#resolvers = resolvers;
    const { defaultAuthorization, additionalAuthorizationModes = [] }: AuthorizationConfig = authorization;
    const modes = [defaultAuthorization, ...additionalAuthorizationModes];
    this.authenticatesCallers = modes.every(
      (mode) => mode !== undefined && mode.authorizationType !== AuthorizationType.API_KEY,
    );
    this.#maxBatchSize = maxBatchSize;
    this.#fields = this.#readSchema(schemaFile);
    const principal = new ServicePrincipal('appsync.amazonaws.com');
    const logRole = new Role(this, 'LogRole', { assumedBy: principal });
    this.api = new GraphqlApiResource(this, 'Resource', {
      name: nameOf(this),
      definition: Definition.fromFile(schemaFile),
      authorizationConfig: authorization,
      xrayEnabled: true,
    });
    for (const mode of modes) {
      const handler = mode?.lambdaAuthorizerConfig?.handler;
      if (handler) this.#noteAuthorizer(handler);
    }
    // Set here: the L2's prop `logConfig` adds a function to the stack that sets the retention.
    const resource = this.api.node.defaultChild as CfnGraphQLApi;
    resource.logConfig = {
      fieldLogLevel: 'ERROR',
      excludeVerboseContent: true,
      cloudWatchLogsRoleArn: logRole.roleArn,
    };
    acknowledge(
      resource,
      'AwsSolutions::AwsSolutions-ASC3',
      'Failed fields are logged. Headers and contexts are left out, because they may contain secrets.',
    );
    this.log = new LogGroup(this, 'Log', {
      // AppSync writes to this name only.
      logGroupName: `/aws/appsync/apis/${this.api.apiId}`,
      retention: logRetention,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    grantOn(logRole, ['logs:CreateLogStream', 'logs:PutLogEvents'], [this.log.logGroupArn]);
    const role = new Role(this, 'InvokeRole', { assumedBy: principal });
    grantOn(role, ['lambda:InvokeFunction'], [fn.functionArn]);
    this.#source = new CfnDataSource(this, 'Source', {
      apiId: this.api.apiId,
      name: 'function',
      type: 'AWS_LAMBDA',
      lambdaConfig: { lambdaFunctionArn: fn.functionArn },
      serviceRoleArn: role.roleArn,
    });
  }

  /**
   * Errors of AppSync and of the function, not errors that a resolver returns.
   *
   * @internal
   * @see https://docs.aws.amazon.com/appsync/latest/devguide/monitoring.html
   */
  serverErrors(): IMetric {
    return new Metric({
      namespace: 'AWS/AppSync',
      metricName: '5XXError',
      dimensionsMap: { GraphQLAPIId: this.api.apiId },
    });
  }

  /**
   * Resolves the field with the function. A second call for the same field does nothing.
   *
   * @throws ConstructError `constructs.invalid_prop` when the schema has no such field
   */
  addField({ parentType, field, batch = this.#maxBatchSize > 0 }: GraphqlField): void {
    if (this.#fields.get(parentType)?.has(field) !== true) {
      const what = `field ${parentType}.${field} is not in the schema`;
      throw misuse(this, { what, expected: 'a field of the schema file; add it there or change the name in the code' });
    }
    const id = `${parentType}.${field}`;
    if (this.#added.has(id)) return;
    this.#added.add(id);
    const resolver = new CfnResolver(this, id, {
      apiId: this.api.apiId,
      typeName: parentType,
      fieldName: field,
      dataSourceName: this.#source.name,
      ...(batch ? { maxBatchSize: this.#maxBatchSize || DEFAULT_BATCH } : {}),
      ...(this.#resolvers.kind === 'direct'
        ? {}
        : { code: resolverCode(batch), kind: 'UNIT', runtime: { name: 'APPSYNC_JS', runtimeVersion: '1.0.0' } }),
    });
    this.api.addSchemaDependency(resolver);
    resolver.addResourceDependency(this.#source);
  }

  /** The CDK creates the permission below the function, without a source. */
  #noteAuthorizer(handler: IFunction): void {
    noteInvoker(handler, { construct: this, types: AUTHORIZER_TYPES });
    const permission = handler.node.tryFindChild(`${this.api.node.id}-appsync`);
    if (permission) noteInvoker(handler, { construct: permission });
  }

  #readSchema(file: string): SchemaFields {
    try {
      return readFields(readFileSync(file, 'utf8'));
    } catch (cause) {
      throw misuse(this, {
        what: 'schemaFile cannot be read',
        got: file,
        expected: 'the path of a schema file',
        cause,
      });
    }
  }
}
