import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { CfnOutput, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { ServiceAlarms } from '../function/service-alarms.js';
import type { ServiceDashboard } from '../function/service-dashboard.js';
import type { ServiceFunction } from '../function/service-function.js';
import type { ServiceFunctionProps } from '../function/service-function-props.js';
import { misuse } from '../internal/misuse.js';
import { type ContractCheck, checkContract } from '../wiring/internal/contract-check.js';
import { recordFunctions } from '../wiring/internal/stack-contract.js';
import type { ServiceWiring } from '../wiring/service-wiring.js';
import { createDoors, type ServiceDoors } from './internal/doors.js';
import { createPart, leaveOutOf, type ServicePart } from './internal/parts.js';
import { destroyWithStack } from './internal/removal.js';
import { checkSplitRoutes } from './internal/split-routes.js';
import { createTables, type ServiceTables } from './internal/tables.js';
import { watchParts } from './internal/watch.js';
import { routesIn, SERVICE_PROPS, type ServiceProps, sourcesIn } from './service-props.js';
import type { CreatedSources } from './source.js';
import { STAGES } from './stage.js';

/**
 * A whole service from the registrations of one application: its function, the front doors that its operations need, the tables that its stores read,
 * the sources of `sources`, logs, and in production alarms and a dashboard. A registration without a source fails at synth with the line to add.
 * All created resources are members.
 *
 * @example
 * const orders = new Service(this, 'Orders', {
 *   entry: 'src/lambda.ts',
 *   stage: 'production',
 *   sources: [Source.queue('orders'), Source.schedule('nightly', Schedule.cron({ hour: '3', minute: '0' }))],
 * });
 */
export class Service extends Construct {
  /** The function that serves all that no part of `split` serves. */
  readonly fn: LambdaFunction;
  /** All functions, by the names in `split`; the first is `main`. */
  readonly functions: Readonly<Record<string, ServiceFunction>>;
  /** The wiring of `fn`, to attach what `sources` cannot name. */
  readonly wiring: ServiceWiring;
  /** All wirings, by the names in `split`; the first is `main`. */
  readonly wirings: Readonly<Record<string, ServiceWiring>>;
  /** The front doors. */
  readonly doors: ServiceDoors;
  /** The tables. */
  readonly tables: ServiceTables;
  /** The created queues, by the names of their handlers. */
  readonly queues: CreatedSources['queues'] = {};
  /** The created data streams. */
  readonly streams: CreatedSources['streams'] = {};
  /** The created topics. */
  readonly topics: CreatedSources['topics'] = {};
  /** The created buckets. */
  readonly buckets: CreatedSources['buckets'] = {};
  /** The log of `fn`. */
  readonly logGroup: LogGroup;
  /** The alarms, by the names in `split`; empty without alarms. */
  readonly alarms: Readonly<Record<string, ServiceAlarms>>;
  /** The dashboard; `undefined` without alarms. */
  readonly dashboard: ServiceDashboard | undefined;
  /** The topic of the alarms: subscribe the people who act; `undefined` without alarms. */
  readonly alarmTopic: ITopic | undefined;
  /** The address of the first HTTP door; `undefined` without HTTP routes. */
  readonly url: string | undefined;

  /**
   * @throws ConstructError `constructs.invalid_prop`; `constructs.invalid_inventory` for an application that does not load; `constructs.not_registered`
   *   for a source without a handler, and for an entry of `include` without an operation; `constructs.conflict` for an operation of two functions; `constructs.contract_broken` with `contract`; and as the constructs that it creates
   */
  constructor(scope: Construct, id: string, props: ServiceProps) {
    super(scope, id);
    const parsed = SERVICE_PROPS.parse(this, props);
    const { split, sources, external } = parsed;
    const stage = STAGES[parsed.stage];
    const splits = Object.entries(split);
    const all = splits.flatMap(([, { include }]) => include);
    const [ofSplits, routesOfSplits] = [sourcesIn(all), routesIn(all)];
    const application = stage.keeps ? id : `${Stack.of(this).stackName}-${id}`;
    const main = createPart(this, {
      name: 'main',
      stage,
      application,
      external,
      settings: functionSettings(props),
      triggers: (trigger) =>
        sources.some(({ covers }) => covers(trigger)) || !ofSplits.some(({ covers }) => covers(trigger)),
      routes: (route) => !routesOfSplits.some(({ covers }) => covers(route)),
    });
    const parts: ServicePart[] = [main];
    for (const [name, { include, ...settings }] of splits) {
      if (name === 'main')
        throw misuse(this, { what: 'split.main', expected: 'another name: main is the first function' });
      const hasOwnEntry = settings.entry !== undefined && settings.entry !== parsed.entry;
      const routes = routesIn(include);
      const isStreaming =
        main.format !== 'json' || (routes.length > 0 && (hasOwnEntry || settings.handler !== undefined));
      const leaveOut = leaveOutOf(isStreaming || parsed.doors?.includes('function-url') === true, routes.length > 0);
      parts.push(
        createPart(this, {
          name,
          stage,
          application,
          settings: { ...functionSettings(props), ...settings },
          triggers: (trigger) => sourcesIn(include).some(({ covers }) => covers(trigger)),
          routes: (route) => routes.some(({ covers }) => covers(route)),
          hasOwnEntry,
          ...(leaveOut && { leaveOut }),
        }),
      );
    }
    checkSplitRoutes(this, parts, new Map(splits.map(([name, { include }]) => [name, routesIn(include)])));
    this.fn = main.service.fn;
    this.functions = Object.fromEntries(parts.map(({ name, service }) => [name, service]));
    this.wiring = main.wiring;
    this.wirings = Object.fromEntries(parts.map(({ name, wiring }) => [name, wiring]));
    this.logGroup = main.service.logGroup;
    if (parsed.contract !== false) this.#recordContract(parts, parsed.contract);
    this.tables = this.#bindTables(parts, parsed.environment ?? {});
    this.doors = createDoors(this, parts, { mcpTable: this.tables.mcp, stage }, parsed);
    if (main.isKnown) for (const source of sources) source.attach(this, main.wiring, this);
    for (const [index, [, { include }]] of splits.entries()) {
      const { isKnown, wiring } = parts[index + 1] as ServicePart;
      if (isKnown) for (const source of sourcesIn(include)) source.attach(this, wiring, this);
    }
    const { httpApi, restApi, functionUrl, webSocket, graphql } = this.doors;
    this.url = (httpApi ?? restApi ?? functionUrl)?.url;
    const urls = { Url: this.url, WebSocketUrl: webSocket?.url, GraphqlUrl: graphql?.api.graphqlUrl };
    for (const [name, value] of Object.entries(urls)) if (value !== undefined) new CfnOutput(this, name, { value });
    const watched = (parsed.alarms ?? stage.isWatched) ? watchParts(this, parts, parsed.alarmTopic) : undefined;
    this.alarms = watched?.alarms ?? {};
    this.dashboard = watched?.dashboard;
    this.alarmTopic = watched?.topic;
    if (!stage.keeps) destroyWithStack(this, Object.values(this.buckets));
  }

  /** The parts of one application describe its messages to WebSocket clients once. */
  #recordContract(parts: readonly ServicePart[], check: ContractCheck | undefined): void {
    const described = parts.flatMap(({ described: one }) => (one ? [one] : []));
    const isFirst = (name: string, index: number) => described.findIndex((one) => one.function === name) === index;
    const contract = recordFunctions(
      this,
      described.map((one, index) => (isFirst(one.function, index) ? one : { ...one, sends: {} })),
    );
    if (contract && check) checkContract(this, contract, check);
  }

  #bindTables(parts: readonly ServicePart[], environment: Readonly<Record<string, string>>): ServiceTables {
    const { all, byVariable } = createTables(
      this,
      parts.flatMap(({ read }) => read),
      (name) => Object.hasOwn(environment, name),
    );
    for (const [variable, table] of byVariable) {
      // The MCP server binds its own table.
      for (const { read, service } of parts) if (read.includes(variable)) table.bindTo(service.fn as IFunction);
    }
    return all;
  }
}

/** The props of the function among those of the service. */
function functionSettings(props: ServiceProps): Omit<ServiceFunctionProps, 'code'> {
  const { stage, sources, split, doors, domain, authorization, graphql, webSocket, ...rest } = props;
  const { external: _external, contract: _contract, externalPackages, alarms, alarmTopic, ...settings } = rest;
  return { ...settings, ...(externalPackages && { external: externalPackages }) };
}
