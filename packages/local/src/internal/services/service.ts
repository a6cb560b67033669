import type { AwsService } from '../aws/service.js';
import type { Config } from '../config/config.js';
import type { StoreItems, StoreView } from '../console/api.js';
import type { Sockets } from '../doors/sockets.js';
import type { Executions } from '../executions/executions.js';
import type { RunKeys } from '../host/keys.js';
import type { Journal } from '../journal/journal.js';
import type { Invoker } from '../runtime/invoker.js';
import type { SourceRun, SourceType } from '../sources/source.js';
import type { State, StateType } from '../state/state.js';

/** The run, as the operations of a local service use it. */
export interface ServiceRun {
  readonly config: Config;
  readonly keys: RunKeys;
  readonly invoker: Pick<Invoker, 'invoke'>;
  readonly journal: Pick<Journal, 'get'>;
  readonly sources: SourceRun;
  readonly state: Pick<State, 'get'>;
  readonly sockets: Sockets;
  /** The executions, if the function is durable. */
  readonly executions?: Executions | undefined;
  /** The address of the AWS port. */
  address(): string;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The data of a service in the console. */
export interface ServiceView {
  /** `Tables`. */
  readonly title: string;
  /** One of them: `Table`. */
  readonly one: string;
  /** The members of an item that are columns; absent if items are shown as JSON. */
  readonly columns?: readonly string[];
  /** Rejects with a message for the developer while the data cannot be read. */
  list(state: Pick<State, 'get'>): Promise<readonly StoreView[]>;
  /** @param start `next` of the page before; absent for the first page */
  items(state: Pick<State, 'get'>, name: string, start?: string): Promise<StoreItems>;
}

/** A service of the local AWS: a folder with this object, and a line in the list of services. */
export interface LocalService {
  /** The service of the credential scope: `sqs`. */
  readonly name: string;
  /** Its operations on the AWS port. */
  operations(run: ServiceRun): AwsService;
  /** The data that it keeps between runs; absent if it keeps none. */
  readonly state?: StateType;
  /** Its data in the console; absent for a service without data. */
  readonly view?: ServiceView;
  /** The kinds of sources whose events it sends to the function. */
  readonly sources?: readonly SourceType[];
}
