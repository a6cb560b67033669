import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { RemovalPolicy } from 'aws-cdk-lib/core';
import { SERVICE_FUNCTION_PROPS, type ServiceFunctionProps } from '../function/service-function-props.js';
import type { ApiDomain } from '../http/api-domain.js';
import type { ApiAuthorization } from '../http/authorization.js';
import { choice, defineProps, flag, literal, literalWords, many, thing } from '../internal/props.js';
import { type ExternalAttachment, isExternal } from '../wiring/external.js';
import { type ContractCheck, isContractCheck } from '../wiring/internal/contract-check.js';
import { HTTP_DOORS, type HttpDoorKind, type ServiceGraphql, type ServiceWebSocket } from './internal/doors.js';
import { Routes } from './routes.js';
import { Source } from './source.js';
import type { ServiceStage } from './stage.js';

/** A further function of a service, for some of its sources and operations. Its other props default to the props of the service. */
export interface ServiceSplit extends Partial<Omit<ServiceFunctionProps, 'code' | 'external'>> {
  /** Its sources and operations. The first function does not serve them. */
  readonly include: readonly (Source | Routes)[];
}

/** Props of {@link Service}, and the props of {@link ServiceFunction} for its functions. */
export interface ServiceProps
  extends Omit<ServiceFunctionProps, 'entry' | 'code' | 'external' | 'logRetention' | 'logRemovalPolicy'> {
  /** The file that exports the handler of the application. */
  readonly entry: string;
  /**
   * `production` keeps state, failure queues and logs when the stack is removed, and has alarms and a dashboard. `preview` is removed completely, and
   * has short logs of level `DEBUG` and a low throttle.
   */
  readonly stage: ServiceStage;
  /**
   * The retention of the logs of the functions.
   *
   * @default - that of the stage
   */
  readonly logRetention?: RetentionDays;
  /**
   * The removal policy of the logs of the functions.
   *
   * @default - that of the stage
   */
  readonly logRemovalPolicy?: RemovalPolicy;
  /**
   * The sources of events.
   *
   * @default - none
   */
  readonly sources?: readonly Source[];
  /**
   * Further functions by name, for sources and operations that need another timeout, memory or bundle. All functions share the APIs.
   *
   * @default - one function
   */
  readonly split?: Readonly<Record<string, ServiceSplit>>;
  /**
   * The front doors for HTTP routes.
   *
   * @default - the door whose format the handler writes: a REST API or a function URL for a streaming handler, else an HTTP API
   */
  readonly doors?: readonly HttpDoorKind[];
  /**
   * The address of the API.
   *
   * @default - the address that AWS makes
   */
  readonly domain?: ApiDomain;
  /**
   * The check of the callers by the API, before the function runs.
   *
   * @default ApiAuthorization.APPLICATION
   */
  readonly authorization?: ApiAuthorization;
  /**
   * The schema and other props of the GraphQL API. Required if the application has GraphQL fields.
   *
   * @default - no GraphQL API
   */
  readonly graphql?: ServiceGraphql;
  /**
   * Props of the WebSocket API, if the application has WebSocket routes.
   *
   * @default - those of the stage
   */
  readonly webSocket?: ServiceWebSocket;
  /**
   * Registrations that are attached outside the service, as in {@link ServiceWiring}.
   *
   * @default - none
   */
  readonly external?: readonly ExternalAttachment[];
  /**
   * Packages that are not bundled: the prop `external` of {@link ServiceFunction}.
   *
   * @default - everything is bundled
   */
  readonly externalPackages?: readonly string[];
  /**
   * Compares the contract with what is deployed, at synth; `false` writes no contract into the template. By default the template has the contract, for
   * `sallyport contract check --against stack:<name>`.
   *
   * @default - the contract is in the template, and nothing is compared
   */
  readonly contract?: ContractCheck | false;
  /**
   * True for alarms and a dashboard.
   *
   * @default - true in production
   */
  readonly alarms?: boolean;
  /**
   * The topic that receives the alarms.
   *
   * @default - a new topic, the member `alarmTopic`
   */
  readonly alarmTopic?: ITopic;
}

const isSettings = (value: unknown) => typeof value === 'object' && value !== null;

const { code: _code, external: _external, ...functionKinds } = SERVICE_FUNCTION_PROPS.kinds;

/** Validators and defaults for {@link ServiceProps}. */
export const SERVICE_PROPS = defineProps<ServiceProps>('Service')({
  ...functionKinds,
  entry: literalWords('the path of a file').required(),
  logRetention: literal<RetentionDays>('a RetentionDays', (value) => typeof value === 'number'),
  logRemovalPolicy: literal<RemovalPolicy>('a RemovalPolicy', (value) => typeof value === 'string'),
  stage: choice('production', 'preview').required(),
  sources: many<Source>('a list of sources, such as Source.queue("orders")', (one) => one instanceof Source).default(
    [],
  ),
  split: literal<Readonly<Record<string, ServiceSplit>>>(
    'an object of { include: [Source.queue("orders"), Routes.under("/orders")] } by name',
    (value) =>
      isSettings(value) &&
      Object.entries(value as object).every(
        ([name, part]) => /^[A-Za-z][\w-]{0,63}$/.test(name) && isSplit(part as Partial<ServiceSplit>),
      ),
  ).default({}),
  doors: many<HttpDoorKind>(`a list of ${HTTP_DOORS.join(', ')}`, (one) => HTTP_DOORS.includes(one as HttpDoorKind)),
  domain: thing<ApiDomain>('an ApiDomain', 'domainName'),
  authorization: thing<ApiAuthorization>('a value of ApiAuthorization', 'authorizer'),
  graphql: literal<ServiceGraphql>('an object with schemaFile', isSettings),
  webSocket: literal<ServiceWebSocket>('an object', isSettings),
  external: many<ExternalAttachment>(
    'a list of { kind, name, path, reason }, each with a reason and with a kind or a path',
    isExternal,
  ).default([]),
  externalPackages: many<string>('a list of package names', (name) => typeof name === 'string'),
  contract: literal<ContractCheck | false>(
    'false or { against: ["deployed/Notes.template.json"] }',
    (value) => value === false || isContractCheck(value),
  ),
  alarms: flag,
  alarmTopic: thing<ITopic>('a topic', 'topicArn'),
});

function isSplit(part: Partial<ServiceSplit> | undefined): boolean {
  const { include } = part ?? {};
  return (
    Array.isArray(include) &&
    include.length > 0 &&
    include.every((one) => one instanceof Source || one instanceof Routes)
  );
}

/** The sources among the entries of `include`. */
export function sourcesIn(include: ServiceSplit['include']): readonly Source[] {
  return include.filter((one) => one instanceof Source);
}

/** The operations among the entries of `include`. */
export function routesIn(include: ServiceSplit['include']): readonly Routes[] {
  return include.filter((one) => one instanceof Routes);
}
