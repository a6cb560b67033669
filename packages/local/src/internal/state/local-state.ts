import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FrameworkError } from '@sallyport/core';
import type { BucketView, TableView } from '../console/api.js';
import type { Part, RunBase } from '../host/host.js';
import { BucketStore } from '../services/s3/store.js';
import { SecretFile } from '../services/secrets/secret-file.js';
import { type Engine, findEngine, type InstalledEngine, startEngine } from './engine.js';
import { callEngine, type EngineAnswer } from './engine-client.js';
import type { State } from './state.js';
import { ensureTable, findTables, type LocalTable, tableNames, toLocalTable } from './tables.js';

const PAGE_ITEMS = 100;
const LICENCE =
  'DynamoDB Local has its own AWS licence (docs.aws.amazon.com, "DynamoDB local"): it requires an AWS account, and must not be built into programs. It listens on all interfaces of this machine and requires no keys';

/** Tables in DynamoDB Local, buckets and secrets in files. All data is kept under `.sallyport` between runs. */
export class LocalState implements State, Part {
  readonly name = 'state';
  readonly store: BucketStore;
  readonly secrets: SecretFile;
  readonly #host: RunBase;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #tables: readonly LocalTable[] = [];
  #status = 'starting';
  #endpoint: Promise<string> = Promise.reject(new FrameworkError('local.state_off', 'off: not started'));
  #found: Promise<InstalledEngine | undefined> = Promise.resolve(undefined);
  #engine: Engine | undefined;
  #hasTables = false;
  #isRunning = false;
  #restarts = 0;

  constructor(host: RunBase, environment: Readonly<Record<string, string | undefined>>) {
    const { stateFolder } = host.config;
    this.#host = host;
    this.#environment = environment;
    this.store = new BucketStore(join(stateFolder, 's3'), () => host.clock.now().getTime());
    this.secrets = new SecretFile(join(stateFolder, 'secrets.json'));
    this.#endpoint.catch(() => {});
  }

  hasTables(): boolean {
    return this.#hasTables;
  }

  /** The names of the tables, and the address of an S3 service other than ours. */
  variables(): Readonly<Record<string, string>> {
    const named = this.#tables.flatMap(({ name, variable }) => (variable === undefined ? [] : [[variable, name]]));
    const { S3_ENDPOINT = '' } = this.#environment;
    return {
      ...Object.fromEntries(named),
      ...(S3_ENDPOINT !== '' && { AWS_ENDPOINT_URL_S3: S3_ENDPOINT }),
    };
  }

  /** Checks if an engine is installed, and does not wait for its start: calls are held until it is ready. */
  async start(): Promise<void> {
    this.#isRunning = true;
    const { folder, env, tables, buckets, state } = this.#host.config;
    if (!state) {
      this.#turnOff('off: --no-state');
      return;
    }
    for (const name of buckets) this.store.create(name);
    this.#tables = [...(await findTables(folder, env)), ...tables.map(toLocalTable)];
    const { DYNAMODB_ENDPOINT = '' } = this.#environment;
    if (DYNAMODB_ENDPOINT === '') this.#found = findEngine(folder, this.#environment);
    this.#hasTables = await this.#found.then(
      () => true,
      () => false,
    );
    this.#connect();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#endpoint.catch(() => {});
    await this.#engine?.stop();
  }

  status(): string {
    return this.#status;
  }

  dynamodb(): Promise<string> {
    return this.#endpoint;
  }

  #connect(): void {
    const { DYNAMODB_ENDPOINT = '' } = this.#environment;
    const address = DYNAMODB_ENDPOINT !== '' ? Promise.resolve(DYNAMODB_ENDPOINT) : this.#startEngine();
    this.#endpoint = address.then(async (endpoint) => {
      for (const table of this.#tables) await ensureTable(endpoint, table);
      this.#status = 'on';
      this.#note();
      return endpoint;
    });
    this.#endpoint.catch((error: Error) => {
      this.#status = error.message.startsWith('off: ') ? error.message : `off: ${error.message}`;
      if (!this.#isRunning) return;
      this.#host.notice(`state  ${this.#status}`);
      this.#note();
    });
  }

  async #startEngine(): Promise<string> {
    const folder = join(this.#host.config.stateFolder, 'dynamodb');
    const isFirst = !existsSync(folder);
    this.#engine = await startEngine({
      ...((await this.#found) as InstalledEngine),
      folder,
      environment: this.#environment,
      onProcess: (pid) => this.#host.guard(pid),
      onEnd: (why) => this.#restart(why),
    });
    if (isFirst) this.#host.notice(LICENCE);
    return this.#engine.endpoint;
  }

  /** Restarts the engine once. If it exits again, DynamoDB is off. */
  #restart(why: string): void {
    this.#engine = undefined;
    if (!this.#isRunning) return;
    this.#restarts += 1;
    if (this.#restarts > 1) {
      this.#turnOff(`off: ${why} twice`);
      return;
    }
    this.#host.notice(`state  ${why}; restarting`);
    this.#status = 'starting';
    this.#connect();
  }

  #turnOff(status: string): void {
    this.#status = status;
    this.#endpoint = Promise.reject(new FrameworkError('local.state_off', status));
    this.#endpoint.catch(() => {});
    this.#host.notice(`state  ${status}`);
    this.#note();
  }

  #note(): void {
    this.#host.journal.note({ at: this.#host.clock.now().getTime(), topic: 'state', text: this.#status });
  }

  async tables(): Promise<readonly TableView[]> {
    const endpoint = await this.#endpoint;
    const views = (await tableNames(endpoint)).map(async (name): Promise<TableView> => {
      const { Table } = await callEngine(endpoint, 'DynamoDB.DescribeTable', { TableName: name });
      const { KeySchema, ItemCount } = Table as EngineAnswer;
      const keys = (KeySchema as readonly { readonly AttributeName: string }[]).map(
        ({ AttributeName }) => AttributeName,
      );
      return { name, keys, items: Number(ItemCount ?? 0) };
    });
    return Promise.all(views);
  }

  async items(
    table: string,
    start?: string,
  ): Promise<{ readonly items: readonly unknown[]; readonly next: string | null }> {
    const from =
      start === undefined
        ? {}
        : { ExclusiveStartKey: JSON.parse(Buffer.from(start, 'base64url').toString()) as object };
    const input = { TableName: table, Limit: PAGE_ITEMS, ...from };
    const { Items, LastEvaluatedKey } = await callEngine(await this.#endpoint, 'DynamoDB.Scan', input);
    const next =
      LastEvaluatedKey === undefined ? null : Buffer.from(JSON.stringify(LastEvaluatedKey)).toString('base64url');
    return { items: (Items ?? []) as readonly unknown[], next };
  }

  async buckets(): Promise<readonly BucketView[]> {
    return this.store.list().map((bucket) => ({
      name: bucket.name,
      objects: bucket.keys().flatMap((key) => {
        const version = bucket.current(key);
        return version ? [{ key, size: version.size, modified: new Date(version.modifiedAt).toISOString() }] : [];
      }),
    }));
  }

  async reset(): Promise<void> {
    this.store.clear();
    const endpoint = await this.#endpoint.catch(() => undefined);
    if (endpoint === undefined) return;
    for (const name of await tableNames(endpoint))
      await callEngine(endpoint, 'DynamoDB.DeleteTable', { TableName: name });
    for (const table of this.#tables) await ensureTable(endpoint, table);
  }
}
