import type { Part, RunBase } from '../host/base.js';
import { SERVICES } from '../services/list.js';
import type { LocalService } from '../services/service.js';
import type { Environment, ServiceState, State, StateType } from './state.js';

/** The data of all services that keep data, by the kind of their state. */
export class LocalState implements State, Part {
  readonly name = 'state';
  readonly #states: ReadonlyMap<StateType, ServiceState>;

  constructor(host: RunBase, environment: Environment) {
    const types = SERVICES.flatMap(({ state }: LocalService) => state ?? []);
    this.#states = new Map(types.map((type) => [type, type.create(host, environment)]));
  }

  get<S extends ServiceState>(type: StateType<S>): S {
    // The map has the state that this type has created, so its class is known.
    return this.#states.get(type) as S;
  }

  variables(): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.#all().map((state) => state.variables())) as Record<string, string>;
  }

  async start(): Promise<void> {
    for (const state of this.#all()) await state.start();
  }

  async stop(): Promise<void> {
    for (const state of this.#all()) await state.stop?.();
  }

  async reset(): Promise<void> {
    for (const state of this.#all()) await state.reset();
  }

  #all(): readonly ServiceState[] {
    return [...this.#states.values()];
  }
}
