import type { RunBase } from '../host/base.js';

/** The variables of the developer's shell. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The data of one service, kept under `.sallyport` between runs. */
export interface ServiceState {
  start(): Promise<void>;
  /** Never throws. */
  stop?(): Promise<void>;
  /** Empties it. */
  reset(): Promise<void>;
  /** Variables that it passes to the function. */
  variables(): Readonly<Record<string, string>>;
}

/** A kind of state: the part of a local service that keeps data. */
export interface StateType<S extends ServiceState = ServiceState> {
  create(host: RunBase, environment: Environment): S;
}

/** The data of all services of a run. */
export interface State {
  /** The data of one service. */
  get<S extends ServiceState>(type: StateType<S>): S;
  /** Empties all data. */
  reset(): Promise<void>;
}
