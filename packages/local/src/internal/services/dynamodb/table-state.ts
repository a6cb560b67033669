import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FrameworkError } from '@sallyport/core';
import type { TableConfig } from '../../config/config.js';
import type { StoreItems, StoreView } from '../../console/api.js';
import type { RunBase } from '../../host/base.js';
import type { Environment, ServiceState, StateType } from '../../state/state.js';
import { beginStream } from './change-log.js';
import { type Engine, findEngine, type InstalledEngine, startEngine } from './engine.js';
import { callEngine, type EngineAnswer } from './engine-client.js';
import { TablePast } from './table-past.js';
import { ensureTable, findTables, type LocalTable, tableNames, toLocalTable } from './tables.js';

const PAGE_ITEMS = 100;
const LICENCE =
  'DynamoDB Local has its own AWS licence (docs.aws.amazon.com, "DynamoDB local"): it requires an AWS account, and must not be built into programs. It listens on all interfaces of this machine and requires no keys';

/** The tables of a run, in DynamoDB Local. */
export class TableState implements ServiceState {
  /** The writes of this run, and earlier states of the tables. */
  readonly past: TablePast;
  readonly #host: RunBase;
  readonly #environment: Environment;
  #tables: readonly LocalTable[] = [];
  #status = 'starting';
  #endpoint: Promise<string> = Promise.reject(new FrameworkError('local.state_off', 'off: not started'));
  #found: Promise<InstalledEngine | undefined> = Promise.resolve(undefined);
  #engine: Engine | undefined;
  #hasTables = false;
  #isRunning = false;
  #restarts = 0;

  constructor(host: RunBase, environment: Environment) {
    this.#host = host;
    this.#environment = environment;
    this.past = new TablePast(() => host.clock.now().getTime());
    this.#endpoint.catch(() => {});
  }

  /** True if tables are available: the value of `$tables` in the settings. */
  hasTables(): boolean {
    return this.#hasTables;
  }

  /** The inputs of `CreateTable`. */
  schemas(): readonly TableConfig[] {
    return this.#tables.map(({ input }) => input);
  }

  /** The names of the tables. */
  variables(): Readonly<Record<string, string>> {
    const named = this.#tables.flatMap(({ name, variable }): [string, string][] =>
      variable === undefined ? [] : [[variable, name]],
    );
    return Object.fromEntries(named);
  }

  /** Checks if an engine is installed, and does not wait for its start: calls are held until it is ready. */
  async start(): Promise<void> {
    this.#isRunning = true;
    const { folder, env, tables, state } = this.#host.config;
    if (!state) {
      this.#turnOff('off: --no-state');
      return;
    }
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

  /** `on`, or the reason why it is off and the remedy: `off: DynamoDB Local needs Java 17 (…)`. */
  status(): string {
    return this.#status;
  }

  /** Address of DynamoDB. Resolves when the engine is ready, and rejects with the status while it is off. */
  endpoint(): Promise<string> {
    return this.#endpoint;
  }

  #connect(): void {
    const { DYNAMODB_ENDPOINT = '' } = this.#environment;
    const address = DYNAMODB_ENDPOINT !== '' ? Promise.resolve(DYNAMODB_ENDPOINT) : this.#startEngine();
    this.#endpoint = address.then(async (endpoint) => {
      for (const table of this.#tables) await this.#ensure(endpoint, table);
      const wasStarting = this.#status === 'starting';
      this.#status = 'on';
      if (wasStarting) this.#host.notice('state  on');
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

  /** Creates a table, with a stream: the console shows its items before and after each write. */
  async #ensure(endpoint: string, table: LocalTable): Promise<void> {
    await ensureTable(endpoint, table);
    if (await beginStream(endpoint, table.name)) this.past.begin(table.name);
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

  async list(): Promise<readonly StoreView[]> {
    const endpoint = await this.#endpoint;
    const views = (await tableNames(endpoint)).map(async (name): Promise<StoreView> => {
      const { Table } = await callEngine(endpoint, 'DynamoDB.DescribeTable', { TableName: name });
      const { KeySchema, ItemCount } = Table as EngineAnswer;
      const keys = (KeySchema as readonly { readonly AttributeName: string }[]).map(
        ({ AttributeName }) => AttributeName,
      );
      return { name, about: keys.join(', '), count: Number(ItemCount ?? 0) };
    });
    return Promise.all(views);
  }

  async items(table: string, start?: string): Promise<StoreItems> {
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

  async reset(): Promise<void> {
    const endpoint = await this.#endpoint.catch(() => undefined);
    if (endpoint === undefined) return;
    for (const name of await tableNames(endpoint))
      await callEngine(endpoint, 'DynamoDB.DeleteTable', { TableName: name });
    for (const table of this.#tables) await this.#ensure(endpoint, table);
  }
}

/** The tables of a run. */
export const tables: StateType<TableState> = {
  create: (host, environment) => new TableState(host, environment),
};
