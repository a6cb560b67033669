import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DataStream,
  type EventSelector,
  FunctionUrl,
  HttpApi,
  type Inventoried,
  inventoryFromFile,
  parseInventory,
  type QueueMappingProps,
  RestApi,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
  toInventory,
  WebSocketApi,
} from '@sallyport/constructs';
import { isFrameworkError } from '@sallyport/core';
import { parseManifest } from '@sallyport/local/manifest';
import { AttributeType, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type EventPattern, Schedule } from 'aws-cdk-lib/aws-events';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { FilterOrPolicy, SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { App, Duration, Stack } from 'aws-cdk-lib/core';
import { camelOptions } from '../casing.js';

type Args = Readonly<Record<string, unknown>>;

/** The inventory of the container of a fixture. */
export function inventoryOf(app: unknown): object {
  return toInventory(app as Inventoried);
}

/** Reads each document as the file that a stack reads: its content, or the code of its rejection. */
export function readInventories({ documents }: Args): readonly object[] {
  return withFolder((folder) =>
    listOf(documents).map((document) => outcomeOf(() => inventoryFromFile(fileOf(folder, document)))),
  );
}

/** The local runtime's reading of each document for one entry file: a function, `null` for no function, or the code of its rejection. */
export function readManifests({ documents, entry }: Args): readonly unknown[] {
  return listOf(documents).map((document) => outcomeOf(() => parseManifest(textOf(document), String(entry)) ?? null));
}

/** The manifest of a stack with these functions, or the code of the rejection. */
export function writeManifest({ functions }: Args): unknown {
  return outcomeOf(() =>
    withFolder((outdir) => {
      process.env.CDK_VALIDATION = 'false';
      // Without a bundle: the entry files do not exist.
      const app = new App({ outdir, analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
      const stack = new Stack(app, 'Service');
      for (const one of listOf(functions)) addFunction(stack, one as DeployedFunction);
      app.synth();
      return JSON.parse(readFileSync(join(outdir, 'sallyport.json'), 'utf8')) as unknown;
    }),
  );
}

/** A function as fixtures describe it: its settings, its inventory, and what the stack attaches. */
interface DeployedFunction {
  readonly id: string;
  /** The entry file; absent for bundled code. */
  readonly entry?: string;
  readonly timeout_seconds?: number;
  readonly memory_mb?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly inventory: unknown;
  readonly attach: readonly Args[];
}

function addFunction(stack: Stack, described: DeployedFunction): void {
  const { id, entry, timeout_seconds, memory_mb, environment, inventory, attach } = described;
  const { fn } = new ServiceFunction(stack, id, {
    ...(entry === undefined ? { code: Code.fromInline('exports.handler = 1') } : { entry }),
    ...(timeout_seconds !== undefined && { timeout: Duration.seconds(timeout_seconds) }),
    ...(memory_mb !== undefined && { memorySize: memory_mb }),
    ...(environment && { environment }),
  });
  const wiring = new ServiceWiring(stack, `${id}Wiring`, {
    fn,
    inventory: parseInventory(inventory),
    application: 'fixture',
  });
  for (const { to, ...options } of attach) ATTACH[String(to)]?.(wiring, camelOptions(options) as unknown as Attachment);
}

/** One attachment: the name of its handler, and the settings of its source and its trigger. */
interface Attachment extends QueueMappingProps {
  readonly name: string;
  readonly retryAttempts?: number;
  readonly maxReceiveCount?: number;
  readonly expression?: string;
  readonly selector?: EventSelector;
  readonly clusterArn?: string;
  /** Rules for the attributes of a message, and for its body. */
  readonly filterPolicy?: Rules;
  readonly bodyFilterPolicy?: Rules;
  readonly pattern?: EventPattern;
}

/** A list of rules for each name. */
type Rules = Readonly<Record<string, readonly unknown[]>>;

function mapped<T>(rules: Rules, to: (rules: readonly unknown[]) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(rules).map(([name, list]) => [name, to(list)]));
}

const ATTACH: Readonly<Record<string, (wiring: ServiceWiring, attachment: Attachment) => unknown>> = {
  queue: (wiring, { name, maxReceiveCount, ...props }) => {
    const made = maxReceiveCount === undefined ? {} : { maxReceiveCount };
    return wiring.queue(name, new ServiceQueue(wiring, `Made-${name}`, made).queue, props);
  },
  'table-stream': (wiring, { name, ...props }) => wiring.tableStream(name, newTable(wiring, name), props),
  stream: (wiring, { name, ...props }) => wiring.kinesis(name, new DataStream(wiring, `Made-${name}`).stream, props),
  topic: (wiring, { name, filterPolicy, bodyFilterPolicy }) =>
    wiring.topic(name, new Topic(wiring, `Made-${name}`), {
      ...(filterPolicy && { filterPolicy: mapped(filterPolicy, (rules) => new SubscriptionFilter([...rules])) }),
      ...(bodyFilterPolicy && {
        filterPolicyWithMessageBody: mapped(bodyFilterPolicy, (rules) =>
          FilterOrPolicy.filter(new SubscriptionFilter([...rules])),
        ),
      }),
    }),
  s3: (wiring, { name }) => wiring.s3(name, new Bucket(wiring, `Made-${name}`) as IBucket),
  kafka: (wiring, { name, clusterArn = '' }) => wiring.kafka(name, { clusterArn }),
  'event-bus': (wiring, { selector = {}, pattern = {} }) => wiring.eventBus(selector, { pattern }),
  schedule: (wiring, { name, expression = '' }) => wiring.schedule(name, Schedule.expression(expression)),
  'http-api': (wiring) => wiring.http(new HttpApi(wiring, 'HttpApi', { fn: wiring.fn })),
  'rest-api': (wiring) => wiring.http(new RestApi(wiring, 'RestApi', { fn: wiring.fn })),
  'function-url': (wiring) => wiring.http(new FunctionUrl(wiring, 'FunctionUrl', { fn: wiring.fn })),
  websocket: (wiring) => wiring.webSocket(new WebSocketApi(wiring, 'WebSocketApi', { fn: wiring.fn })),
};

function newTable(wiring: ServiceWiring, name: string): ITable {
  const partitionKey = { name: 'pk', type: AttributeType.STRING };
  return new Table(wiring, `Made-${name}`, { partitionKey, stream: StreamViewType.NEW_AND_OLD_IMAGES }) as ITable;
}

function outcomeOf(run: () => unknown): object {
  try {
    return run() as object;
  } catch (error) {
    if (isFrameworkError(error)) return { code: error.code };
    throw error;
  }
}

/** `{ "text": … }` is a file with any content, valid JSON or not; all other values are written as JSON. */
function textOf(document: unknown): string {
  const { text } = (document ?? {}) as { readonly text?: unknown };
  return typeof text === 'string' ? text : JSON.stringify(document);
}

function fileOf(folder: string, document: unknown): string {
  const file = join(folder, 'document.json');
  writeFileSync(file, textOf(document));
  return file;
}

function withFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-contract-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
