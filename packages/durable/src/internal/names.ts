import { DurableError } from '../errors.js';
import { assertName } from './checks.js';

/** The names of the operations of one flow. */
export class Names {
  readonly #used = new Set<string>();

  /** @throws DurableError `durable.invalid_operation`, `durable.duplicate_name` */
  use(name: string): void {
    assertName(name);
    this.add(name);
  }

  /** The name with a number, if it is used already. */
  next(name: string): string {
    let next = name;
    for (let count = 2; this.#used.has(next); count += 1) next = `${name} ${count}`;
    return next;
  }

  /** @throws DurableError `durable.duplicate_name` */
  add(name: string): void {
    if (this.#used.has(name)) {
      const text = `two operations have the name "${name}": number the names of operations in a loop`;
      throw new DurableError('durable.duplicate_name', text);
    }
    this.#used.add(name);
  }
}
